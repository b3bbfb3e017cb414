"""The statistical decisions turn numbers into verdicts; the expected values are worked out by hand."""

import math
import random
from itertools import pairwise

import pytest
from cardbench.geometry.boundaries import Multiples
from cardbench.geometry.decide import (
    Counts,
    Cusum,
    Levels,
    LevelTest,
    best_split,
    error_of_step,
    is_mixed,
    levels,
    scatter,
)
from cardbench.geometry.estimate import Estimate, abstain, conclude
from cardbench.geometry.units import block_order
from cardbench.target.surface import Surface
from hypothesis import given
from hypothesis import strategies as st

TWO_LEVELS = Levels(high=1.0, low=0.0, sigma=0.2)


def test_it_works():
    test = LevelTest(TWO_LEVELS, bound=7.5, gap=0.45)
    samples = 0
    while test.verdict is None:
        test.add(1.0)
        samples += 1
    assert test.verdict is True
    # distance 0.45 / 0.2 is limited to 2.0; the sample is 0.225 / 0.2 = 1.125 above the middle: 2.25 each
    assert samples == 4
    assert test.log_odds == pytest.approx(9.0)


@pytest.mark.parametrize(("sample", "verdict"), [(1.0, True), (0.9, True), (0.5, False), (0.0, False)])
def test_a_level_in_between_counts_as_lower(sample, verdict):
    test = LevelTest(TWO_LEVELS, bound=7.5, gap=0.45)
    for _ in range(100):
        test.add(sample)
    assert test.verdict is verdict


def test_one_outlier_decides_nothing():
    test = LevelTest(TWO_LEVELS, bound=7.5, gap=0.45)
    test.add(1e9)
    assert test.verdict is None


def test_a_sample_of_two_kinds_is_mixed():
    low = [0.0] * 200
    assert not is_mixed([1.0] * 160 + [0.0] * 40, low)  # 1 of 5 strayed, and none of the low ones
    assert is_mixed([1.0] * 140 + [0.0] * 60, low)
    assert is_mixed([1.0] * 200, [0.0] * 140 + [1.0] * 60)
    assert not is_mixed([1.0] * 7 + [0.0] * 3, low)  # too few to tell


def test_a_high_level_may_scatter_more_than_a_low_one():
    chance = random.Random(1)
    high, low = (
        [chance.gauss(middle, scatter) for _ in range(300)] for middle, scatter in ((1, 1.2), (0, 0.3))
    )
    assert not is_mixed(high, low)


def test_scatter_by_hand():
    # median 3, deviations 2 1 0 1 96, their median 1
    assert scatter([1, 2, 3, 4, 99]) == pytest.approx(1.4826)
    assert scatter([5, 5, 5]) > 0


def test_levels_by_hand():
    measured = levels([11, 12, 13], [1, 2, 3])
    assert (measured.high, measured.low, measured.step) == (12, 2, 10)
    assert measured.sigma == pytest.approx(1.4826)
    assert error_of_step(measured, 2) == pytest.approx(1.05 * 1.4826)


def test_a_stall_moves_a_level_by_its_clipped_share_only():
    # middle 3, scatter 1.4826: 1000 counts as 3 + 2.5 * 1.4826
    assert levels([1, 2, 3, 4, 1000], [1, 2, 3, 4, 5]).step == pytest.approx((2.5 * 1.4826 - 2) / 5)


def test_a_rise_for_good_is_noticed_and_a_spike_is_not():
    cusum = Cusum()
    assert not any(cusum.add(0.0) for _ in range(20))
    assert not cusum.add(5.0)
    assert not any(cusum.add(0.0) for _ in range(20))
    # from then on 0.3 - 0.1 each: more than 2.0 after the eleventh value, which rounding may delay by one
    assert [cusum.add(0.3) for _ in range(12)].index(True) in (10, 11)


@given(st.lists(st.floats(-0.05, 0.05), min_size=1, max_size=300))
def test_small_changes_raise_no_alarm(series):
    cusum = Cusum()
    assert not any(cusum.add(value) for value in series)


@given(st.integers(1, 60), st.integers(1, 60), st.floats(0.2, 0.9))
def test_the_best_split_is_where_the_level_changes(before, after, rise):
    split = best_split([0.0] * before + [rise] * after)
    assert split.index == before
    assert split.after - split.before == pytest.approx(rise)


def test_certainty_is_a_probability_and_never_more_than_is_known():
    assert conclude(1, 0, "").confidence == 0.5
    assert conclude(1, math.log(9), "").confidence == 0.9
    assert conclude(1, 100, "").confidence == 0.99


def test_an_abstention_has_no_value_and_is_no_fault_of_the_device():
    estimate = Estimate("page_size", "B", abstain("It cannot be seen."))
    assert (estimate.value, estimate.code, estimate.device_failed) == (None, "abstained", False)
    assert not Estimate("page_size", "B", conclude(4096, 9.0, "It is seen.")).device_failed
    assert Estimate("page_size", "B", abstain("gone", code="EIO")).device_failed


@given(st.integers(9, 25), st.sampled_from([None, True, False]), st.integers(0, 999))
def test_positions_are_of_their_class_and_on_the_device(exponent, three, seed):
    size_bytes, margin_bytes = 2**33, 4096
    surface = Surface(size_bytes, 512, may_write=False, shows_boundaries=True)
    position = Multiples(exponent, three).draw(random.Random(seed), surface, margin_bytes)
    odd, rest = divmod(position, 2**exponent)
    assert (rest, odd % 2) == (0, 1)
    assert three is None or (odd % 3 == 0) is three
    assert margin_bytes <= position <= size_bytes - margin_bytes


@given(st.integers(2, 400), st.integers(0, 999))
def test_a_random_order_never_goes_on_to_the_next_block(count, seed):
    order = block_order(count, "random", random.Random(seed))
    assert (sorted(order), order[-1]) == (list(range(count)), 0)
    if count > 4:
        assert all(after != before + 1 for before, after in pairwise(order))


def test_the_sequential_order_begins_at_the_beginning():
    assert block_order(4, "sequential", random.Random(1)) == [0, 1, 2, 3]


# Tests of the count of open units that explains postponed merges best.


def expect(closed_from: int, units: int, most: int = 8) -> list[tuple[int, int]]:
    """Return the least and the most merges that each count predicts: `units` below `closed_from`, and none above."""
    return [(units, units) if count < closed_from else (0, 0) for count in range(1, most + 1)]


def test_the_count_that_explains_the_merges_is_likeliest():
    counts = (
        Counts.all_alike(8, chance=-3.0).weigh_merges(0.0, expect(5, 4), 4).weigh_merges(3.8, expect(6, 4), 4)
    )
    assert counts.best == 5
    assert counts.log_odds > 4


def test_nothing_makes_a_merge_quicker_but_a_stall_may_look_like_one():
    before = Counts.all_alike(8, chance=-9.0)
    none, one = before.weigh_merges(0.0, expect(5, 1), 1), before.weigh_merges(1.0, expect(5, 1), 1)
    assert (none.best >= 5, one.best < 5) == (True, True)
    lost_without, lost_by_stall = -none.log_likelihoods[1], -one.log_likelihoods[5]
    assert lost_without > lost_by_stall > 3


def test_where_answers_contradict_each_other_chance_decides():
    counts = Counts.all_alike(8, chance=-3.0)
    for merges in (0.0, 2.0, 0.0, 2.0):
        counts = counts.weigh_merges(merges, expect(5, 2), 2)
    assert counts.best == 0
    assert 1 <= counts.best_but_chance <= 8
