"""How numbers look on a page."""

from typing import Any

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from submissions import wording
from submissions.models import Measurement, Score, Variant
from submissions.templatetags import flash


def measurement(*repeats: float, metric: str = "throughput", value: float | None = None) -> Measurement:
    return Measurement(metric=metric, repeats=list(repeats), value=value)


def score(value: float, lower: float, upper: float, **more: Any) -> Score:
    return Score(value=value, lower=lower, upper=upper, **more)


def shown(text: str, **context: Any) -> str:
    return Template("{% load flash %}" + text).render(Context(context))


def test_it_works() -> None:
    one = measurement(42_511_000, 42_688_000, value=42_600_000)
    assert shown("{{ one|measured }} ({{ one|each_repeat }})", one=one) == "42.6 MB/s (42.5 MB/s · 42.7 MB/s)"


def test_what_was_not_measured_is_a_dash_and_not_zero() -> None:
    assert flash.measured(measurement(value=None)) == "–"
    assert flash.measured(measurement(value=0.0)) == "0 B/s"
    assert flash.each_repeat(measurement()) == ""


@pytest.mark.parametrize(
    ("metric", "value", "words"),
    [
        ("iops", 1905.2, "1,905 IOPS"),
        ("latency_p99", 2_270_000.0, "2.27 ms"),
        ("align_diff", -7823.0, "-7.82 µs"),
        ("erase_block_size", 4194304.0, "4 MiB"),
        ("open_au_linear", 3.0, "3"),
    ],
)
def test_the_unit_is_that_of_the_metric(metric: str, value: float, words: str) -> None:
    assert flash.measured(measurement(metric=metric, value=value)) == words


@pytest.mark.parametrize(("ratio", "words"), [(None, ""), (0.0, "0 %"), (0.042, "4 %"), (1.5, "150 %")])
def test_a_ratio_is_shown_in_percent(ratio: float | None, words: str) -> None:
    assert flash.percent(ratio) == words


@pytest.mark.parametrize(
    ("capacity_bytes", "words"),
    [
        (3_904_897_024, "3.90 GB (3,904,897,024 bytes)"),
        (512_000_000, "0.51 GB (512,000,000 bytes)"),
    ],
)
def test_the_size_of_a_card_is_exact(capacity_bytes: int, words: str) -> None:
    assert flash.card_size(capacity_bytes) == words


@pytest.mark.parametrize(
    ("manufactured", "words"),
    [("2013-03", "March 2013"), ("2025-12", "December 2025"), ("2013", "2013"), ("", "")],
)
def test_a_month_is_written_out(manufactured: str, words: str) -> None:
    assert wording.month(manufactured) == words


@pytest.mark.parametrize(
    ("number", "digits", "words"), [(2, 2, "0x02"), (0x544D, 4, "0x544d"), (0, 4, "0x0000"), (None, 2, "")]
)
def test_identifiers_are_hexadecimal(number: int | None, digits: int, words: str) -> None:
    assert flash.hexadecimal(number, digits) == words


def test_capacity_and_size_are_words_in_templates() -> None:
    assert shown("{{ gb|capacity }}, {{ none|capacity }}, {{ au|size }}", gb=32.0, none=None, au=4194304) == (
        "32 GB, , 4 MiB"
    )


# Who made it?


def test_the_maker_is_looked_up() -> None:
    sandisk = Variant(bus="SD", mid=0x03, oid=0x5344)
    assert "SanDisk" in flash.maker(sandisk)


def test_an_unknown_maker_is_not_guessed() -> None:
    assert flash.maker(Variant(bus="SD", mid=0xE7, oid=0x0102)) == "maker not known"


def test_without_a_cid_nothing_is_said_of_the_maker() -> None:
    assert flash.maker(Variant(bus="SD", mid=None, oid=None)) == ""


# The axis: 100 · ln(value / 5) / ln(2000 / 5) percent, ln 400 = 5.9914645


@pytest.mark.parametrize(
    ("tick", "x"),
    [(10, 11.57), (30, 29.91), (100, 50.0), (300, 68.34), (1000, 88.43)],
)
def test_a_tick_stands_where_it_belongs(tick: int, x: float) -> None:
    assert {"value": tick, "x": x} in flash.axis_ticks()


def test_every_tick_stands_on_the_axis() -> None:
    assert [tick["value"] for tick in flash.axis_ticks()] == list(flash.AXIS_TICKS)
    assert all(0 < tick["x"] < 100 for tick in flash.axis_ticks())


def test_twice_as_good_is_the_same_step_everywhere() -> None:
    steps = [flash.score_bar(score(n, n, 2 * n))["width"] for n in (10, 100, 1000)]
    assert steps == [11.57] * 3


def test_a_bar_reaches_from_bound_to_bound() -> None:
    assert flash.score_bar(bar := score(100, 30, 300)) == {
        "score": bar,
        "left": 29.91,
        "width": 38.43,
        "mark": 50.0,
    }


@pytest.mark.parametrize(
    ("bounds", "left", "width"),
    [((1, 0.1, 4), 0.0, 0.5), ((5000, 3000, 9000), 99.5, 0.5), ((100, 0.001, 1e9), 0.0, 100.0)],
)
def test_what_lies_beyond_the_axis_is_drawn_at_its_end(
    bounds: tuple[float, float, float], left: float, width: float
) -> None:
    drawn = flash.score_bar(score(*bounds))
    assert (drawn["left"], drawn["width"]) == (left, width)


@given(st.lists(st.floats(1e-6, 1e12), min_size=3, max_size=3).map(sorted))
def test_no_bar_leaves_the_axis(bounds: list[float]) -> None:
    lower, value, upper = bounds
    drawn = flash.score_bar(score(value, lower, upper))
    assert 0 <= drawn["left"] <= drawn["left"] + drawn["width"] <= 100.01
    assert drawn["left"] <= drawn["mark"] + 0.5


def test_the_bar_is_told_to_those_who_do_not_see_it() -> None:
    page = shown("{% score_bar score %}", score=score(174.1, 90.2, 336.0))
    assert 'aria-label="Score 174, between 90 and 336"' in page


# Key figures


def test_the_figures_that_weigh_most_come_first() -> None:
    """pi-root: random writes weigh 20, random reads 12, sequential reads 6."""
    known = {
        "seq_read": {"measured": 42.6e6, "cards": 3},
        "rand_read_4k": {"measured": 1905.2, "cards": 2},
        "rand_write_4k": {"measured": 500.0, "cards": 1},
    }
    assert flash.key_figures(score(1, 1, 1, profile="pi-root", figures=known)) == [
        {"title": "Random write, 4 KiB", "value": "500 IOPS", "cards": 1},
        {"title": "Random read, 4 KiB", "value": "1,905 IOPS", "cards": 2},
    ]


def test_one_known_figure_stands_alone() -> None:
    known = {"seq_read": {"measured": 42.6e6, "cards": 3}}
    assert len(flash.key_figures(score(1, 1, 1, profile="pi-root", figures=known))) == 1


def test_scores_outlive_their_profile_and_their_figures() -> None:
    known = {"gone": {"measured": 1.0, "cards": 1}, "seq_read": {"measured": 42.6e6, "cards": 3}}
    found = flash.key_figures(score(1, 1, 1, profile="gone", figures=known))
    assert [figure["title"] for figure in found] == ["Sequential read"]
