"""Medians, sums and counts over groups of rows, where each group is a number from 0."""

import numpy as np

from submissions.domain.estimation.evidence import Floats, Index, Mask

# Wider numbers, such as ids, are numbered by themselves first, so that a key of several columns fits into 64 bits.
_WIDEST, _LARGEST_KEY = 2**31, 2**62


def number_rows(*columns: Index) -> tuple[Index, Index]:
    """Return the first position of each distinct row of a table, and for every row the number of its distinct row.

    A table is given as columns. Distinct rows are numbered in ascending order; values may be as large as ids.
    """
    key, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        number, width = _start_at_zero(column)
        if size * width > _LARGEST_KEY:
            key, size = _close_gaps(key)
        key, size = key * width + number, size * width
    _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    return first, of_row


def _start_at_zero(column: Index) -> tuple[Index, int]:
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    return _close_gaps(column) if high - low >= _WIDEST else (column - low, high - low + 1)


def _close_gaps(column: Index) -> tuple[Index, int]:
    values, number = np.unique(column, return_inverse=True)
    return number, len(values)


def find_starts(ascending: Index) -> Index:
    """Return the first position of each distinct number in an ascending array."""
    return np.flatnonzero(np.diff(ascending, prepend=-1))


def count_different(group: Index, number: Index, count: int) -> Index:
    """Return how many distinct numbers occur in each of `count` groups."""
    first, _ = number_rows(group, number)
    return np.bincount(group[first], minlength=count)


def find_medians(group: Index, values: Floats, count: int) -> Floats:
    """Return the median of each of `count` groups, which must have a value each.

    It does not depend on the order of the values.
    """
    number = np.bincount(group, minlength=count)
    return find_middles(values[np.lexsort((values, group))], np.cumsum(number) - number, number)


def find_middles(ascending: Floats, begin: Index, number: Index) -> Floats:
    """Return the median of each series of ascending values; any number for an empty series.

    A series has `number` values from position `begin` on.
    """
    padded = np.append(ascending, 0.0)  # for an empty series at the end
    low, high = (begin + np.maximum(number - odd, 0) // 2 for odd in (1, 0))
    middle: Floats = (padded[low] + padded[high]) / 2
    return middle


def add_up(group: Index, values: Floats | Index | Mask, count: int) -> Floats:
    """Return the sum of the values of each of `count` groups."""
    return np.bincount(group, weights=values, minlength=count).astype(np.float64, copy=False)
