"""Tests of the wear of a card by its readings, and its remaining life at the rate so far."""

import random
from typing import Any

import pytest

from submissions.domain.measuring import health
from submissions.domain.measuring.health import Wear
from submissions.domain.report import Reading


def read_wear(**readings: Any) -> Wear | None:
    return health.wear([Reading(name=name, value=value) for name, value in readings.items()])


def test_it_works() -> None:
    assert read_wear(life_used=12.0, life_used_step=0.01, power_cycles=9.0) == Wear(12, 0.01)
    assert read_wear(enduranceRemainLifePercent=99.97) == Wear(0.03)
    assert read_wear(life_used=0.0, life_used_step=10.0) == Wear(0, 10)
    assert read_wear(life_used=255.0) == Wear(255)


@pytest.mark.parametrize(
    "readings",
    [
        {},
        {"power_cycles": 9.0},
        {"life_used": "12 %"},
        {"life_used": -1.0},
        {"life_used": 256.0},
        {"enduranceRemainLifePercent": 655.35},
    ],
)
def test_what_tells_nothing(readings: dict[str, Any]) -> None:
    assert read_wear(**readings) is None


@pytest.mark.parametrize("step", [0.0, -1.0, 10.5, 50.0])
def test_a_step_that_cannot_be_counts_as_the_usual_one(step: float) -> None:
    assert read_wear(life_used=5.0, life_used_step=step) == Wear(5)


def test_too_little_is_no_rate() -> None:
    assert health.estimate_remaining_days([]) is None
    assert health.estimate_remaining_days([(10, Wear(1)), (16, Wear(50))]) is None
    assert health.estimate_remaining_days([(10, Wear(1)), (17, Wear(50))])


@pytest.mark.parametrize("later", [1, 9])
def test_a_card_that_counts_backwards_has_no_rate(later: float) -> None:
    assert health.estimate_remaining_days([(0, Wear(10)), (100, Wear(later))]) is None


def test_a_card_that_has_not_moved_lasts_at_least() -> None:
    left = health.estimate_remaining_days([(0, Wear(10)), (100, Wear(10))])
    assert left is not None
    assert (left.shortest, left.longest) == (pytest.approx(9000), None)


def test_a_card_beyond_its_promised_life_may_end_any_day() -> None:
    left = health.estimate_remaining_days([(0, Wear(101)), (100, Wear(104))])
    assert left is not None
    assert (left.shortest, left.longest) == (0, pytest.approx(50))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("step", [0.01, 1, 10])
def test_the_truth_lies_inside(seed: int, step: float) -> None:
    chance = random.Random(seed)
    rate, start = chance.uniform(0.02, 0.4), chance.uniform(0, 40)
    days = sorted(chance.uniform(0, 120) for _ in range(30))
    left = health.estimate_remaining_days(
        [(day, Wear(-(-(start + rate * day) // step) * step, step)) for day in days]
    )
    truth = (100 - start - rate * days[-1]) / rate
    assert left is not None
    assert left.shortest <= truth * 1.0001
    assert left.longest is None or truth <= left.longest * 1.0001
