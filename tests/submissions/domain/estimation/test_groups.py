"""Tests of statistics over groups: equal rows of integers get the same number, and each group has its own median."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.estimation.groups import count_different, find_medians, find_middles, number_rows

SMALL, IDS = st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)
ROWS = st.lists(st.tuples(SMALL, IDS, SMALL, IDS), max_size=30)


def columns_of(rows: list[tuple[int, ...]]) -> list[Any]:
    return list(np.array(rows, dtype=np.int64).reshape(-1, 4).T)


@given(rows=ROWS)
def test_it_works(rows: list[tuple[int, ...]]) -> None:
    first, number = number_rows(*columns_of(rows))
    ascending = sorted(set(rows))
    assert [ascending[at] for at in number.tolist()] == rows
    assert [rows[at] for at in first.tolist()] == ascending
    assert first.tolist() == [rows.index(row) for row in ascending]


def test_many_wide_columns_fit_into_one_key() -> None:
    wide = np.arange(0, 2**31, 2**20)
    first, number = number_rows(wide, wide[::-1], wide, wide)
    assert (len(first), number.tolist()) == (len(wide), list(range(len(wide))))


def test_different_numbers_are_counted_by_group() -> None:
    group, number = np.array([0, 0, 2, 2, 2]), np.array([7, 7, 2**60, -1, 2**60])
    assert count_different(group, number, 4).tolist() == [1, 0, 2, 0]


@given(groups=st.lists(st.lists(st.floats(-9, 9), min_size=1, max_size=6), min_size=1, max_size=5))
def test_a_median_is_that_of_its_group(groups: list[list[float]]) -> None:
    group = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    order = np.random.default_rng(0).permutation(len(group))
    values = np.concatenate(groups)
    medians = find_medians(group[order], values[order], len(groups))
    assert medians.tolist() == pytest.approx([float(np.median(values)) for values in groups])


def test_an_empty_series_at_the_end_is_no_error() -> None:
    ascending, begin, number = np.array([1.0, 3.0]), np.array([0, 2]), np.array([2, 0])
    assert find_middles(ascending, begin, number)[0] == 2.0
