"""Comparing groups of few: centres, borrowed variances, false discoveries."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from submissions.domain.judgement.moderation import (
    Prior,
    centres,
    moderated,
    prior,
    simes,
    threshold,
    variances,
)

ONE = np.ones(3)


def test_a_centre_is_the_weighted_mean_of_what_lies_close() -> None:
    groups = centres(np.zeros(2, dtype=int), np.array([0.0, 1.0]), np.array([1.0, 3.0]), np.ones(2), count=1)
    assert groups.centre[0] == pytest.approx(0.25)
    assert groups.weight[0] == pytest.approx(4 / 3)


def test_one_far_away_hardly_moves_a_centre() -> None:
    """Huber: 0, 0 and 1,000 balance where 2 c = 1.345."""
    groups = centres(np.zeros(3, dtype=int), np.array([0.0, 0.0, 1000.0]), ONE, ONE, count=1)
    assert groups.centre[0] == pytest.approx(1.345 / 2, rel=1e-3)


def test_a_group_of_nobody_does_not_disturb() -> None:
    groups = centres(np.array([1, 1]), np.array([2.0, 4.0]), np.ones(2), np.ones(2), count=2)
    assert groups.weight.tolist() == [0.0, 2.0]


def test_variances_are_cut_and_lose_a_degree_per_group() -> None:
    residual = np.array([1.0, -1.0, 10.0])
    variance, freedom = variances(np.zeros(3, dtype=int), residual, ONE, np.array([1]), count=1, cut=2.0)
    assert (freedom[0], variance[0]) == pytest.approx((2.0, (1 + 1 + 4) / 2))


def test_few_cards_borrow_and_many_speak_for_themselves() -> None:
    pool = Prior(freedom=4.0, variance=1.0)
    assert moderated(np.array([4.0, 4.0]), np.array([1.0, 996.0]), pool).tolist() == pytest.approx(
        [1.6, 3.988]
    )


def test_what_is_known_otherwise_of_a_model_moves_what_it_borrows() -> None:
    pool = Prior(freedom=4.0, variance=1.0)
    assert moderated(np.array([4.0]), np.array([4.0]), pool, scale=2.0).tolist() == [3.0]


def test_the_prior_is_found_again() -> None:
    """Variances drawn as Smyth's model says: s0² d0 / chi²(d0), seen with 6 degrees of freedom."""
    chance = np.random.default_rng(3)
    true = 1.5 * 10 / chance.chisquare(10, 20_000)
    estimated = prior(true * chance.chisquare(6, 20_000) / 6, np.full(20_000, 6.0))
    assert estimated.freedom == pytest.approx(10, rel=0.15)
    assert estimated.variance == pytest.approx(1.5, rel=0.05)
    assert estimated.at_most(8).freedom == 8
    assert estimated.at_most(80) == estimated


def test_few_models_are_believed_to_be_as_expected() -> None:
    assert prior(np.array([9.0]), np.array([5.0])) == Prior(4.0, 1.0)


def test_simes_by_hand() -> None:
    """0.01 * 3, 0.02 * 3 / 2, 0.9."""
    assert simes(np.array([0.9, 0.01, 0.02])) == pytest.approx(0.03)


def test_the_threshold_is_that_of_benjamini_and_hochberg() -> None:
    p_values = np.random.default_rng(1).uniform(size=300) ** 4
    adjusted = false_discovery_control(p_values)
    assert ((p_values <= threshold(p_values, 0.1)) == (adjusted <= 0.1)).all()


@pytest.mark.parametrize("p_values", [[], [0.5, 0.9]])
def test_nothing_found_is_no_threshold(p_values: list[float]) -> None:
    assert threshold(np.array(p_values), 0.05) == 0.0
