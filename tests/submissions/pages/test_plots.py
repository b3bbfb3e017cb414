"""Plots have scales with round ticks and marks at the right positions, and one template draws all of them."""

import math
import re

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from submissions.pages.plots import scale
from submissions.pages.plots.figure import SHAPES, Axis, DataTable, Plot, Words, percent, pixels, spread_out
from submissions.pages.plots.line_plot import HEIGHT, Point, Rule, Series, lines
from submissions.pages.plots.row_plot import Dot, Interval, Row, rows

MIB = 1024**2
values = st.floats(min_value=1e-3, max_value=1e12, allow_nan=False)


def words(name: str = "p0", **more: str) -> Words:
    return Words(name, "Throughput", "Throughput by block size.", **more)


def line_plot(*series: Series, rules: tuple[Rule, ...] = ()) -> Plot:
    points = [point for one in series for point in one.points]
    return lines(
        words(),
        series,
        x=Axis(scale.binary(point.x for point in points), lambda value: f"{value / MIB:g} MiB"),
        y=Axis(scale.logarithmic(point.y for point in points), lambda value: f"{value:g}"),
        table=DataTable(("Block size", "Throughput"), (("1 MiB", "10"),)),
        rules=rules,
    )


def test_it_works() -> None:
    plot = line_plot(
        Series("1 AU open", "1", (Point(MIB, 10, "ten"), Point(4 * MIB, 1000, "thousand"))),
        Series("2 AUs open", "2", (Point(MIB, 100, "hundred", faint=True),)),
    )
    assert [mark.x for mark in plot.marks] == [0, 100, 0]
    assert plot.marks[2].y == HEIGHT / 2, "100 is half way from 10 to 1000 where steps are factors"
    assert [tick.words for tick in plot.x_ticks] == ["1 MiB", "2 MiB", "4 MiB"]
    assert [key.words for key in plot.legend] == ["1 AU open", "2 AUs open"]
    assert plot.shapes == ("circle", "square")
    assert plot.marks[2].faint


def test_a_plot_is_drawn_with_its_words_and_numbers() -> None:
    plot = line_plot(Series("read", "", (Point(MIB, 10, "10 <MB/s>"), Point(4 * MIB, 30, "b"))))
    drawn = render_to_string("plots/plot.html", {"plot": plot})
    for part in ("<title>10 &lt;MB/s&gt;</title>", 'role="img"', 'id="desc-p0"', "The numbers"):
        assert part in drawn
    assert "style=" not in drawn and "<script" not in drawn


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_a_place_is_no_number_for_people(language: str) -> None:
    series = Series(
        "1 AU open", "1", (Point(MIB, 10, "a"), Point(3 * MIB, 70, "b"), Point(8 * MIB, 900, "c"))
    )
    with translation.override(language):
        drawing = render_to_string("plots/plot.html", {"plot": line_plot(series)})
    places = re.findall(r'\b(?:[xy][12]?|width)="([^"]+)"', drawing)
    assert any("." in place for place in places) and not any("," in place for place in places)


def test_a_rule_says_its_words_where_there_is_room() -> None:
    points = (Point(MIB, 10, "a"), Point(16 * MIB, 20, "b"))
    plot = line_plot(Series("read", "", points), rules=(Rule(16 * MIB, "erase block"), Rule(MIB, "page")))
    assert [(note.words, note.anchor) for note in plot.notes] == [("erase block", "end"), ("page", "start")]
    assert {(note.y, note.rule) for note in plot.notes} == {(12, True)}


def test_a_row_has_dots_an_interval_and_a_heading() -> None:
    row = Row("SA04G 1.1", (Dot(0, "a"), Dot(50, "b")), Interval(10, 20, 50, "20, between 10 and 50"))
    plot = rows(words(), [row], axis=Axis(scale.from_zero([0, 100]), str), table=DataTable((), ()))
    (bar,) = plot.bars
    assert (bar.x, bar.width, bar.middle) == (10, 40, 20)
    assert [mark.x for mark in plot.marks] == [0, 50]
    assert plot.notes[0].words == "SA04G 1.1"


def test_rows_stand_below_each_other_and_fill_the_picture() -> None:
    listed = [Row(str(number), (Dot(50, "a"),), Interval(10, 20, 50, "b"), number) for number in range(3)]
    plot = rows(words(), listed, axis=Axis(scale.from_zero([100]), str), table=DataTable((), ()))
    assert [note.y for note in plot.notes] == [14, 72, 130]
    assert [mark.y for mark in plot.marks] == [bar.y for bar in plot.bars] == [34, 92, 150]
    assert [bar.style for bar in plot.bars] == [0, 1, 2]
    assert plot.height == 176


@pytest.mark.parametrize(
    ("places", "lanes"),
    [
        ([50, 50, 50], [0, -7, 7]),
        ([50, 51.6, 53.1], [0, 0, -7]),
        ([50, 50.1, 50.2, 50.3, 50.4, 50.5, 50.6], [0, -7, 7, -14, 14, 0, -7]),
        ([0, 1.6], [0, 0]),
        ([0, 0.5], [0, -7]),
    ],
)
def test_dots_that_would_cover_each_other_stand_in_lanes(places: list[float], lanes: list[float]) -> None:
    row = Row("", tuple(Dot(place, str(place)) for place in reversed(places)))
    plot = rows(words(), [row], axis=Axis(scale.from_zero([100]), str), table=DataTable((), ()))
    assert [mark.y - 34 for mark in plot.marks] == lanes


