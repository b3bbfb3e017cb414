"""Whether cards of two firmware revisions differ in a figure: Welch's t (1947) on one logarithm a card."""

import math
from collections.abc import Collection, Sequence

import numpy as np
from msgspec import Struct

from submissions.domain.judgement import distributions

DIFFERS, ALIKE, UNKNOWN = "differs", "alike", "cannot tell"
LEAST_CARDS = 3
LEAST_PEOPLE = 2
_INTERVAL = 0.95
# Nobody feels less.
_ALIKE_WITHIN = math.log(1.25)


class Difference(Struct, frozen=True, kw_only=True):
    """Of a revision to another: how many times as good, with its interval; None of too few cards or people. `state`:
    "differs", "alike" (surely within a factor of 1.25), or "cannot tell"."""

    state: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


def difference(
    ours: Sequence[float], others: Sequence[float], *, people: tuple[int, int], comparisons: int = 1
) -> Difference:
    """Of natural logs, one a card, more is better. `people`: on each side; `comparisons`: made side by side, by which
    the interval is widened (Bonferroni), so that of 100 such tables 5 see a difference where there is none."""
    if min(len(ours), len(others)) < LEAST_CARDS or min(people) < LEAST_PEOPLE:
        return Difference(state=UNKNOWN)
    at = float(np.mean(ours) - np.mean(others))
    half = _half_width(ours, others, (1 - _INTERVAL) / comparisons)
    low, high = at - half, at + half
    ratio, least, most = map(math.exp, (at, low, high))
    return Difference(state=_state(low, high), ratio=ratio, low=least, high=most)


def _half_width(ours: Sequence[float], others: Sequence[float], level: float) -> float:
    sides = [(float(np.var(side, ddof=1)) / len(side), len(side) - 1) for side in (ours, others)]
    total = sum(variance for variance, _ in sides)
    if total == 0:
        return 0.0
    freedom = total**2 / sum(variance**2 / degrees for variance, degrees in sides)
    return float(math.sqrt(total) * distributions.stdtrit(freedom, 1 - level / 2))


def _state(low: float, high: float) -> str:
    if max(-low, high) < _ALIKE_WITHIN:
        return ALIKE
    return DIFFERS if low > 0 or high < 0 else UNKNOWN


def middle(values: Collection[float]) -> float:
    return float(np.median(list(values)))
