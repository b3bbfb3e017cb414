"""Rows of a ranking: a score in words, as a bar on the axis, and what is behind it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.ranking import scores
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import rows


def score(value: float, lower: float, upper: float, **more: Any) -> Score:
    behind = {"cards": 1, "submitters": 1, "covered": 1, "terms": 10, "state": "early", "interface": "sdr104"}
    return Score(value=value, lower=lower, upper=upper, **behind | more)


def test_it_works() -> None:
    model = CardModel(name="Kingston 4 GB", slug="kingston-4-gb")
    row = rows.row(model, score(174.1, 90.2, 336.0, cards=3, submitters=2), asked="?board=any")
    assert (row.title, row.address) == ("Kingston 4 GB", "/models/kingston-4-gb/?board=any")
    assert (row.value, row.lower, row.upper) == ("174", "90", "336")
    assert row.read_aloud == "Score 174, between 90 and 336"
    assert row.evidence == "3 cards of 2 submitters, 1 of 10 figures"
    assert row.pick == "Compare Kingston 4 GB"


@pytest.mark.parametrize(
    ("interface", "why"),
    [
        ("ddr50", "only measured with 32 commands queued; this slot has no queue"),
        ("sdr104", "only measured without a queue; this slot has one"),
    ],
)
def test_what_was_measured_as_in_other_slots_only_says_so(interface: str, why: str) -> None:
    elsewhere = score(100, 30, 300, covered=0, interface=interface)
    assert rows.evidence(elsewhere) == f"1 card of 1 submitter, {why}"


# The axis: 100 · ln(value / 5) / ln(2000 / 5) percent, ln 400 = 5.9914645


@pytest.mark.parametrize(
    ("tick", "x"),
    [(10, "11.57"), (30, "29.91"), (100, "50.00"), (300, "68.34"), (1000, "88.43")],
)
def test_a_tick_stands_where_it_belongs(tick: int, x: str) -> None:
    assert (tick, x) in rows.ticks()


def test_every_tick_stands_on_the_axis() -> None:
    assert [tick for tick, _ in rows.ticks()] == list(rows.AXIS_TICKS)


def test_twice_as_good_is_the_same_step_everywhere() -> None:
    steps = [rows.bar(score(n, n, 2 * n)).width for n in (10, 100, 1000)]
    assert steps == ["11.57"] * 3


def test_a_bar_reaches_from_bound_to_bound() -> None:
    assert rows.bar(score(100, 30, 300)) == rows.Bar("29.91", "38.43", "50.00")


@pytest.mark.parametrize(
    ("bounds", "left", "width"),
    [
        ((1, 0.1, 4), "0.00", "0.50"),
        ((5000, 3000, 9000), "99.50", "0.50"),
        ((100, 0.001, 1e9), "0.00", "100.00"),
    ],
)
def test_what_lies_beyond_the_axis_is_drawn_at_its_end(
    bounds: tuple[float, float, float], left: str, width: str
) -> None:
    drawn = rows.bar(score(*bounds))
    assert (drawn.left, drawn.width) == (left, width)


@given(st.lists(st.floats(1e-6, 1e12), min_size=3, max_size=3).map(sorted))
def test_no_bar_leaves_the_axis(bounds: list[float]) -> None:
    lower, value, upper = bounds
    drawn = rows.bar(score(value, lower, upper))
    left, width, mark = float(drawn.left), float(drawn.width), float(drawn.mark)
    assert 0 <= left <= left + width <= 100.01
    assert left <= mark + 0.51


# Key figures


def test_the_figures_that_weigh_most_come_first() -> None:
    """pi-root: random writes weigh 20, random reads 12, sequential reads 6."""
    known = {
        "seq_read": {"measured": 42.6e6, "cards": 3},
        "rand_read_4k": {"measured": 1905.2, "cards": 2},
        "rand_write_4k": {"measured": 500.0, "cards": 1},
    }
    assert rows.key_figures(score(1, 1, 1, profile="pi-root", figures=known)) == (
        ("500 IOPS", "Random write, 4 KiB"),
        ("1,905 IOPS", "Random read, 4 KiB"),
    )


def test_one_known_figure_stands_alone() -> None:
    known = {"seq_read": {"measured": 42.6e6, "cards": 3}}
    assert len(rows.key_figures(score(1, 1, 1, profile="pi-root", figures=known))) == 1


def test_scores_outlive_their_profile_and_their_figures() -> None:
    known = {"gone": {"measured": 1.0, "cards": 1}, "seq_read": {"measured": 42.6e6, "cards": 3}}
    found = rows.key_figures(score(1, 1, 1, profile="gone", figures=known))
    assert [title for _, title in found] == ["Sequential read"]


def test_how_much_stands_behind_a_score_is_said_by_the_numbers_of_the_core() -> None:
    early, solid = (wording.state_told(state) for state in ("early", "solid"))
    assert early == "early: fewer than 3 cards or 2 submitters, or nothing measured as in this slot"
    assert solid == "solid: 8 cards or more, from 2 submitters or more"
    assert (scores.RANKED_FROM_CARDS, scores.RANKED_FROM_SUBMITTERS, scores.SOLID_FROM_CARDS) == (3, 2, 8)
