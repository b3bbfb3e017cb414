"""Tests of small statistics with results calculated by hand: a missing result is None, never 0."""

from statistics import median

import pytest

from submissions.domain.measuring.normalize import relative_range


def test_it_works() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert relative_range([95.0, 100.0, 110.0]) == 0.15


def test_of_two_repeats_the_median_is_in_the_middle() -> None:
    assert median([1.0, 4.0]) == 2.5
    assert relative_range([1.0, 4.0]) == 1.2


def test_equal_repeats_have_no_spread() -> None:
    assert relative_range([7.0, 7.0, 7.0]) == 0.0


@pytest.mark.parametrize("values", [[], [5.0], [0.0, 0.0], [-2.0, -1.0], [-1.0, 1.0], [0.0, 0.0, 9.0]])
def test_where_no_spread_can_be_told_there_is_none(values: list[float]) -> None:
    assert relative_range(values) is None
