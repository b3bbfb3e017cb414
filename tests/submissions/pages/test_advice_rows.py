"""The rows of a list of cards share an axis, on which both values and requirements are drawn."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.advice import Place
from submissions.domain.ranking.gates import ModelFacts
from submissions.models import CardModel
from submissions.pages.content.advice_rows import Row, make_rows
from submissions.pages.content.axis import make_axis
from submissions.templatetags import drawings, ranking_tags
from tests.advice import ability, advice_on

PI = boards.find("raspberry-pi-5")
ROOT = uses.find_use("pi-root")
FAST = {"small_writes": 4118, "small_reads": 4000, "large_writes": 60e6}


def model(name: str = "Kingston 4 GB", **changes: Any) -> CardModel:
    return CardModel(name=name, slug=name.lower().replace(" ", "-"), **changes)


def row(values: dict[str, float], **changes: Any) -> Row:
    ((made,), _) = make_rows([(model(), advice_on(values, **changes))], PI)
    return made


def test_a_row_shows_the_figure_that_orders_it() -> None:
    made = row(FAST, place=Place(1, shared=True, listed=20), cards=3, people=2, known_people=2)
    assert (made.place, made.amount, made.ability) == ("=1", "4,118 IOPS", "")
    assert made.address == "/models/kingston-4-gb/?board=raspberry-pi-5&use=pi-root"
    assert made.evidence == "3 cards, 2 trusted sources"
    assert made.read_aloud == "2,745 IOPS to 6,177 IOPS; measured in a Raspberry Pi 5 or 500"
    assert [mark.state for mark in made.needs] == ["pass"] * 3


def test_an_expected_value_looks_different() -> None:
    made = row(FAST, origin="elsewhere")
    assert (made.amount, made.is_expected) == ("≈ 4,118 IOPS", True)
    drawn = drawings.value_bar(made)
    assert 'class="bar expected"' in drawn and "expected" in ranking_tags.advice_rows([made])
    assert "expected" not in drawings.value_bar(row(FAST))


def test_a_fallback_is_named() -> None:
    made = row({"large_writes": 40e6}, use="camera", board="uhs-i-slot")
    assert (made.amount, made.ability) == ("40 MB/s", "Large writes")


def test_without_a_leading_figure_there_is_no_bar_and_no_place() -> None:
    made = row({"small_reads": 4000})
    assert (made.place, made.amount, made.bar, made.origin) == ("", "–", None, "not measured")
    assert drawings.value_bar(made) == ""


def test_a_row_says_why_its_measured_value_lies_outside() -> None:
    assert row(FAST, median=13, runs=1).notes.startswith("Measured 13 IOPS once")
    assert row(FAST, facts=ModelFacts(lost_data=True)).notes == "A card of this model lost data in a test."


def test_only_needs_that_are_not_passed_show_their_names() -> None:
    drawn = drawings.need_marks(row({"small_writes": 4118, "small_reads": 90}).needs)
    shown = re.findall(r'<li class="(\w+)" title="[^"]+"><span( class="hidden")?>([^<]+)', drawn)
    assert shown == [
        ("pass", ' class="hidden"', "Small writes"),
        ("fail", "", "Small reads"),
        ("not_measured", "", "Large writes"),
    ]


def test_a_list_in_another_order_shows_what_orders_it() -> None:
    listed = [(model(), advice_on(FAST)), (model("Slow"), advice_on({"small_writes": 90}))]
    (fast, slow), axis = make_rows(listed, PI, ability="small_reads")
    assert (fast.amount, slow.amount) == ("4,000 IOPS", "–")
    assert axis and (axis.title, axis.ticks[0][0]) == (
        "Small reads",
        "1,500 IOPS needed",
    )


def test_another_order_has_no_places() -> None:
    made = row(FAST, place=Place(4, shared=False, listed=20))
    assert '<td class="place">4</td>' in ranking_tags.advice_rows([made])
    assert '<td class="place"></td>' in ranking_tags.advice_rows([made], sort="price")


# Tests of the axis.


def test_ends_are_round_and_the_need_has_a_label() -> None:
    axis = make_axis([ability("small_writes", 1500, lower=60, upper=4000)], "small_writes", ROOT.needs)
    assert [label for label, *_ in axis.ticks] == ["50 IOPS", "500 IOPS needed", "5,000 IOPS"]


def test_labels_do_not_overlap() -> None:
    axis = make_axis([ability("small_writes", 90000, lower=80000, upper=90000)], "small_writes", ROOT.needs)
    assert [label for label, *_ in axis.ticks] == ["500 IOPS needed", "100,000 IOPS"]


def test_a_latency_runs_from_long_to_short() -> None:
    values = [ability("synced_small_writes_p99", time, lower=time, upper=time) for time in (3e6, 40e6)]
    axis = make_axis(values, "synced_small_writes_p99", ())
    assert [label for label, *_ in axis.ticks] == ["50 ms", "2 ms"]
    short, long = (float(axis.draw_bar(value).value) for value in values)
    assert short > long


def test_a_value_that_links_hid_reaches_to_the_end() -> None:
    value = ability("small_writes", 900, at_least=True)
    bar = make_axis([value, ability("small_writes", 5000)], "small_writes", ROOT.needs).draw_bar(value)
    assert float(bar.low) + float(bar.width) == pytest.approx(100, abs=0.2)


@given(st.lists(st.floats(1e-3, 1e12), min_size=3, max_size=3).map(sorted))
def test_no_bar_leaves_the_axis(bounds: list[float]) -> None:
    lower, value, upper = bounds
    measured = ability("small_writes", value, lower=lower, upper=upper)
    bar = make_axis([measured], "small_writes", ROOT.needs).draw_bar(measured)
    low, width, middle = float(bar.low), float(bar.width), float(bar.value)
    assert 0 <= low <= low + width <= 100.21
    assert low - 0.51 <= middle <= low + width + 0.51
