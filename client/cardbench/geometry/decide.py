"""Sequential decisions, without any input or output: numbers in, verdicts out.

Wald's sequential probability ratio test (1945), Page's CUSUM (1954), scale from the median absolute deviation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

_SIGMA_OF_MAD = 1.4826  # of a normal distribution
_ERROR_OF_LEVEL = 1.05  # its standard error against that of a mean that nothing is clipped from
_SMALLEST_GAP = 0.07  # as a logarithm
_MIXED = 0.1  # of the sample
_CLIP = 2.5  # standard deviations one sample may count
NO_MERGE = 0.5  # merges: less are none
_MERGE_SIGMA, _COUNT_SIGMA = 0.3, 0.15  # of one merge, and of none, in merges
_ALL_OPEN, _SOME_CLOSED = -0.37, -0.65  # log likelihoods by chance: of each further unit, of one or several
# Log likelihoods: of a stall that looks like a merge, of an impossible number.
_STALL, _LEAST_LIKELY = -2.5, -9.0


@dataclass(frozen=True)
class Levels:
    """Two levels of a quantity, and the scatter of one sample around each."""

    high: float
    low: float
    sigma: float

    @property
    def step(self) -> float:
        """The difference between the high and the low level."""
        return self.high - self.low


def scatter(values: Sequence[float]) -> float:
    """Return the standard deviation, robust against a few outliers; never 0."""
    middle = median(values)
    return max(1e-6, _SIGMA_OF_MAD * median(abs(value - middle) for value in values))


def levels(high: Sequence[float], low: Sequence[float]) -> Levels:
    """Return the levels of two samples of the same scatter."""
    sigma = math.sqrt((scatter(high) ** 2 + scatter(low) ** 2) / 2)
    return Levels(clipped_mean(high, sigma), clipped_mean(low, sigma), sigma)


def clipped_mean(values: Sequence[float], sigma: float) -> float:
    """Return the mean with outliers clipped to a distance of the median: more exact than the median (Huber 1964)."""
    middle, most = median(values), _CLIP * sigma
    return fmean(max(middle - most, min(middle + most, value)) for value in values)


def error_of_step(difference: Levels, pairs: int) -> float:
    """Return the standard error of the step after this number of pairs."""
    return _ERROR_OF_LEVEL * difference.sigma * math.sqrt(2 / pairs)


def is_mixed(high: Sequence[float], low: Sequence[float]) -> bool:
    """Return whether a sample is mixed: many more values lie beyond the other's median than as far on the other side.

    Noise puts as many values at this distance on either side of their median, even if a high level scatters more than a
    low one; or more to one side, but then in both samples.
    """
    between = median(high) - median(low)
    skews = _skew(high, between), _skew(low, between)
    clear = _MIXED + min(len(high), len(low)) ** -0.5 / 2
    return abs(skews[0] - skews[1]) > clear and max(map(abs, skews)) > clear


def _skew(values: Sequence[float], far: float) -> float:
    middle = median(values)
    below = _share_above([-value for value in values], far - middle)
    return _share_above(values, middle + far) - below


def _share_above(values: Sequence[float], middle: float) -> float:
    return sum((value > middle) + (value == middle) / 2 for value in values) / len(values)


class LevelTest:
    """Decide by a sequential test whether samples are at the high level, or lower by `gap` of the step.

    With a gap below one half, a level in between counts as lower. `log_odds` grows for the high level; the test ends at
    `bound` in either direction.
    """

    def __init__(self, reference: Levels, *, bound: float, gap: float) -> None:
        gap *= reference.step
        self._distance = gap / reference.sigma
        self._center = reference.high - gap / 2
        self._sigma = reference.sigma
        self._bound = bound
        self.log_odds = 0.0

    def add(self, sample: float) -> None:
        """Add one sample to the test."""
        standard = (sample - self._center) / self._sigma
        self.log_odds += min(self._distance, 2.0) * max(-_CLIP, min(_CLIP, standard))

    @property
    def verdict(self) -> bool | None:
        """Whether the samples are at the high level; None if not known yet."""
        return self.log_odds > 0 if abs(self.log_odds) >= self._bound else None


class Cusum:
    """Detect a lasting rise of a series: sum the excess of its values over its median plus an allowance."""

    _ALLOWANCE, _CLIP, _THRESHOLD, _FIRST = 0.10, 0.5, 2.0, 8

    def __init__(self) -> None:
        self.values: list[float] = []
        self._sum = 0.0
        self._middle = 0.0

    def add(self, value: float) -> bool:
        """Add one value. Return whether the series has risen."""
        self.values.append(value)
        count = len(self.values)
        if count <= 64 or count % 64 == 0:
            self._middle = median(self.values)
        if count > self._FIRST:
            rise = max(-self._CLIP, min(self._CLIP, value - self._middle - self._ALLOWANCE))
            self._sum = max(0.0, self._sum + rise)
        return self._sum > self._THRESHOLD


@dataclass(frozen=True)
class Split:
    """The index where a series is best cut in two, and the medians of both parts."""

    index: int
    before: float
    after: float


def best_split(values: Sequence[float]) -> Split:
    """Return the least-squares cut of a series into two constant parts; outliers are clipped around the median."""
    middle = median(values)
    clipped = [max(middle - 1, min(middle + 1, value)) for value in values]
    total, count, before, best = sum(clipped), len(clipped), 0.0, (-1.0, 1)
    for index in range(1, count):
        before += clipped[index - 1]
        gain = before**2 / index + (total - before) ** 2 / (count - index)
        best = max(best, (gain, index))
    index = best[1]
    return Split(index, median(values[:index]), median(values[index:]))


def lower_group_below(values: Sequence[float], *, most: float = 1.0) -> float:
    """Return a value between a lower group and all others, if the gap is wide against both; else minus infinity.

    `most`: the largest share of all values that may be in the lower group.
    """
    ordered = sorted(values)
    fewest = max(3, len(ordered) // 20)
    cuts = range(fewest, min(len(ordered) - fewest, int(most * len(ordered))) + 1)
    gap, cut = max(((ordered[cut] - ordered[cut - 1], cut) for cut in cuts), default=(0.0, 0))
    if not gap:
        return -math.inf
    within = max(scatter(ordered[:cut]), scatter(ordered[cut:]))
    return (ordered[cut] + ordered[cut - 1]) / 2 if gap > max(_SMALLEST_GAP, 3 * within) else -math.inf


@dataclass(frozen=True)
class Counts:
    """The log likelihood of each count after the observed merges; count 0 means that chance closes units instead."""

    log_likelihoods: tuple[float, ...]

    @classmethod
    def all_alike(cls, most: int, chance: float) -> Counts:
        """Return the counts up to `most`, equally likely; `chance` is the log likelihood that chance decides."""
        return cls((chance, *[0.0] * most))

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self.most + 1))

    @property
    def most(self) -> int:
        """The largest count."""
        return len(self.log_likelihoods) - 1

    @property
    def best(self) -> int:
        """The likeliest count; 0 if chance is likelier than any."""
        return self.log_likelihoods.index(max(self.log_likelihoods))

    @property
    def best_but_chance(self) -> int:
        """The likeliest count, even if chance is likelier."""
        return max(self, key=lambda count: self.log_likelihoods[count])

    @property
    def log_odds(self) -> float:
        """The log odds of the likeliest answer against all others."""
        top = max(self.log_likelihoods)
        others = sum(math.exp(value - top) for value in self.log_likelihoods) - 1
        return -math.log(max(1e-9, others))

    def weigh_merges(self, merges: float, expected: Sequence[tuple[int, int]], units: int) -> Counts:
        """Return the counts with new likelihoods, after writing to this number of units took so many merges.

        `expected`: for each count, the least and the most merges that it predicts.
        If chance decides, a few units are sometimes all open at once, and many hardly ever.
        """
        chance, *counts = self.log_likelihoods
        chance += _ALL_OPEN * (units - 1) if merges < NO_MERGE else _SOME_CLOSED
        values = (value + _log_likelihood(merges, *range_) for value, range_ in zip(counts, expected))
        return Counts((chance, *values))


def _log_likelihood(merges: float, least: int, most: int) -> float:
    # Stalls add to the time of merges, and nothing makes merges quicker.
    expected = min(max(least, merges), most)
    more = merges - expected
    by_merges = -(more**2) / 2 / (_COUNT_SIGMA**2 + expected * _MERGE_SIGMA**2)
    by_stall = _STALL - more if more > 0 else _LEAST_LIKELY
    return max(by_merges, by_stall, _LEAST_LIKELY)
