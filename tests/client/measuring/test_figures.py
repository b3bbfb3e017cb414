"""Figures are computed from times; the expected values are worked out by hand."""

import pytest
from cardbench.measuring.figures import latencies, mode, rate_series, slowest_second, spread
from hypothesis import given
from hypothesis import strategies as st

MS, SECOND = 1_000_000, 1_000_000_000
TIMES = st.lists(st.integers(1, 5 * SECOND), min_size=1, max_size=60)


def test_it_works():
    # Four operations of 1000 bytes: half a second each, then one that stalls for a second.
    assert slowest_second(1000, [SECOND // 2, SECOND // 2, SECOND, SECOND // 2]) == pytest.approx(1000)
    assert slowest_second(1000, [SECOND // 4] * 8) == pytest.approx(4000)


def test_a_stall_of_two_seconds_is_said():
    assert slowest_second(1000, [SECOND // 10] * 10 + [2 * SECOND] + [SECOND // 10] * 10) == pytest.approx(
        500
    )


def test_less_than_a_second_has_no_slowest_one():
    assert slowest_second(1000, [MS] * 999) is None


@given(TIMES)
def test_no_second_is_slower_than_the_slowest_nor_faster_than_all(times):
    slowest = slowest_second(1000, times)
    if sum(times) >= SECOND:
        assert slowest is not None
        assert 0 <= slowest <= 1000 * len(times) * SECOND / sum(times) * 2 + 1e-6
        assert slowest >= 1000 * SECOND / max(times) * 0.999 or max(times) > SECOND / 2


def test_the_mode_is_where_most_of_them_are():
    assert mode([100, 200, 201, 202, 203, 400, 401]) == 201.5
    assert mode([7]) == 7


@given(TIMES)
def test_the_mode_lies_among_the_values(times):
    assert min(times) <= mode(times) <= max(times)


def test_a_thousandth_needs_a_thousand():
    assert "latency_p999" not in latencies([1] * 999)
    assert latencies([1] * 998 + [2, 3])["latency_p999"] == 2


def test_a_series_keeps_the_order_and_the_total():
    assert rate_series(1000, [SECOND, SECOND // 2, SECOND // 4], points=3) == [1000, 2000, 4000]
    assert rate_series(1000, [SECOND // 2] * 4, points=2) == [2000, 2000]


def test_the_spread_of_repeats():
    assert spread([90.0, 100.0, 120.0]) == 0.3
