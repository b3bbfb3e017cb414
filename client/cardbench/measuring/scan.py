"""Read a whole card, in an order that covers it evenly at every moment, and record where it is bad or slow.

Blocks are read several at once, as a busy system does. Some of them are read once more, one at a time: a card that
returns other bytes then fails only under load, which sequential reading cannot show (raspberrypi/linux, issue 6349).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from cardbench.shapes import JsonDict, JsonMapping
from cardbench.sizes import KIB, SECOND_NS
from cardbench.target.device import Device
from cardbench.target.engine import FINAL_CODES, EngineError

BLOCK_BYTES = 256 * KIB
_AREAS = ("bad", "slow", "changed", "changed_in_queue")  # kinds of areas, fields of a scan
_MOST_AREAS = 10_000  # most areas of one kind in a report
DEPTH = 32
_GOLDEN_RATIO = (1 + math.sqrt(5)) / 2
_NEAR = 64
_VERIFIED_EACH, _VERIFIED_IN_A_HURRY = 2, 8  # every second block, or every eighth
_MOST_BAD = 32  # after this many bad blocks more of them tell nothing new
# The specification gives a card 100 ms to begin answering a read (SD Physical Layer, 4.6.2.1).
_SLOW_NS = 100_000_000
_SLOW_BATCH_NS = 300_000_000
_PACE = 101  # number of recent batches from which the usual time is taken
_REFUSALS = ("EINVAL", "E2BIG", "ERANGE", "EBADF", "ENOTSUP", "EPROTO")


class Clock:
    """A time budget, perhaps infinite, measured by the device's own time or the host's, whichever is longer."""

    def __init__(self, budget_s: float) -> None:
        self.budget_s, self.device_ns = budget_s, 0
        self._begin_s = time.monotonic()

    @property
    def spent_s(self) -> float:
        """Return the seconds of the budget that are used up."""
        return max(self.device_ns / SECOND_NS, time.monotonic() - self._begin_s)

    def is_over(self, share: float = 1.0) -> bool:
        """Return whether this share of the time budget is used up."""
        return self.spent_s >= self.budget_s * share


@dataclass(frozen=True)
class Grid:
    """The blocks of a device in the order in which a scan reads them, by multiples of the golden ratio.

    After any number of reads the blocks lie evenly: the gaps between them have at most three lengths (Steinhaus).
    """

    size_bytes: int
    block_bytes: int = BLOCK_BYTES

    @property
    def count(self) -> int:
        """Return the number of blocks; the last block ends with the device and may overlap the one before."""
        return -(-self.size_bytes // self.block_bytes)

    @cached_property
    def step(self) -> int:
        """Return the distance from one block to the next in the order of reading, in blocks.

        Near the golden ratio, the step with the smallest terms in its continued fraction leaves the smallest gaps
        (Niederreiter, "Random number generation and quasi-Monte Carlo methods", 1992, chapter 3).
        """
        ideal = round(self.count / _GOLDEN_RATIO)
        near = range(max(1, ideal - _NEAR), min(self.count, ideal + _NEAR) + 1)
        return min((step for step in near if math.gcd(step, self.count) == 1), key=self._largest_term)

    def _largest_term(self, step: int) -> int:
        larger, smaller, terms = self.count, step, []
        while smaller:
            terms.append(larger // smaller)
            larger, smaller = smaller, larger % smaller
        return max(terms)

    def places(self, first: int, last: int) -> list[int]:
        """Return the offsets in bytes of blocks `first` to `last` - 1 in the order of reading."""
        step, count = self.step, self.count
        return [self._offset(number * step % count) for number in range(first, min(last, count))]

    def _offset(self, block: int) -> int:
        return min(block * self.block_bytes, self.size_bytes - self.block_bytes)

    def places_inside(self, start: int, length: int) -> list[int]:
        """Return the offsets in bytes of the blocks that lie completely in an area."""
        end = -(-(start + length) // self.block_bytes)
        near = range(max(0, start // self.block_bytes), min(end, self.count))
        places = (self._offset(block) for block in near)
        return [place for place in places if start <= place <= start + length - self.block_bytes]

    def largest_gap_bytes(self, done: int) -> int:
        """Return the length of the longest part that is not read yet after `done` blocks in the order of reading."""
        places = sorted(self.places(0, done))
        ends = [0, *(place + self.block_bytes for place in places)]
        return max(begin - end for end, begin in zip(ends, [*places, self.size_bytes]))


@dataclass
class Scan:
    """The progress and findings of a scan; bad, slow and changed blocks are given by their offsets in bytes."""

    grid: Grid
    done: int = 0  # blocks, in the order of the grid
    verified: int = 0  # blocks that were read twice, in a queue and one at a time
    bad: list[int] = field(default_factory=list)
    slow: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)  # different bytes at each reading
    changed_in_queue: list[int] = field(default_factory=list)  # different bytes only in a queue, or errors
    depth: int = 1

    @property
    def share(self) -> float:
        """Return the part of the device that was read, from 0 to 1."""
        return self.done / self.grid.count

    @property
    def entry(self) -> JsonDict:
        """Return the scan as it is stored in a report, with areas as pairs of start and length in bytes."""
        block_bytes, size_bytes = self.grid.block_bytes, self.grid.size_bytes
        areas = {name: merge_areas(getattr(self, name), block_bytes)[:_MOST_AREAS] for name in _AREAS}
        return {
            "size_bytes": size_bytes,
            "block_bytes": block_bytes,
            "read_bytes": min(self.done * block_bytes, size_bytes),
            "largest_gap_bytes": self.grid.largest_gap_bytes(self.done),
            "verified_bytes": min(self.verified * block_bytes, size_bytes),
            "queue_depth": self.depth,
        } | {name: pairs for name, pairs in areas.items() if pairs}


def merge_areas(places: Iterable[int], block_bytes: int) -> list[list[int]]:
    """Return the areas that blocks form, as pairs of start and length in bytes; blocks that touch form one area."""
    areas: list[list[int]] = []
    for place in sorted(set(places)):
        if areas and place <= sum(areas[-1]):
            areas[-1][1] = place + block_bytes - areas[-1][0]
        else:
            areas.append([place, block_bytes])
    return areas


def resume(entry: JsonMapping, grid: Grid) -> Scan:
    """Return the scan from a report, so that it can be continued. Raise ValueError if the sizes differ from `grid`."""
    if (entry["size_bytes"], entry["block_bytes"]) != (grid.size_bytes, grid.block_bytes):
        raise ValueError("its scan is of a different card: the sizes differ")
    blocks = {
        name: [place for start, length in entry.get(name, ()) for place in grid.places_inside(start, length)]
        for name in _AREAS
    }
    done = -(-entry["read_bytes"] // grid.block_bytes)
    return Scan(grid, done, entry["verified_bytes"] // grid.block_bytes, depth=entry["queue_depth"], **blocks)


def read_all_over(
    device: Device,
    scan: Scan,
    clock: Clock,
    *,
    share: float,
    note: Callable[[], None] = lambda: None,
) -> None:
    """Continue a scan until this share of the time is used up, or everything is read.

    `note` is called after each batch. Raises EngineError if the device is gone.
    """
    scan.depth = min(DEPTH, device.max_queue_depth)
    pace_ns: list[int] = []
    first, may_end = scan.done, True
    while scan.done < scan.grid.count and not clock.is_over(share):
        has_time = _has_time(scan, clock, share, scan.done - first)
        with _discard_unless_whole(scan):
            places = scan.grid.places(scan.done, scan.done + DEPTH)
            sums = _read_batch(device, scan, places, clock, pace_ns)
            _verify(
                device, scan, sums, clock, [*sums][:: _VERIFIED_EACH if has_time else _VERIFIED_IN_A_HURRY]
            )
            scan.done += len(places)
        note()
        if len(scan.bad) >= _MOST_BAD and may_end:
            if math.isfinite(clock.budget_s) or find_end(scan):
                return
            may_end = False  # a bad block below a good one is not the end, and stays so


@contextmanager
def _discard_unless_whole(scan: Scan) -> Iterator[None]:
    """Discard the findings of a batch if it is not completed."""
    counts = {name: len(getattr(scan, name)) for name in _AREAS}
    try:
        yield
    except BaseException:
        for name, count in counts.items():
            del getattr(scan, name)[count:]
        raise


def _has_time(scan: Scan, clock: Clock, share: float, read: int) -> bool:
    # True if the rest can be read, and every second block of it twice, at the pace of the `read` blocks so far.
    rest = scan.grid.count - scan.done
    return clock.spent_s * 1.5 * rest / max(1, read) < clock.budget_s * share - clock.spent_s


def _read_batch(
    device: Device, scan: Scan, places: list[int], clock: Clock, pace_ns: list[int]
) -> dict[int, int]:
    # Returns the checksum of each block that could be read.
    try:
        elapsed_ns, sums = _sum(device, scan, places, clock, scan.depth)
    except EngineError as error:
        raise_unless_bad(error)
        return _read_in_turn(device, scan, places, clock)
    usual_ns = median(pace_ns[-_PACE:]) if len(pace_ns) > 4 else math.inf
    if elapsed_ns > max(3 * usual_ns, usual_ns + _SLOW_BATCH_NS):
        scan.slow += _find_slow(device, scan, places, clock)
    pace_ns.append(elapsed_ns)
    return dict(zip(places, sums))


def _read_in_turn(device: Device, scan: Scan, places: list[int], clock: Clock) -> dict[int, int]:
    """Read the blocks of a failed batch one at a time, and record the bad ones.

    If there are none, the queue is at fault, not the blocks.
    """
    sums: dict[int, int] = {}
    for place in places:
        try:
            sums[place] = _sum(device, scan, [place], clock, 1)[1][0]
        except EngineError as error:
            raise_unless_bad(error)
            scan.bad.append(place)
    if len(sums) == len(places):
        scan.changed_in_queue.append(places[0])
    return sums


def _verify(device: Device, scan: Scan, sums: dict[int, int], clock: Clock, places: Sequence[int]) -> None:
    # Read blocks once more, one at a time, and record those that differ.
    for place in places:
        try:
            again = _sum(device, scan, [place], clock, 1)[1][0]
            scan.verified += 1
            if again != sums[place]:
                is_steady = scan.depth > 1 and _sum(device, scan, [place], clock, 1)[1][0] == again
                (scan.changed_in_queue if is_steady else scan.changed).append(place)
        except EngineError as error:
            raise_unless_bad(error)
            scan.bad.append(place)


def _sum(device: Device, scan: Scan, places: list[int], clock: Clock, depth: int) -> tuple[int, list[int]]:
    # Returns the time in ns, and a checksum of each block.
    if scan.depth == 1:
        begin_ns = time.monotonic_ns()
        sums = device.sums(scan.grid.block_bytes, places)
        return time.monotonic_ns() - begin_ns, sums
    elapsed_ns, sums = device.run_queue("sum", scan.grid.block_bytes, places, depth=depth, seed=0)
    clock.device_ns += elapsed_ns
    return elapsed_ns, sums


def _find_slow(device: Device, scan: Scan, places: list[int], clock: Clock) -> list[int]:
    # Returns the blocks that take too long each of three times, because a card may clean up now and then.
    try:
        rounds = [[_sum(device, scan, [place], clock, 1)[0] for place in places] for _ in range(3)]
    except EngineError as error:
        raise_unless_bad(error)
        return []
    usual_ns = median(rounds[0])
    return [place for place, times in zip(places, zip(*rounds)) if min(times) > usual_ns + _SLOW_NS]


def raise_unless_bad(error: EngineError) -> None:
    """Raise the error again if the device is gone or refused the request.

    Such an error does not mean that a block is bad.
    """
    if error.code in (*FINAL_CODES, *_REFUSALS):
        raise error


def find_end(scan: Scan) -> tuple[int, int] | None:
    """Return the two offsets between which a device ends: all blocks read below are good, and all above are bad.

    The result is None if fewer than three blocks are bad, or if good and bad ones alternate.
    """
    bad = set(scan.bad)
    good = [place for place in scan.grid.places(0, scan.done) if place not in bad]
    if len(bad) < 3 or not good or max(good) > min(bad):
        return None
    return max(good) + scan.grid.block_bytes, min(bad)


def narrow_end(can_use: Callable[[int], bool], low: int, high: int, unit_bytes: int) -> int:
    """Return the first offset that cannot be used, by bisection between `low` and `high` to `unit_bytes`."""
    while high - low >= unit_bytes:
        middle = low + (high - low) // 2 // unit_bytes * unit_bytes
        low, high = (middle + unit_bytes, high) if can_use(middle) else (low, middle)
    return low
