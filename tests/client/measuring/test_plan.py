"""The plan of a run says which access patterns run, at which offsets, and how much they write."""

import random

import pytest
from cardbench.measuring.cells import Cell
from cardbench.measuring.plan import (
    ALIGN_POSITIONS,
    align_positions,
    cells,
    stream_offsets,
    written_bytes,
)
from cardbench.measuring.suites import SUITES, Choice
from cardbench.measuring.workloads import TIMED
from cardbench.sizes import SECOND_NS, binary
from cardbench.target.surface import Surface
from hypothesis import given
from hypothesis import strategies as st

KIB, MIB, GIB = 1024, 1024**2, 1024**3


def surface(size_bytes=16 * GIB, *, block=512, write=False, boundaries=True) -> Surface:
    return Surface(size_bytes, block, may_write=write, shows_boundaries=boundaries)


def test_it_works():
    table = cells(Choice(), surface(write=True))
    assert [cell.title for cell in table[:8]] == [
        "sequential write, 1 MiB",
        "random write, 1 MiB",
        "sequential write, 4 KiB",
        "random write, 4 KiB",
        "sequential read, 1 MiB",
        "random read, 1 MiB",
        "sequential read, 4 KiB",
        "random read, 4 KiB",
    ]
    assert all(cell.repeats >= 3 for cell in table)


def test_nothing_is_written_unless_allowed():
    table = cells(Choice(), surface())
    assert {cell.direction for cell in table} == {"read"}
    assert written_bytes(table) == 0


def test_what_it_says_it_writes():
    table = cells(Choice(), surface(write=True))
    assert written_bytes(table) == 3 * (32 * MIB + 16 * MIB + 512 * 4 * KIB + 512 * 4 * KIB)


def test_a_slow_card_is_done_within_a_minute():
    streams = [cell for cell in cells(Choice(), surface(write=True)) if cell.workload == "stream"]
    aligns = [cell for cell in cells(Choice(), surface(write=True)) if cell.workload == "align"]
    slow_read_s = 2e-3  # Kingston SA04G on a BeagleBone: 1.7 ms
    stream_s = sum(cell.most_repeats * cell.budget_ns for cell in streams) / SECOND_NS
    align_s = sum(cell.repeats * ALIGN_POSITIONS * 5 * slow_read_s for cell in aligns)
    assert stream_s + align_s < 60


def test_aligns_are_powers_of_two_and_three_times_them():
    aligns = [cell.align_bytes for cell in cells(Choice(), surface()) if cell.align_bytes]
    assert {4 * KIB, 16 * KIB, 4 * MIB, 128 * MIB} <= set(aligns)
    assert {12 * KIB, 3 * MIB, 6 * MIB, 12 * MIB, 24 * MIB} <= set(aligns)
    assert aligns == sorted(aligns, reverse=True)


def test_a_file_system_hides_the_boundaries():
    assert not [cell for cell in cells(Choice(), surface(boundaries=False)) if cell.workload == "align"]


def test_large_sectors_need_large_blocks():
    aligns = [cell for cell in cells(Choice(), surface(block=4096)) if cell.workload == "align"]
    assert {cell.block_size_bytes for cell in aligns} == {8 * KIB}
    assert min(cell.align_bytes or 0 for cell in aligns) == 32 * KIB


SIZES = st.integers(min_value=32 * MIB // 512, max_value=2**40 // 512).map(lambda sectors: sectors * 512)


@given(SIZES, st.integers(0, 999).map(random.Random))
def test_align_reads_stay_on_the_device_and_on_their_own_boundary(size_bytes, chance):
    for cell in cells(Choice(), surface(size_bytes)):
        if not cell.align_bytes:
            continue
        positions = align_positions(cell, surface(size_bytes), chance)
        assert len(positions) == len(set(positions)) >= 4
        for position in positions:
            assert 4 * cell.block_size_bytes <= position <= size_bytes - 4 * cell.block_size_bytes
            number = position // cell.align_bytes
            assert position % cell.align_bytes == 0
            assert number % 2 == 1
            assert number % 3 or cell.align_bytes % 3 == 0


def test_align_positions_are_spread_over_the_device():
    cell = Cell("align", "read", KIB, 24, align_bytes=4 * MIB)
    positions = align_positions(cell, surface(), random.Random(1))
    assert len(positions) == ALIGN_POSITIONS
    assert [position // (2 * GIB) for position in positions] == list(range(8))


@given(
    SIZES,
    st.sampled_from(["sequential", "random"]),
    st.integers(0, 9),
    st.integers(0, 999).map(random.Random),
)
def test_streams_stay_in_their_window(size_bytes, order, repeat, chance):
    where = surface(size_bytes)
    offsets = stream_offsets(Cell("stream", "read", MIB, 64, order=order), where, repeat, chance)
    assert min(offsets) >= where.start_bytes
    assert max(offsets) + MIB <= where.start_bytes + where.span_bytes <= size_bytes
    assert len(offsets) == len(set(offsets))


def test_sequential_repeats_follow_each_other():
    cell = Cell("stream", "read", MIB, 64, order="sequential")
    first, second = (stream_offsets(cell, surface(), repeat, random.Random(1)) for repeat in (0, 1))
    assert first[0] == surface().start_bytes
    assert second[0] == first[-1] + MIB


@pytest.mark.parametrize(
    ("size_bytes", "text"), [(512, "512 B"), (4096, "4 KiB"), (3 * MIB, "3 MiB"), (1000, "1,000 B")]
)
def test_sizes_as_people_say_them(size_bytes, text):
    assert binary(size_bytes) == text


def test_the_suites_grow():
    quick, standard, full = (
        {cell.title for cell in cells(Choice(suite), surface(write=True))}
        for suite in ("quick", "standard", "full")
    )
    assert quick < standard < full
    assert "random read, 4 KiB, queue depth 32" in standard - quick
    assert {"chunk: random write, 1 KiB", "sync: sequential write, 4 KiB, osync"} <= full - standard
    assert "sequential write, 1 MiB, file of 1000 MiB, fsync at end" in full


def test_only_some_workloads_can_be_chosen():
    choice = Choice(workloads=("chunk", "sync"))
    table = cells(choice, surface(write=True))
    assert {cell.workload for cell in table} == {"chunk", "sync"}
    assert (choice.name, choice.geometry) == ("chunk+sync", False)
    assert Choice(workloads=("geometry",)).geometry


def test_without_io_uring_the_queue_is_left_out():
    shallow = Surface(16 * GIB, 512, may_write=True, shows_boundaries=False, max_queue_depth=1)
    assert {cell.queue_depth for cell in cells(Choice("full"), shallow)} == {1}


def test_a_file_larger_than_the_card_is_left_out_and_nothing_is_written_twice():
    table = cells(Choice("full"), surface(200 * MIB, write=True))
    assert [cell.length_bytes // MIB for cell in table if cell.is_whole_file] == [1, 10, 100]
    assert all(cell.length_bytes <= 200 * MIB for cell in table)


def test_our_own_file_is_as_long_as_needed():
    assert Choice().file_bytes == 256 * MIB
    assert Choice("full").file_bytes == 2048 * MIB
    assert Choice(workloads=("chunk",)).file_bytes == 256 * MIB


def test_every_timed_workload_is_a_row_and_has_cells():
    assert {cell.workload for cell in SUITES["full"].cells} == set(TIMED)
