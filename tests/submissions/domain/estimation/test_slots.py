"""Tests of the limit that the bus of a slot sets: the faster a card is, the more certainly it reaches the limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.estimation.slots import apply_cap

NUMBERS = st.floats(-3, 3)


def limit_one(mean: float, sd: float, log_cap: float) -> tuple[float, float]:
    limited, spread = apply_cap(np.array([mean]), np.array([sd]), np.array([log_cap]))
    return float(limited[0]), float(spread[0])


@given(mean=NUMBERS, sd=st.floats(0.05, 1), log_cap=NUMBERS)
def test_it_works(mean: float, sd: float, log_cap: float) -> None:
    drawn = np.minimum(np.random.default_rng(1).normal(mean, sd, 40_000), log_cap)
    limited, spread = limit_one(mean, sd, log_cap)
    assert limited == pytest.approx(np.median(drawn), abs=0.02)
    assert limited - 1.96 * spread == pytest.approx(np.quantile(drawn, 0.025), abs=0.11)
    assert limited <= log_cap


def test_without_a_limit_nothing_changes() -> None:
    assert limit_one(2.0, 0.5, np.inf) == pytest.approx((2.0, 0.5))


def test_a_card_far_above_the_bus_surely_reaches_it() -> None:
    limited, spread = limit_one(4.0, 0.5, 0.0)
    assert limited == 0.0 and 0 < spread < 0.03
