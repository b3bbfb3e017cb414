"""One number for a purpose, from figures that inform each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from submissions.domain.judgement.composite import Expected, Figures, better, capped, expect, weigh
from tests.submissions.domain.judgement.small import PLAIN, composite

EVEN = np.array([1.0, 1.0])


def figures(*rows: tuple[tuple[float, float], ...], spread: float = 1.0) -> Figures:
    """Per model and figure (mean, precision); the market is at 0."""
    table = np.array(rows)
    return Figures(table[..., 0], table[..., 1], np.zeros(table.shape[:2]), np.full(table.shape[:2], spread))


def alike(rho: float) -> np.ndarray:
    """Correlations of two figures."""
    return np.array([[1.0, rho], [rho, 1.0]])


def scored(measured: Figures, rho: float = 0.0, weights=EVEN):
    return composite(measured, weights=weights, log_reference=np.zeros(2), rho=alike(rho), parameters=PLAIN)


def test_it_works() -> None:
    """Precision 3 beside the market's 1: means 3/4 and 3/2, variances 1/4; half of each."""
    score = scored(figures(((1.0, 3.0), (2.0, 3.0))))
    assert score.log_ratio[0] == pytest.approx(0.5 * 0.75 + 0.5 * 1.5)
    assert score.sd[0] == pytest.approx((2 * 0.25 * 0.25) ** 0.5)
    assert score.covered[0] == 2


def test_weights_are_shares_and_the_reference_is_taken_off() -> None:
    measured = figures(((1.0, 1e12), (2.0, 1e12)))
    score = composite(
        measured,
        weights=np.array([6.0, 2.0]),
        log_reference=np.array([0.5, 0.0]),
        rho=alike(0.0),
        parameters=PLAIN,
    )
    assert score.log_ratio[0] == pytest.approx(0.75 * 0.5 + 0.25 * 2)


def test_several_purposes_at_once_are_each_by_itself() -> None:
    measured = figures(((1.0, 3.0), (2.0, 0.0)), ((0.5, 8.0), (-1.0, 2.0)), ((0.0, 0.0), (0.0, 0.0)))
    expected = expect(measured, rho=alike(0.4))
    weights, references = np.array([[3.0, 1.0], [0.0, 2.0]]), np.array([[0.1, 0.2], [0.0, -0.3]])
    together = weigh(expected, weights=weights, log_reference=references)
    for purpose, (weight, reference) in enumerate(zip(weights, references, strict=True)):
        alone = weigh(expected, weights=weight, log_reference=reference)
        for column in ("log_ratio", "sd", "covered", "caution"):
            row = getattr(together, column)[purpose]
            assert row.tolist() == pytest.approx(getattr(alone, column).tolist())
    assert together.covered.tolist() == [[1, 2, 0], [0, 1, 0]]


def test_a_figure_nobody_measured_is_expected_from_the_other_one() -> None:
    """Known at -2 with correlation 0.5: expected at -1, variance 1 - 0.25."""
    measured = figures(((-2.0, 1e12), (np.nan, 0.0)))
    assert scored(measured, rho=0.0).log_ratio[0] == pytest.approx(-1.0)
    score = scored(measured, rho=0.5)
    assert score.log_ratio[0] == pytest.approx(-1.5)
    assert score.sd[0] == pytest.approx((0.25 * 0.75) ** 0.5, rel=1e-6)
    assert score.covered[0] == 1


def test_withholding_is_not_worth_while_unless_the_figure_is_desperate() -> None:
    """Expected at -0.5 give or take 0.866, and ranked 1.96 + 2 of these lower: only below -3.93 is it left out."""
    withheld = scored(figures(((-1.0, 1e9), (np.nan, 0.0))), rho=0.5)
    assert withheld.caution[0] == pytest.approx(2 * 0.5 * 0.75**0.5, rel=1e-6)
    for value, gains in ((-1.0, False), (-3.8, False), (-4.1, True)):
        whole = scored(figures(((-1.0, 1e9), (value, 1e9))), rho=0.5)
        assert (withheld.lower()[0] > whole.lower()[0]) == gains


