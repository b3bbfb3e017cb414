"""How surely one model is better than others."""

import math

from submissions.models import Score


def score(value: float, half: float) -> Score:
    """`half`: half the width of the interval, in log."""
    return Score(value=value, lower=value * math.exp(-half), upper=value * math.exp(half))


def test_equal_scores_are_as_good_as_each_other() -> None:
    assert score(100, 0.5).chances_against([score(100, 0.3)]) == [0.5]


def test_better_is_sure_when_intervals_are_far_apart() -> None:
    first, last = score(200, 0.1).chances_against([score(100, 0.1), score(300, 0.1)])
    assert first > 0.99 and last < 0.01


def test_nothing_is_compared_with_nothing() -> None:
    assert score(100, 0.5).chances_against([]) == []
