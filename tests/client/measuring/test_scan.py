"""A scan covers a device evenly at every moment, and reports its progress correctly."""

from itertools import pairwise

from cardbench.measuring.scan import BLOCK_BYTES, Grid, Scan, find_end, merge_areas, narrow_end, resume
from hypothesis import given
from hypothesis import strategies as st

KIB = 1024
SIZES = st.integers(64, 40_000).map(lambda blocks: blocks * 4 * KIB)


def list_unread(grid: Grid, done: int) -> list[int]:
    """Return the lengths in bytes of the parts that were not read, determined sector by sector."""
    read = {
        at // (4 * KIB) + part for at in grid.places(0, done) for part in range(grid.block_bytes // (4 * KIB))
    }
    lengths, length = [0], 0
    for sector in range(grid.size_bytes // (4 * KIB)):
        length = 0 if sector in read else length + 4 * KIB
        lengths.append(length)
    return lengths


@given(SIZES)
def test_each_block_comes_once(size_bytes):
    grid = Grid(size_bytes)
    places = grid.places(0, grid.count)
    assert len(set(places)) == grid.count == len(places)
    assert all(0 <= place <= size_bytes - grid.block_bytes for place in places)
    assert grid.largest_gap_bytes(grid.count) == 0


@given(SIZES, st.floats(0, 1))
def test_the_largest_gap_is_true_at_every_moment(size_bytes, share):
    grid = Grid(size_bytes)
    done = int(share * grid.count)
    assert grid.largest_gap_bytes(done) == max(list_unread(grid, done))


@given(SIZES, st.floats(0.01, 1))
def test_no_gap_is_far_longer_than_the_others(size_bytes, share):
    grid = Grid(size_bytes)
    done = max(1, int(share * grid.count))
    assert grid.largest_gap_bytes(done) <= 3 * (size_bytes / done) + grid.block_bytes


@given(SIZES, st.floats(0, 1), st.lists(st.integers(0, 63), unique=True))
def test_a_scan_goes_on_where_a_report_ends(size_bytes, share, bad):
    grid = Grid(size_bytes)
    done = int(share * grid.count)
    places = sorted(set(grid.places(0, done)[:64]))
    scan = Scan(grid, done, done // 2, bad=sorted(places[at] for at in bad if at < len(places)), depth=32)
    again = resume(scan.entry, grid)
    assert again.entry == scan.entry
    assert abs(again.done - scan.done) <= 1


def test_an_endless_area_ends_with_the_device():
    grid = Grid(64 * 256 * KIB)
    assert grid.places_inside(-(2**62), 2**63) == sorted(grid.places(0, grid.count))


@given(st.lists(st.integers(0, 200)))
def test_areas_are_merged(blocks):
    places = [block * 256 * KIB for block in blocks]
    areas = merge_areas(places, 256 * KIB)
    inside = {at for start, length in areas for at in range(start, start + length, 256 * KIB)}
    assert inside == set(places)
    assert all(first[0] + first[1] < second[0] for first, second in pairwise(areas))


@given(st.integers(1, 5000), st.integers(0, 5000))
def test_an_end_is_found_to_one_block(first_bad, known_good):
    low = min(known_good, first_bad) * KIB
    assert narrow_end(lambda at: at < first_bad * KIB, low, 5001 * KIB, KIB) == first_bad * KIB


def test_no_part_of_a_scan_is_larger_than_the_device():
    grid = Grid(BLOCK_BYTES + 4 * KIB)
    entry = Scan(grid, grid.count, verified=grid.count).entry
    assert entry["verified_bytes"] == entry["read_bytes"] == grid.size_bytes


def test_bad_areas_here_and_there_are_no_end():
    grid = Grid(64 * 1024 * KIB)
    places = grid.places(0, 100)
    assert find_end(Scan(grid, 100, bad=places[::3])) is None
    assert find_end(Scan(grid, 100, bad=[max(places)])) is None
    behind = [place for place in places if place > grid.size_bytes // 2]
    ends = find_end(Scan(grid, 100, bad=behind))
    assert ends and ends[0] <= ends[1] == min(behind)