def test_a_model_of_an_unknown_kind_is_less_certain() -> None:
    measured = figures(((1.0, 3.0), (2.0, 3.0)), ((1.0, 3.0), (2.0, 3.0)))
    score = scored(replace(measured, market_spread=np.array([[1.0, 1.0], [2.0, 2.0]])))
    assert score.sd[1] > score.sd[0]
    assert score.log_ratio[1] > score.log_ratio[0]


def test_a_model_that_was_measured_whole_needs_no_caution() -> None:
    score = scored(figures(((1.0, 3.0), (2.0, 3.0))))
    assert score.caution[0] == 0
    assert score.lower(z=1.0)[0] == pytest.approx(score.log_ratio[0] - score.sd[0])


def test_the_unit_of_a_figure_does_not_matter() -> None:
    measured = figures(((1.0, 3.0), (2.0, 3.0)))
    moved = replace(measured, own_mean=measured.own_mean + 7, market_mean=measured.market_mean + 7)
    score = composite(moved, weights=EVEN, log_reference=np.full(2, 7.0), rho=alike(0.3), parameters=PLAIN)
    assert score.log_ratio[0] == pytest.approx(scored(measured, rho=0.3).log_ratio[0])


def test_what_all_models_share_widens_every_score() -> None:
    whole = figures(((1.0, 3.0), (2.0, 3.0)))
    wide = composite(
        whole, weights=EVEN, log_reference=np.zeros(2), rho=alike(0.0), parameters=replace(PLAIN, level=0.1)
    )
    assert wide.sd[0] == pytest.approx(np.hypot(scored(whole).sd[0], 0.1))


def test_a_slot_lowers_what_is_expected_of_a_figure_that_it_limits() -> None:
    """Of min(m, 0) with m ~ N(0, 1): mean -1 / sqrt(2 pi), variance 1/2 - 1 / (2 pi); the other figure stays, and half
    of what the two share is lost."""
    expected = Expected(np.zeros((1, 2)), np.array([[[1.0, 0.4], [0.4, 1.0]]]), np.zeros((1, 2), dtype=bool))
    reached = capped(expected, np.array([0.0, np.inf]))
    assert reached.mean[0].tolist() == pytest.approx([-((2 * np.pi) ** -0.5), 0.0])
    assert reached.covariance[0].ravel().tolist() == pytest.approx([0.5 - 0.5 / np.pi, 0.2, 0.2, 1.0])


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 2.0))
def test_a_slot_anywhere_is_the_integral_over_the_normal(mean: float, cap: float, sd: float) -> None:
    draws = np.minimum(mean + sd * ndtri((np.arange(20_000) + 0.5) / 20_000), cap)
    expected = Expected(np.array([[mean]]), np.array([[[sd**2]]]), np.zeros((1, 1), dtype=bool))
    reached = capped(expected, np.array([cap]))
    assert reached.mean[0, 0] == pytest.approx(draws.mean(), abs=1e-3)
    assert reached.covariance[0, 0, 0] == pytest.approx(draws.var(), abs=2e-3)


def test_a_figure_far_beyond_the_slot_is_the_slot() -> None:
    """However far beyond, and then certain; one far below is as it was."""
    expected = Expected(
        np.array([[3.0, -9.0], [7.0, -9.0]]),
        np.full((2, 1, 1), 0.01) * np.eye(2),
        np.zeros((2, 2), dtype=bool),
    )
    reached = capped(expected, np.array([1.0, 1.0]))
    assert reached.mean == pytest.approx(np.array([[1.0, -9.0]] * 2))
    assert np.diagonal(reached.covariance[0]).tolist() == pytest.approx([0.0, 0.01])


def test_how_surely_one_is_better() -> None:
    """1 apart, each known to 1 / sqrt 2: one standard deviation."""
    sd = 0.5**0.5
    chances = better(1.0, sd, other_mean=np.array([0.0, 1.0, 2.0]), other_sd=np.full(3, sd))
    assert chances.tolist() == pytest.approx([0.841345, 0.5, 0.158655], abs=1e-6)
