"""Who is better, who cannot be told apart, and which variant a model is ranked by."""

import numpy as np
import pytest

from submissions.domain.judgement.comparison import bands, better, worst_substantial


def test_it_works() -> None:
    """1 apart, each known to 1 / sqrt 2: one standard deviation."""
    one = np.array([1.0]), np.array([0.5**0.5])
    assert better(*one, other_mean=np.zeros(1), other_sd=one[1])[0] == pytest.approx(0.841345, abs=1e-6)


def test_equals_are_even() -> None:
    assert better(np.zeros(1), np.ones(1), other_mean=np.zeros(1), other_sd=np.ones(1)).tolist() == [0.5]


def test_a_band_lasts_until_its_head_is_clearly_better() -> None:
    """With sd 0.1 each, 80 % takes 0.842 * sqrt 2 * 0.1 = 0.119."""
    mean = np.array([0.00, 1.00, 0.90, 0.87, 0.80])
    assert bands(mean, np.full(5, 0.1)).tolist() == [2, 0, 0, 1, 1]


def test_an_uncertain_model_shares_the_band_of_its_head() -> None:
    assert bands(np.array([1.0, 0.5, 0.4]), np.array([0.01, 2.0, 0.01])).tolist() == [0, 0, 1]


def test_no_models_have_no_bands() -> None:
    assert bands(np.zeros(0), np.zeros(0)).tolist() == []


def test_a_model_is_ranked_by_its_worst_variant_that_counts() -> None:
    """Of 20 cards 15 % are 3; the two odd ones do not count."""
    assert worst_substantial({7: 15, 8: 3, 9: 2}, {7: 1.0, 8: 0.5, 9: 0.1}) == 8


def test_without_cards_there_is_no_worst_variant() -> None:
    with pytest.raises(ValueError, match="without cards"):
        worst_substantial({}, {})
