"""Whether firmware revisions differ: by hand-computed values."""

import math

import pytest
from scipy.stats import ttest_ind

from submissions.domain.judgement.revisions import ALIKE, DIFFERS, UNKNOWN, difference

SLOW, FAST = [0.0, 0.1, -0.1, 0.0], [1.0, 1.1, 0.9]


def test_it_works() -> None:
    told = difference(FAST, SLOW, people=(2, 2))

    interval = ttest_ind(FAST, SLOW, equal_var=False).confidence_interval(0.95)
    assert told.state == DIFFERS and told.ratio == pytest.approx(math.e)
    assert (told.low, told.high) == pytest.approx((math.exp(interval.low), math.exp(interval.high)))


def test_what_is_surely_slower_differs_as_well() -> None:
    assert difference(SLOW, FAST, people=(2, 2)).state == DIFFERS


def test_what_is_surely_near_is_alike() -> None:
    assert difference([0.0, 0.01, 0.02], [0.0, 0.01, 0.03], people=(2, 2)).state == ALIKE
    assert difference([1.0] * 3, [1.0] * 3, people=(2, 2)).state == ALIKE


@pytest.mark.parametrize(
    ("ours", "people"), [(FAST[:2], (2, 2)), (FAST, (1, 2)), (FAST, (2, 1)), ([], (0, 2))]
)
def test_two_cards_or_one_person_tell_nothing(ours: list[float], people: tuple[int, int]) -> None:
    told = difference(ours, SLOW, people=people)
    assert (told.state, told.ratio) == (UNKNOWN, None)


def test_what_scatters_tells_nothing_and_says_how_little() -> None:
    told = difference([-2.0, 0.0, 2.5], SLOW, people=(2, 2))
    assert told.state == UNKNOWN and told.low is not None and told.low < 1


def test_of_many_comparisons_each_must_be_surer() -> None:
    narrow, wide = (difference(FAST, SLOW, people=(2, 2), comparisons=many) for many in (1, 100))
    assert narrow.high is not None and wide.high is not None and wide.high > narrow.high
