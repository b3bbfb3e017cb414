"""Rows of a ranking: a score in words, as a bar on the axis, and what is behind it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.judgement import claims
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import finder_rows


def score(value: float, lower: float, upper: float, **more: Any) -> Score:
    behind = {"cards": 1, "submitters": 1, "covered": 1, "terms": 10, "state": "early", "interface": "sdr104"}
    return Score(value=value, lower=lower, upper=upper, **{"bound": lower} | behind | more)


def test_it_works() -> None:
    model = CardModel(name="Kingston 4 GB", slug="kingston-4-gb")
    row = finder_rows.row(model, score(174.1, 90.2, 336.0, cards=3, submitters=2), asked="?board=any")
    assert (row.title, row.address) == ("Kingston 4 GB", "/models/kingston-4-gb/?board=any")
    assert (row.least, row.likely) == ("0.9×", "1.7×")
    assert row.read_aloud == "At least 0.9× what it needs, likely 1.7×"
    assert row.evidence == "3 cards, 2 people"
    assert row.pick == "Compare Kingston 4 GB"


@pytest.mark.parametrize(
    ("interface", "why"),
    [
        ("ddr50", "only in another kind of device"),
        ("sdr104", "only in another kind of device"),
    ],
)
def test_what_was_measured_as_in_other_slots_only_says_so(interface: str, why: str) -> None:
    elsewhere = score(100, 30, 300, covered=0, interface=interface)
    assert finder_rows.evidence(elsewhere) == f"1 card, 1 person, {why}"


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (476.6, "4.8×"),
        (100, "1×"),
        (99.4, "0.99×"),
        (1234, "12×"),
        (4.26, "0.043×"),
        (800.2, "8×"),
        (0, "0×"),
    ],
)
def test_a_score_is_a_multiple_of_enough(score: float, words: str) -> None:
    assert finder_rows.times(score) == words


# The axis: 100 · ln(multiple / 0.1) / ln(100) percent; enough stands in the middle.


@pytest.mark.parametrize(
    ("tick", "x"), [("0.1×", "0.00"), ("0.3×", "23.86"), ("1×", "50.00"), ("3×", "73.86"), ("10×", "100.00")]
)
def test_a_tick_stands_where_it_belongs(tick: str, x: str) -> None:
    assert (tick, x) in finder_rows.ticks()


def test_twice_as_good_is_the_same_step_everywhere() -> None:
    assert [finder_rows.bar(score(n, n, 2 * n)).width for n in (10, 100, 400)] == ["15.1"] * 3


def test_a_bar_reaches_from_what_is_sure_to_its_upper_end() -> None:
    assert finder_rows.bar(score(100, 40, 300, bound=30)) == finder_rows.Bar("23.9", "50.0", "50.0")


@pytest.mark.parametrize(
    ("bounds", "sure", "width"),
    [
        ((1, 0.1, 4), "0.0", "0.5"),
        ((5000, 3000, 9000), "99.5", "0.5"),
        ((100, 0.001, 1e9), "0.0", "100.0"),
    ],
)
def test_what_lies_beyond_the_axis_is_drawn_at_its_end(
    bounds: tuple[float, float, float], sure: str, width: str
) -> None:
    drawn = finder_rows.bar(score(*bounds))
    assert (drawn.sure, drawn.width) == (sure, width)


@given(st.lists(st.floats(1e-6, 1e12), min_size=3, max_size=3).map(sorted))
def test_no_bar_leaves_the_axis(bounds: list[float]) -> None:
    lower, value, upper = bounds
    drawn = finder_rows.bar(score(value, lower, upper))
    sure, width, likely = float(drawn.sure), float(drawn.width), float(drawn.likely)
    assert 0 <= sure <= sure + width <= 100.01
    assert sure <= likely + 0.51


# Key figures


def test_the_figure_that_weighs_most_is_named_as_a_neighbour_would() -> None:
    """pi-root: random writes weigh 20, random reads 12, sequential reads 6."""
    known = {
        "seq_read": {"value": 42.6e6, "cards": 3},
        "rand_read_4k": {"value": 1905.2, "cards": 2},
        "rand_write_4k": {"value": 500.0, "cards": 1},
    }
    assert finder_rows.key_figure(score(1, 1, 1, profile="pi-root", figures=known)) == (
        "500 IOPS",
        "small writes",
    )


def test_without_figures_there_is_none() -> None:
    assert finder_rows.key_figure(score(1, 1, 1, profile="pi-root", figures={})) is None


def test_scores_outlive_their_profile_and_their_figures() -> None:
    known = {"gone": {"value": 1.0, "cards": 1}, "seq_read": {"value": 42.6e6, "cards": 3}}
    assert finder_rows.key_figure(score(1, 1, 1, profile="gone", figures=known)) == (
        "42.6 MB/s",
        "large reads",
    )


@pytest.mark.parametrize(
    ("people", "trusted", "said"),
    [
        (3, 0, "3 cards, 3 people"),
        (1, 1, "3 cards, 1 trusted source"),
        (3, 2, "3 cards, 3 people, among them 2 trusted sources"),
    ],
)
def test_a_source_that_counts_as_two_is_called_one_we_trust(people: int, trusted: int, said: str) -> None:
    assert finder_rows.tested(score(1, 1, 1, cards=3, submitters=people, vouched=trusted)) == said


def test_how_much_stands_behind_a_score_is_said_by_the_numbers_of_the_core() -> None:
    early, solid = (wording.state_told(state) for state in ("early", "solid"))
    assert early == "early: tested by fewer than 3 people, or only in another kind of device"
    assert solid == "solid: tested by 8 people or more; a source we trust counts as two"
    assert (claims.RANKED_FROM_PEOPLE, claims.SOLID_FROM_PEOPLE) == (3, 8)
