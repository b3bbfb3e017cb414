"""What cards say of a model when any of them may be odd."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm
from scipy.stats import t as student

from submissions.domain.judgement import odd_cards, robust
from submissions.domain.judgement.crowd import Expected
from submissions.domain.judgement.parameters import DEFAULTS

MARKET = Expected(np.zeros(1), np.array([4.0]))
SAME_SLOT = np.zeros(5, dtype=np.int64)
NEVER_ODD = replace(DEFAULTS, odd_cards=1e-30)


def judged(
    values, variance=0.04, parameters=DEFAULTS, alone=1.0, hidden=False, odds=0.0
) -> tuple[float, float]:
    """(mean, variance) of a model with these cards; market 0 with a spread of 0.5."""
    value = np.array(values, dtype=np.float64)
    precision = len(value) / variance
    near = Expected(np.array([np.median(value)]), np.array([precision + 4.0]))
    mean, unsure = odd_cards.posterior(
        odd_cards.Cards(
            np.zeros(len(value), dtype=np.int64),
            value,
            np.full(len(value), variance),
            np.ones(len(value)),
            np.full(len(value), alone),
            np.full(len(value), hidden),
            np.full(len(value), odds),
        ),
        near=near,
        market=MARKET,
        parameters=parameters,
    )
    return float(mean[0]), float(unsure[0])


def test_it_works() -> None:
    """Without odd cards: two cards of variance 0.04 weigh 50, the market 4."""
    mean, variance = judged([0.4, 0.6], parameters=NEVER_ODD)
    assert mean == pytest.approx(50 * 0.5 / 54, rel=1e-3)
    assert variance == pytest.approx(1 / 54, rel=1e-3)


@pytest.mark.parametrize("value", [-1.5, -0.8, 0.0, 0.7])
def test_one_card_is_weighed_as_the_integral_says(value: float) -> None:
    e, below, wide = DEFAULTS.odd_cards, DEFAULTS.odd_below, np.hypot(0.2, DEFAULTS.odd_spread)

    def density(m: float) -> float:
        odd = student.pdf((value - m + below) / wide, 3) / wide / student.pdf(0, 3) * norm.pdf(0)
        return norm.pdf(m, 0, 0.5) * ((1 - e) * norm.pdf(value, m, 0.2) + e * odd)

    total, first, second = (quad(lambda m, k=k: m**k * density(m), -5, 5, limit=200)[0] for k in (0, 1, 2))
    mean, variance = judged([value])
    assert mean == pytest.approx(first / total, abs=0.02)
    assert variance == pytest.approx(second / total - (first / total) ** 2, rel=0.12)


def test_the_only_card_far_below_what_is_usual_is_slow_or_odd() -> None:
    """Two humps: wider than either, and between them."""
    mean, variance = judged([-1.2])
    assert -1.1 < mean < -0.3
    assert variance > 0.06
    assert judged([1.2])[0] > 0.95


def test_of_many_cards_the_odd_one_is_seen() -> None:
    cards = [0.0, 0.05, -0.05, 0.02]
    assert judged([*cards, -2.0])[0] == pytest.approx(judged(cards)[0], abs=0.05)


def test_a_card_that_links_hid_is_at_least_so_good() -> None:
    """One at 0.4 or more: what is below is cut off from the market, but for the few who show what no card did."""
    floor = DEFAULTS.shown_more

    def density(m: float) -> float:
        return norm.pdf(m, 0, 0.5) * max(norm.sf(0.4, m, 0.2), floor)

    total, first = (quad(lambda m, k=k: m**k * density(m), -5, 5, limit=200)[0] for k in (0, 1))
    mean, _ = judged([0.4], hidden=True)
    assert mean == pytest.approx(first / total, abs=0.02)
    assert judged([-2.0], hidden=True)[0] == pytest.approx(0, abs=0.01), "that it does so little says nothing"


@pytest.mark.parametrize("numbers_at_once", [1, 9, 1000])
@pytest.mark.parametrize("hidden", [False, True])
def test_of_many_cards_a_few_points_at_a_time_are_the_same(
    monkeypatch: pytest.MonkeyPatch, numbers_at_once: int, hidden: bool
) -> None:
    whole = judged([0.3, 0.5, -0.9], hidden=hidden)
    monkeypatch.setattr(robust, "_AT_ONCE", numbers_at_once)
    assert judged([0.3, 0.5, -0.9], hidden=hidden) == whole


def test_one_who_claims_the_impossible_moves_little() -> None:
    """Three cards lie at 0; a fourth is said to have reached far more."""
    cards = odd_cards.Cards(
        np.zeros(4, dtype=np.int64),
        np.array([0.0, 0.0, 0.0, 2.0]),
        np.full(4, 0.04),
        np.ones(4),
        np.ones(4),
        np.arange(4) == 3,
        np.zeros(4),
    )
    near = Expected(np.zeros(1), np.array([79.0]))
    mean, _ = odd_cards.posterior(cards, near=near, market=MARKET, parameters=DEFAULTS)
    assert mean[0] == pytest.approx(0, abs=0.02)


def test_a_card_that_is_slow_in_all_it_does_is_odd() -> None:
    """Card 0 is at half of its model in four figures of five, card 1 in one, card 2 in none."""
    away = np.zeros((5, 3))
    away[1:, 0] = away[1, 1] = np.log(0.5)
    told = odd_cards.odds(away, np.full((5, 3), 0.01), SAME_SLOT, DEFAULTS)
    assert told[0, 0] > 3, "where it looks sound, the others say what it is"
    assert told[0, 1] < told[0, 0] and told[1, 1] < 0, "one slow figure among four good ones"
    assert (told[:, 2] < 0).all()


def test_a_figure_says_nothing_of_itself_nor_where_it_was_not_measured() -> None:
    away = np.array([[np.log(0.5), np.nan], [np.nan, np.nan]])
    told = odd_cards.odds(away, np.full((2, 2), 0.01), SAME_SLOT[:2], DEFAULTS)
    assert told[0].tolist() == [0, 0]
    assert told[1, 0] > 1 and told[1, 1] == 0


def test_another_kind_of_slot_says_nothing() -> None:
    away = np.full((3, 1), np.log(0.5))
    told = odd_cards.odds(away, np.full((3, 1), 0.01), np.array([0, 1, 0]), DEFAULTS)
    assert told[1] == 0 and told[0] == told[2] > 1


def test_what_is_known_to_be_odd_hardly_counts() -> None:
    usual, odd, sound = (judged([-0.6], odds=odds)[0] for odds in (0.0, 6.0, -2.0))
    assert sound < usual < odd < 0


def test_what_shares_a_host_counts_less() -> None:
    """Four cards that count a quarter each weigh as one does: 25 beside the 4 of the market."""
    mean, variance = judged([0.5] * 4, alone=0.25, parameters=NEVER_ODD)
    assert (mean, variance) == pytest.approx((12.5 / 29, 1 / 29), rel=0.02)


def test_that_all_cards_on_one_host_are_odd_is_as_unlikely_as_on_many() -> None:
    """Four cards at -1.2 on one host are no odder than the host is: nearly what they are when none can be odd."""
    assert judged([-1.2] * 4, alone=0.25)[0] == pytest.approx(
        judged([-1.2] * 4, alone=0.25, parameters=NEVER_ODD)[0], abs=0.1
    )
    assert judged([-1.2])[0] > judged([-1.2] * 4, alone=0.25)[0] + 0.1


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6))
def test_a_mean_lies_between_the_market_and_beyond_the_cards_by_no_more_than_oddness(values) -> None:
    mean, variance = judged(values)
    assert min(0.0, *values) - 0.1 < mean < max(0.0, *values) + DEFAULTS.odd_below + 0.2
    assert variance > 0


def test_what_is_taken_from_the_market_can_be_put_back() -> None:
    own, precision = odd_cards.without_market(
        np.array([0.3, 0.3]),
        np.array([0.1, 0.4]),
        Expected(np.zeros(2), np.full(2, 4.0)),
        middle=np.array([np.nan, np.nan]),
    )
    assert own * precision / (precision + 4) == pytest.approx([0.3, 0.3])
    assert precision[0] == pytest.approx(6.0)
    assert 0 < precision[1] < 0.1  # less sure than before: cards that contradict the market


def test_what_the_cards_say_lies_no_further_out_than_they_do() -> None:
    """A fast card that is either fast or a wonder: its figures may not add up to more than any of them shows."""
    mean, variance = np.array([1.3]), np.array([0.25])
    own, precision = odd_cards.without_market(
        mean, variance, Expected(np.zeros(1), np.full(1, 4.0)), middle=np.array([2.0])
    )
    assert own[0] == pytest.approx(2.2)
    assert own * precision / (precision + 4) == pytest.approx(mean)


def test_a_middle_nearer_than_the_mean_is_left_alone() -> None:
    args = np.array([1.3]), np.array([0.1]), Expected(np.zeros(1), np.full(1, 4.0))
    nearer = odd_cards.without_market(*args, middle=np.array([1.0]))
    assert nearer == odd_cards.without_market(*args, middle=np.array([np.nan]))
