"""Small robust statistics over groups. A group is a number from 0; arrays are of one length."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from submissions.domain.judgement import distributions

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Numbers of an array that is made in parts, for the sake of memory.
_AT_ONCE = 1_000_000
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)


def sums(group: Index, values: Floats, *, count: int) -> Floats:
    """Sum of each of `count` groups; 0 where there is nothing."""
    total: Floats = np.bincount(group, weights=values, minlength=count).astype(np.float64, copy=False)
    return total


def sums_of_rows(group: Index, rows: Floats, *, count: int) -> Floats:
    """Sums of the groups in each row: rows x groups."""
    place = group + count * np.arange(len(rows))[:, None]
    return sums(place.ravel(), rows.ravel(), count=count * len(rows)).reshape(len(rows), count)


def in_parts(rows: NDArray[Any], *, columns: int) -> list[NDArray[Any]]:
    """The rows cut into parts, each of few enough rows for arrays of so many columns."""
    parts = math.ceil(len(rows) * columns / _AT_ONCE)
    return np.array_split(rows, min(len(rows), max(1, parts)))


def counts(group: Index, *, count: int) -> Index:
    return np.bincount(group, minlength=count)


def numbered(left: Index, right: Index) -> tuple[Index, Index]:
    """The place where each different pair comes first, in the order of the pairs, and the number of each row's pair."""
    least = int(right.min(initial=0))  # what is not known has numbers below 0
    width = int(right.max(initial=0)) - least + 1
    _, first, number = np.unique(left * width + right - least, return_index=True, return_inverse=True)
    return first, number


def medians(group: Index, values: Floats, *, count: int) -> Floats:
    """Median of each group, nan where there is nothing. Does not depend on the order of the values."""
    return middles(values[np.lexsort((values, group))], counts(group, count=count))


def middles(ordered: Floats, number: Index) -> Floats:
    """Medians of groups that follow each other, each of so many values in ascending order."""
    first = np.cumsum(number) - number
    middle = np.full(len(number), np.nan)
    some = number > 0
    low, high = first + (number - 1) // 2, first + number // 2
    middle[some] = (ordered[low[some]] + ordered[high[some]]) / 2
    return middle


def weighted_medians(group: Index, values: Floats, weights: Floats, *, count: int) -> Floats:
    """Median of each group, nan where there is nothing, a value counting by its weight; of equal weights, `medians`."""
    order = np.lexsort((values, group))
    value, weight, of = values[order], weights[order], group[order]
    number = counts(group, count=count)
    first = np.cumsum(number) - number
    total = sums(group, weights, count=count)
    begins = np.concatenate([[0.0], np.cumsum(weight)])
    half = begins[first[of]] + total[of] / 2
    # The first value with half of the weight up to it, and the first with more than half.
    near = 1e-9 * np.maximum(total[of], 1e-12)
    low = sums(of, (begins[1:] < half - near).astype(np.float64), count=count).astype(np.int64)
    high = sums(of, (begins[1:] <= half + near).astype(np.float64), count=count).astype(np.int64)
    middle, some = np.full(count, np.nan), number > 0
    last = number - 1
    low, high = (first + np.minimum(places, last) for places in (low, high))
    middle[some] = (value[low[some]] + value[high[some]]) / 2
    return middle


def t_weight(squared: Floats, *, tail: float) -> Floats:
    """Weight of a residual with this square, in units of its variance: (nu + 1) / (nu + r²)."""
    return (tail + 1) / (tail + squared)


def hazard(distance: Floats) -> Floats:
    """phi(a) / (1 - Phi(a)) of the standard normal, far into both tails: how much higher a value known as
    "at least a" is expected (inverse Mills ratio; Tobin, Econometrica 26, 1958)."""
    ratio: Floats = np.exp(-0.5 * distance**2 - _HALF_LOG_TAU - distributions.log_ndtr(-distance))
    return ratio
