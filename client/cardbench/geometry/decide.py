"""Sequential statistical decisions as pure functions of numbers.

Wald's sequential probability ratio test (1945), Page's CUSUM (1954), scale from the median absolute deviation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

_SIGMA_OF_MAD = 1.4826  # standard deviation of a normal distribution per median absolute deviation
_ERROR_OF_LEVEL = 1.05  # standard error of a clipped mean, relative to that of a plain mean
_SMALLEST_GAP = 0.07  # difference of two natural logarithms
_MIXED = 0.1  # share of the sample
_CLIP = 2.5  # standard deviations; a sample farther away counts as this far
NO_MERGE = 0.5  # a measured number of merges below this means none
_MERGE_SIGMA, _COUNT_SIGMA = 0.3, 0.15  # standard deviations in merges: of one merge, and of the count itself
# Log likelihoods if units close at random: per further unit if all are open, and if some are closed.
_ALL_OPEN, _SOME_CLOSED = -0.37, -0.65
# Log likelihoods of a stall that looks like a merge, and of an impossible number of merges.
_STALL, _LEAST_LIKELY = -2.5, -9.0


@dataclass(frozen=True)
class Levels:
    """Two levels of a quantity, and the standard deviation of one sample around its level."""

    high: float
    low: float
    sigma: float

    @property
    def step(self) -> float:
        """Return the difference between the high and the low level of the quantity."""
        return self.high - self.low


def scatter(values: Sequence[float]) -> float:
    """Return the standard deviation of values from their median absolute deviation, robust against outliers.

    Never 0.
    """
    middle = median(values)
    return max(1e-6, _SIGMA_OF_MAD * median(abs(value - middle) for value in values))


def levels(high: Sequence[float], low: Sequence[float]) -> Levels:
    """Return the two levels of a quantity from samples of each, as clipped means, with their common scatter."""
    sigma = math.sqrt((scatter(high) ** 2 + scatter(low) ** 2) / 2)
    return Levels(clipped_mean(high, sigma), clipped_mean(low, sigma), sigma)


def clipped_mean(values: Sequence[float], sigma: float) -> float:
    """Return the mean of values that are limited to 2.5 * `sigma` around the median.

    This is more exact than the median (Huber 1964).
    """
    middle, most = median(values), _CLIP * sigma
    return fmean(max(middle - most, min(middle + most, value)) for value in values)


def error_of_step(difference: Levels, pairs: int) -> float:
    """Return the standard error of the difference between two levels after this number of pairs of samples."""
    return _ERROR_OF_LEVEL * difference.sigma * math.sqrt(2 / pairs)


def is_mixed(high: Sequence[float], low: Sequence[float]) -> bool:
    """Return whether one of two samples is a mixture: part of it lies at the level of the other sample.

    Then many more of its values lie beyond the other's median than equally far on the opposite side. Noise puts as many
    values on either side, even if a high level scatters more than a low one, or favours the same side in both samples.
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
    """A sequential test whether samples are at the high level of `reference`, or lower by a part of its step.

    `gap` is this part. If it is below one half, a level in between counts as lower. `log_odds` grows with evidence for
    the high level; the test ends when it reaches `bound` in either direction.
    """

    def __init__(self, reference: Levels, *, bound: float, gap: float) -> None:
        gap *= reference.step
        self._distance = gap / reference.sigma
        self._center = reference.high - gap / 2
        self._sigma = reference.sigma
        self._bound = bound
        self.log_odds = 0.0

    def add(self, sample: float) -> None:
        """Add a sample to the evidence of the test."""
        standard = (sample - self._center) / self._sigma
        self.log_odds += min(self._distance, 2.0) * max(-_CLIP, min(_CLIP, standard))

    @property
    def verdict(self) -> bool | None:
        """Return whether the samples are at the high level; None while this is undecided."""
        return self.log_odds > 0 if abs(self.log_odds) >= self._bound else None


class Cusum:
    """A detector of a lasting rise of a series: a CUSUM of the excess of values over the median plus an allowance."""

    _ALLOWANCE, _CLIP, _THRESHOLD, _FIRST = 0.10, 0.5, 2.0, 8

    def __init__(self) -> None:
        self.values: list[float] = []
        self._sum = 0.0
        self._middle = 0.0

    def add(self, value: float) -> bool:
        """Add a value to the series, and return whether the series has risen for good."""
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
    """The best cut of a series into two parts: the index of the second part, and the median of each part."""

    index: int
    before: float
    after: float


def best_split(values: Sequence[float]) -> Split:
    """Return the least-squares cut of a series into two constant parts; outliers are clipped to 1 around the median."""
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
    """Return a threshold between a lower group of values and all others, or minus infinity if no gap is wide enough.

    The gap must be wide compared with the scatter of both groups. `most`: the largest share of the values that the
    lower group may have.
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
    """The log likelihood of each possible count of open units after the merges observed so far.

    Index 0 is the log likelihood that the card closes units at random, so that no count explains the merges.
    """

    log_likelihoods: tuple[float, ...]

    @classmethod
    def all_alike(cls, most: int, chance: float) -> Counts:
        """Return counts up to `most` that are equally likely.

        `chance` is the log likelihood that units close at random.
        """
        return cls((chance, *[0.0] * most))

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self.most + 1))

    @property
    def most(self) -> int:
        """Return the largest possible count of open units."""
        return len(self.log_likelihoods) - 1

    @property
    def best(self) -> int:
        """Return the likeliest count of open units; 0 if it is likelier that units close at random."""
        return self.log_likelihoods.index(max(self.log_likelihoods))

    @property
    def best_but_chance(self) -> int:
        """Return the likeliest count of open units, even if it is likelier that units close at random."""
        return max(self, key=lambda count: self.log_likelihoods[count])

    @property
    def log_odds(self) -> float:
        """Return the log odds of the likeliest explanation of the merges against all others together."""
        top = max(self.log_likelihoods)
        others = sum(math.exp(value - top) for value in self.log_likelihoods) - 1
        return -math.log(max(1e-9, others))

    def weigh_merges(self, merges: float, expected: Sequence[tuple[int, int]], units: int) -> Counts:
        """Return the counts with new likelihoods, after writing to this many units has taken `merges` merges.

        `expected`: for each count, the least and the most merges that it predicts. Of units that close at random, a few
        are sometimes all open at once, but many hardly ever.
        """
        chance, *counts = self.log_likelihoods
        chance += _ALL_OPEN * (units - 1) if merges < NO_MERGE else _SOME_CLOSED
        values = (value + _log_likelihood(merges, *range_) for value, range_ in zip(counts, expected))
        return Counts((chance, *values))


def _log_likelihood(merges: float, least: int, most: int) -> float:
    # Stalls may explain more merges than expected, because they take time, too; nothing explains fewer merges.
    expected = min(max(least, merges), most)
    more = merges - expected
    by_merges = -(more**2) / 2 / (_COUNT_SIGMA**2 + expected * _MERGE_SIGMA**2)
    by_stall = _STALL - more if more > 0 else _LEAST_LIKELY
    return max(by_merges, by_stall, _LEAST_LIKELY)
