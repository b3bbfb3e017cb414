"""Differences between two silicons: all figures together, nobody's alone, and never surer than chance allows."""

from dataclasses import replace

import numpy as np
import pytest

from submissions.domain.judgement.differences import Contrasts, compare
from submissions.domain.judgement.flags import Difference
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.sides import CardFacts, Values

PRIOR = Prior(8.0, 1.0)
# Nothing is off by itself and no figure is like another, so that numbers can be computed by hand.
APART = replace(DEFAULTS, odd_cards=1e-9, figures_alike=1e-9)
LEVEL, LOWER = [0.0, 0.1, -0.1], [-0.25, -0.15, -0.35]
SIDES = [7, 7, 7, 9, 9, 9]


def contrasts(figures, signatures=SIDES, submitters=None, *, runs=None, parameters=DEFAULTS) -> Contrasts:
    """One model, some figures with a variance of 0.01; every card of a submitter of its own unless told."""
    count = len(signatures)
    owners = np.arange(count) if submitters is None else np.array(submitters)
    cards = CardFacts(np.zeros(count, dtype=np.int64), np.array(signatures), owners)
    times = np.array([1] * count if runs is None else runs)
    values = {
        f"figure {number}": Values(np.array(logs), np.full(count, 0.01), np.ones(count), times)
        for number, logs in enumerate(figures)
    }
    return compare(cards, values, dict.fromkeys(values, PRIOR), parameters)


def rows(*figures, **options) -> list[Difference]:
    return contrasts(figures, **options).rows(0)


def joint(*figures, **options) -> float:
    return contrasts(figures, **options).p_values()[0]


def test_it_works() -> None:
    """Side by side 0.25 apart, each figure 4 degrees of its own and 8 borrowed; both residual variances are 1."""
    first, second = rows(LEVEL + LOWER, LEVEL + LOWER, parameters=APART)
    assert (first.faster, first.slower, first.cards, first.submitters) == (7, 9, (3, 3), (3, 3))
    assert np.log(first.ratio) == pytest.approx(0.25)
    t = 0.25 / (1.05 * (2 * 0.01 / 3) ** 0.5)
    assert t == pytest.approx(2.916, abs=0.001)
    assert first.p_value == second.p_value == pytest.approx(0.0101, abs=0.0001)  # t with 8 + 2 * 4 degrees
    assert first.joint_p_value == pytest.approx(0.0030, abs=0.0001)  # F of 8.50 with 2 and 16 degrees


def test_one_figure_alone_is_a_moderated_t_test() -> None:
    (row,) = rows(LEVEL + LOWER, parameters=APART)
    assert row.joint_p_value == pytest.approx(row.p_value)


def test_figures_that_are_alike_count_less_than_so_many() -> None:
    figures = [LEVEL + LOWER] * 5
    apart, alike, same = (
        joint(*figures, parameters=replace(APART, figures_alike=like)) for like in (1e-9, 0.4, 1.0)
    )
    assert apart < alike < same
    assert same == pytest.approx(joint(LEVEL + LOWER, parameters=APART))


def test_what_was_not_measured_changes_not_even_the_last_digit() -> None:
    nothing = [np.nan] * 6
    alone, among = contrasts([LEVEL + LOWER]), contrasts([LEVEL + LOWER, nothing, nothing])
    assert alone.p_values() == among.p_values()
    assert alone.rows(0) == among.rows(0)


def test_a_model_that_scatters_in_other_figures_is_judged_by_that_too() -> None:
    wild = [0.0, 0.9, -0.9, 0.0, 0.9, -0.9]
    calm, scattered = (
        next(row for row in rows(LEVEL + LOWER, other) if row.figure == "figure 0")
        for other in (LEVEL + LEVEL, wild)
    )
    assert scattered.p_value > calm.p_value
    assert scattered.lower_ratio < calm.lower_ratio


@pytest.mark.parametrize("cards", [2, 3])
def test_all_cards_of_a_side_may_be_off_by_chance(cards: int) -> None:
    p_value = joint([0.0] * 9 + [-3.0] * cards, signatures=[7] * 9 + [9] * cards)
    assert p_value == pytest.approx(DEFAULTS.odd_cards**cards, rel=0.01)


def test_many_cards_of_one_person_are_one_voice() -> None:
    """Nine cards of a spammer and one honest card as fast as the other side: without the spammer nothing is left."""
    (row,) = rows(
        [0.0] * 5 + [-1.0] * 9 + [0.0],
        signatures=[7] * 5 + [9] * 10,
        submitters=[0, 1, 2, 3, 4, *[5] * 9, 6],
    )
    assert row.cards == (5, 10) and row.submitters == (5, 2)
    assert row.firm_ratio == pytest.approx(1.0)


def test_a_side_that_mostly_ends_at_its_link_says_nothing() -> None:
    """Its fast cards cannot be compared, and the others are its slow ones."""
    values, signatures = [*LEVEL, -1.0, -1.1, *[np.nan] * 3], [7, 7, 7, *[9] * 5]
    assert contrasts([values], signatures, runs=[1] * 8).p_values() == {}
    assert 0 in contrasts([values], signatures, runs=[1] * 5 + [0] * 3).p_values()  # merely not measured


@pytest.mark.parametrize(
    ("signatures", "submitters"),
    [([7, 7, 7, 7, 7, 9], None), ([7, 7, 7, -1, -1, -1], None), (SIDES, [0, 1, 2, 3, 3, 3])],
    ids=["one card", "registers not seen", "one person"],
)
def test_what_is_no_side_is_not_compared(signatures, submitters) -> None:
    pairs = contrasts([LEVEL + LOWER], signatures, submitters)
    assert pairs.p_values() == {} and pairs.rows(0) == []


def test_each_pair_of_three_sides_is_a_chance_to_be_wrong() -> None:
    three = contrasts([[*LEVEL, *LOWER, *LEVEL]], [7, 7, 7, 8, 8, 8, 9, 9, 9])
    assert len(three.p_value) == 3
    assert three.p_values()[0] == pytest.approx(3 * three.p_value.min())


def test_no_figures_are_no_differences() -> None:
    nobody = np.zeros(0, dtype=np.int64)
    assert compare(CardFacts(nobody, nobody, nobody), {}, {}, DEFAULTS).p_values() == {}
