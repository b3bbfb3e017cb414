"""Tests of the order of models: needs of a use, and ranks that are shared until a difference is likely."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.ranking.order import (
    NeedState,
    chance_of_better,
    judge_need,
    order_key,
    share_places,
)

A1_WRITES = math.log(500)


@pytest.mark.parametrize(
    ("value", "card_sd", "state"),
    [
        (4118, 0.4, "pass"),
        (46, 0.4, "fail"),
        (600, 0.4, "unclear"),
        (500, 0.4, "unclear"),
        (500, 0.0, "pass"),
    ],
)
def test_a_need_is_judged_by_one_card(value: float, card_sd: float, state: str) -> None:
    assert judge_need(math.log(value), card_sd, A1_WRITES) == state


def test_nobody_measured() -> None:
    assert judge_need(None, None, A1_WRITES) is NeedState.NOT_MEASURED


def test_a_card_that_the_link_held_back_does_not_fail() -> None:
    assert judge_need(math.log(22e6), 0.1, math.log(30e6), at_least=True) is NeedState.UNCLEAR
    assert judge_need(math.log(42e6), 0.1, math.log(30e6), at_least=True) is NeedState.PASS


def test_a_place_is_shared_while_the_first_is_not_surely_better() -> None:
    # P(first better than second) = .76, than third = .98
    means, sds = np.array([1.0, 0.9, 0.7]), np.full(3, 0.1)
    assert chance_of_better(1.0, 0.1, 0.9, 0.1) == pytest.approx(0.76, abs=0.01)
    assert share_places(means, sds, np.zeros(3, dtype=bool)).tolist() == [1, 1, 3]


def test_who_fails_shares_no_place_with_who_passes() -> None:
    means, sds = np.array([1.0, 1.0, 1.0]), np.full(3, 0.5)
    assert share_places(means, sds, np.array([False, True, True])).tolist() == [1, 2, 2]


def test_equal_and_sure_models_share_a_place() -> None:
    assert share_places(np.zeros(2), np.zeros(2), np.zeros(2, dtype=bool)).tolist() == [1, 1]


def test_no_models_have_no_places() -> None:
    assert share_places(np.array([]), np.array([]), np.array([], dtype=bool)).tolist() == []


models = st.lists(
    st.tuples(st.booleans(), st.floats(-3, 3), st.floats(0.001, 2)), min_size=1, max_size=40
).map(lambda rows: sorted(rows, key=lambda row: (row[0], -order_key(row[1], row[2]))))


@given(models)
def test_places_follow_the_order(rows: list[tuple[bool, float, float]]) -> None:
    failed, means, sds = (np.array(column) for column in zip(*rows, strict=True))
    places = share_places(means, sds, failed)
    assert places[0] == 1
    for at, place in enumerate(places.tolist()):
        first = place - 1
        # Sharing is an equivalence: every model is compared with the first of its place only.
        assert places[first] == place and failed[first] == failed[at]
        assert chance_of_better(means[first], sds[first], means[at], sds[at]) <= 0.8 + 1e-9
        if at and place != places[at - 1]:
            before = places[at - 1] - 1
            surely = chance_of_better(means[before], sds[before], means[at], sds[at]) >= 0.8 - 1e-9
            assert place == at + 1 and (surely or failed[before] != failed[at])
