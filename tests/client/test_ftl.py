"""The simulated card behaves as real cards were observed to behave."""

import random

from cardbench import ftl
from cardbench.ftl.pool import Pool
from hypothesis import given
from hypothesis import strategies as st

from tests.client.cards import KIB, MIB, MS, PLAIN, card

QUIET = card(noise=0.0, drift=0.0, position_spread=0.0, map_miss_ns=0.0)


def pool(linear: int | None, unordered: int | None, replacement: str = "lru") -> Pool:
    """Return a pool of open units without units left open by a previous user."""

    class Nothing(random.Random):
        def randint(self, a, b):
            return a

    return Pool(linear, unordered, replacement=replacement, chance=Nothing(1), units=1000)


def merges(of: Pool, writes: list[tuple[int, int]]) -> list[int]:
    """Return the number of merges caused by each write of 64 KiB, given as (unit, KiB inside it), in units of 4 MiB."""
    return [of.write(unit, inside * KIB, 64 * KIB, 4 * MIB)[1] for unit, inside in writes]


def test_it_works():
    the_card = ftl.Card(QUIET, 1)
    inside, across_page, across_block = (the_card.read(at, KIB) for at in (0, 16 * KIB - 512, 4 * MIB - 512))
    assert across_page - inside == PLAIN.page_step_ns
    assert across_block - across_page == PLAIN.erase_block_step_ns


def test_a_third_unit_closes_the_least_recently_used():
    assert merges(pool(2, 2), [(1, 0), (2, 0), (1, 64), (3, 0), (1, 128), (2, 64)]) == [0, 0, 0, 1, 0, 1]


def test_first_in_first_out_closes_the_oldest():
    assert merges(pool(2, 2, "fifo"), [(1, 0), (2, 0), (1, 64), (3, 0), (2, 64), (1, 128)]) == [
        0,
        0,
        0,
        1,
        0,
        1,
    ]


def test_a_unit_written_to_its_end_is_closed_for_nothing():
    whole = [(1, kib) for kib in range(0, 4096, 64)]
    assert merges(pool(1, 1), [*whole, (2, 0)]) == [0] * 65


def test_fewer_units_may_be_out_of_order():
    assert merges(pool(3, 1), [(1, 64), (2, 64), (3, 0), (4, 0)]) == [0, 1, 0, 0]
    assert merges(pool(3, 0), [(1, 64), (1, 256)]) == [1, 1]


def test_merges_wait_until_the_buffer_is_full():
    model = card(
        noise=0.0, drift=0.0, open_aus_linear=1, open_aus_random=1, merge_buffer_bytes=256 * KIB, fat_aus=0
    )
    the_card = ftl.Card(model, 1)
    the_card.write(100 * 4 * MIB, 64 * KIB)
    slow = [the_card.write(unit * 4 * MIB, 64 * KIB) > 100 * MS for unit in range(101, 109)]
    assert slow == [False, False, True, False, False, False, True, False]


def test_the_write_cache_fills_and_drains():
    the_card = ftl.Card(card(noise=0.0, drift=0.0, write_cache_bytes=4 * MIB, fat_aus=8), 1)
    times = [the_card.write(number * MIB, MIB) for number in range(6)]
    assert times[3] < times[4] == times[5]
    the_card.rest(60e9)
    assert the_card.write(0, MIB) == times[0]


def test_the_first_units_are_fast_whatever_is_open():
    the_card = ftl.Card(card(open_aus_linear=1, open_aus_random=0), 1)
    assert the_card.write(2 * 4 * MIB + 512 * KIB, 64 * KIB) > 100 * MS
    assert the_card.write(1 * 4 * MIB + 512 * KIB, 64 * KIB) < 20 * MS


@given(st.integers(0, 10**9))
def test_every_seed_is_a_card_that_makes_sense(seed):
    model = ftl.draw(seed)
    assert model.erase_block_bytes % model.page_bytes == 0
    assert model.size_bytes % (512 * KIB) == 0
    if model.open_aus_linear is not None:
        assert model.open_aus_random is not None
        assert 0 <= model.open_aus_random <= model.open_aus_linear
    assert model.write_cache_bytes < model.size_bytes // 4
    assert ftl.draw(seed) == model
