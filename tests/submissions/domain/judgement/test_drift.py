"""How much a figure changes in a year: only what changes within a card counts, and the interval holds its promise."""

import numpy as np
import pytest

from submissions.domain.judgement.drift import Drift, drift

Draw = np.random.Generator


def measured_again(draw: Draw, *, cards: int, yearly: float, apart: float = 0.0) -> Drift | None:
    """Cards of many levels, each tested two to five times within three years; each ages in its own way."""
    years, logs, card = [], [], []
    for number in range(cards):
        when = draw.uniform(0, 3, draw.integers(2, 6))
        slope = np.log(yearly) + draw.normal(0, apart)
        years += [*when]
        logs += [*(draw.normal(10, 1) + slope * when + 0.05 * draw.standard_t(4, len(when)))]
        card += [number] * len(when)
    index = np.array(card)
    return drift(np.array(years), np.array(logs), group=index, card=index, least_years=0.25)


def test_it_works() -> None:
    found = measured_again(np.random.default_rng(1), cards=40, yearly=0.8)
    assert found and found.cards == 40 and 2 < found.years < 3
    assert found.low < 0.8 < found.high and found.ratio == pytest.approx(0.8, rel=0.05)


@pytest.mark.parametrize(("cards", "apart"), [(4, 0.0), (6, 0.2), (20, 0.2)])
def test_the_interval_holds_the_truth_95_times_in_100(cards: int, apart: float) -> None:
    draw = np.random.default_rng(2)
    found = [measured_again(draw, cards=cards, yearly=0.9, apart=apart) for _ in range(300)]
    told = [one for one in found if one]
    assert len(told) > 100
    assert np.mean([one.low <= 0.9 <= one.high for one in told]) > 0.92


def test_faster_cards_measured_later_are_no_ageing() -> None:
    """Each card has its own level; one test of each says nothing of time."""
    when, card = np.arange(12.0), np.arange(12)
    assert drift(when, when, group=card, card=card, least_years=0.25) is None


def test_of_two_cards_nothing_is_said() -> None:
    assert measured_again(np.random.default_rng(1), cards=2, yearly=0.8) is None


def test_one_card_with_nearly_all_of_the_time_bears_no_interval() -> None:
    years, card = np.array([0, 10, 0, 0.1, 0, 0.1]), np.array([0, 0, 1, 1, 2, 2])
    assert drift(years, -years, group=card, card=card, least_years=0.25) is None


def test_weeks_are_no_years() -> None:
    years, card = np.tile([0, 0.1], 5), np.repeat(np.arange(5), 2)
    logs = np.tile([0, 0.01], 5) + np.repeat(np.arange(5.0), 2)
    assert drift(years, logs, group=card, card=card, least_years=0.25) is None


def test_nothing_is_nothing() -> None:
    none, nobody = np.array([]), np.array([], dtype=np.int64)
    assert drift(none, none, group=nobody, card=nobody, least_years=0.25) is None


def repeated(noise: float) -> Drift | None:
    """Two cards that bear nearly all of the time and one that bears some: two in effect."""
    years, card = np.array([0, 1, 2, 0, 1, 2, 0, 0.2]), np.array([0, 0, 0, 1, 1, 1, 2, 2])
    logs = noise * np.array([0.0, 0.3, -0.1, 0.2, 0.0, 0.5, 0.1, 0.2])
    return drift(years, logs, group=card, card=card, least_years=0.25)


def test_who_is_not_sure_of_a_factor_of_four_a_year_says_nothing() -> None:
    told = repeated(0.1)
    assert told and told.cards == 3
    noise = 0.1 / np.log(told.high / told.ratio)
    assert repeated(noise * np.log(3.99)) is not None
    assert repeated(noise * np.log(4.01)) is None