def test_the_name_of_a_line_stands_at_its_end() -> None:
    ends = [(Point(MIB, 10, ""), Point(4 * MIB, end, "")) for end in (10, 10, 1000)]
    plot = line_plot(*(Series(str(number), f"line {number}", points) for number, points in enumerate(ends)))
    last = [plot.marks[at].y for at in (1, 3, 5)]
    assert [(note.x, note.y) for note in plot.notes] == [
        (100, last[0] + 4),
        (100, last[1] + 18),
        (100, last[2] + 4),
    ]
    assert {(segment.x, segment.x_end) for segment in plot.segments} == {(0, 100)}
    assert [(segment.y_end, segment.style) for segment in plot.segments] == list(
        zip(last, (0, 1, 2), strict=True)
    )


def test_points_that_are_not_joined_have_no_line_and_one_series_needs_no_legend() -> None:
    points = (Point(MIB, 10, ""), Point(4 * MIB, 20, ""))
    plot = line_plot(Series("alone", "", points, joined=False))
    assert (plot.segments, plot.legend, plot.notes, len(plot.marks)) == ((), (), (), 2)


def test_labels_that_would_meet_move_apart() -> None:
    assert spread_out([10, 10, 50, 12], least=14) == [10, 24, 52, 38]


def test_more_series_than_shapes_begin_again() -> None:
    points = (Point(MIB, 1, ""), Point(2 * MIB, 2, ""))
    plot = line_plot(*(Series(str(number), "", points) for number in range(len(SHAPES) + 1)))
    assert plot.marks[-1].shape == SHAPES[0]


@pytest.mark.parametrize(
    ("found", "low", "high", "ticks"),
    [
        (scale.from_zero([0, 43]), 0, 50, (0, 10, 20, 30, 40, 50)),
        (scale.from_zero([-3, 4]), -4, 4, (-4, -2, 0, 2, 4)),
        (scale.from_zero([3]), 0, 3, (0, 1, 2, 3)),
        (scale.from_zero([0.1]), 0, 0.1, (0, 0.02, 0.04, 0.06, 0.08, 0.1)),
        (scale.from_zero([]), 0, 0.2, (0, 0.2)),
        (scale.linear([40, 42]), 39.84, 42.16, (40, 40.5, 41, 41.5, 42)),
        (scale.linear([-7]), -7.56, -6.44, (-7.5, -7.25, -7, -6.75, -6.5)),
        (scale.linear([10, 20]), 9.2, 20.8, (10, 12.5, 15, 17.5, 20)),
        (scale.linear([0]), -0.08, 0.08, (-0.05, 0, 0.05)),
        (scale.logarithmic([10, 1000]), 10 / 100**0.06, 1000 * 100**0.06, (10, 100, 1000)),
        (scale.logarithmic([0, 4, 130]), 4 / 32.5**0.06, 130 * 32.5**0.06, (10, 30, 100)),
        (scale.logarithmic([0.02, 0.5]), 0.02 / 25**0.06, 0.5 * 25**0.06, (0.03, 0.1, 0.3)),
        (scale.logarithmic([1, 1e10]), 10**-0.6, 10**10.6, (1, 100, 1e4, 1e6, 1e8, 1e10)),
        (scale.logarithmic([1.9, 11.4]), 1.9 / 6**0.06, 11.4 * 6**0.06, (2, 5, 10)),
        (scale.logarithmic([30, 60]), 30 / 1.05, 63, (30, 40, 50, 60)),
        (scale.logarithmic([7]), 7 / 1.05, 7.35, (6.8, 7, 7.2)),
        (scale.binary([16 * 1024, 4 * MIB]), 2**14, 2**22, (2**14, 2**16, 2**18, 2**20, 2**22)),
        (scale.binary([1, MIB]), 1, MIB, (1, 2**4, 2**8, 2**12, 2**16, 2**20)),
        (scale.binary([0, 0.5, 3000]), 0.5, 4096, (0.5, 4, 32, 256, 2048)),
        (scale.binary([4096]), 4096, 8192, (4096, 8192)),
        (scale.binary([1, 32]), 1, 32, (1, 2, 4, 8, 16, 32)),
    ],
)
def test_ends_hold_the_values_and_ticks_are_round(
    found: scale.Scale, low: float, high: float, ticks: tuple[float, ...]
) -> None:
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.ticks == pytest.approx(ticks)
    assert [found.find_place(low - 1), found.find_place(low), found.find_place(high + 1)] == pytest.approx(
        [0, 0, 1]
    )
    middle = (low * high) ** 0.5 if found.log else (low + high) / 2
    assert found.find_place(middle) == pytest.approx(0.5)


def test_a_scale_needs_room() -> None:
    with pytest.raises(ValueError, match="no scale"):
        scale.Scale(1, 1, False, ())
    with pytest.raises(ValueError, match="no scale"):
        scale.Scale(0, 1, True, ())
    assert scale.Scale(0.5, 1, True, ()).find_place(1) == 1


@given(st.lists(values, min_size=1, max_size=20))
def test_every_scale_holds_its_values_and_has_few_ticks(known: list[float]) -> None:
    for make in (scale.from_zero, scale.linear, scale.logarithmic, scale.binary):
        found = make(known)
        assert all(found.low <= value * (1 + 1e-9) and value <= found.high * (1 + 1e-9) for value in known)
        assert 1 <= len(found.ticks) <= 7
        assert all(found.low <= tick * (1 + 1e-9) and tick <= found.high * (1 + 1e-9) for tick in found.ticks)


@given(values, values)
def test_what_is_more_lies_further_right_and_higher(one: float, other: float) -> None:
    axis = scale.logarithmic([1e-3, 1e12])
    less, more = sorted((one, other))
    assert percent(axis, less) <= percent(axis, more)
    assert pixels(axis, less, 200) >= pixels(axis, more, 200)
    assert math.isfinite(percent(axis, one))
