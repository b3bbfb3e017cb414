"""Read and write a device within a budget of time and written bytes, and count the cost."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from cardbench.geometry.decide import lower_group_below
from cardbench.geometry.estimate import Spent
from cardbench.sizes import KIB, MIB, SECOND_NS
from cardbench.target.device import Timed
from cardbench.target.surface import Surface, nth

# File system structures such as the FAT are at the beginning of a card; units to write to are taken behind it.
_FIRST_UNIT_BYTES, _FIRST_UNIT = 64 * MIB, 8
_ATTEMPTS, _MANY_UNITS = 24, 200
_QUICKEST_FLASH_NS = 20_000  # a read of a real card takes at least five times as long
# Share of the card; if more seems empty, the slower reads are stalls, and no place is empty.
_MOST_EMPTY = 0.7
_WAITED, _ENOUGH_READS = 1.5, 300  # ratio to the other read of the same place; fewest reads for a share
_SPARSE_BYTES, _LOOKS = 64 * KIB, 64  # distance and number of the reads that look for empty places


@dataclass(frozen=True)
class Budget:
    """The most time and written bytes that a search for one quantity may take."""

    duration_s: float
    written_bytes: int = 0


@dataclass(frozen=True)
class Buffer:
    """The timing of merges that a card postpones."""

    calm_bytes: int  # bytes without a merge, after which none is due
    calm_after_merges_bytes: int  # the same, after some merges were done
    merge_ns: float


class GivenUp(Exception):
    """A search ended without a result; the message says why as a sentence."""

    code = "abstained"


class BudgetSpent(GivenUp):
    """The search for a quantity has used its budget of time or written bytes."""

    code = "time_budget"


class Probe:
    """Access to a device for searches, within a budget.

    It counts all operations, and remembers the areas written to.
    """

    def __init__(self, device: Timed, surface: Surface, *, seed: int, load: float = 0.0) -> None:
        """Create a probe of the reachable part of a device.

        `load` is the number of waiting processes per CPU of the host.
        """
        self.surface = surface
        self.load = load
        self.chance = random.Random(seed)
        self.spent = Spent()
        # Time of a fast write by its length in bytes, as soon as it is known.
        self.fast_writes_ns: dict[int, float] = {}
        self.merge_ns = 0.0  # extra time of closing a unit, as soon as it is known
        self.buffer: Buffer | None = None  # as soon as it is known
        self._device = device
        self._seed = seed
        self._limit = Spent()
        self._used: dict[tuple[int, int], None] = {}  # bounds of areas, in the order of their last use
        self._empty: float | None = None
        self._filled_share = 1.0
        self._reads, self._waits = 0, 0
        self.sample_bytes = max(KIB, 2 * surface.logical_block_bytes)

    def allow(self, budget: Budget) -> None:
        """Set a new budget, which counts from now on."""
        self._budget = budget
        self._limit = Spent(
            duration_ns=self.spent.duration_ns + round(budget.duration_s * SECOND_NS),
            written_bytes=self.spent.written_bytes + budget.written_bytes,
        )

    @contextmanager
    def limit_part(self, budget: Budget) -> Iterator[None]:
        """Limit the operations in a `with` block to a budget; the budget of the search as a whole does not change."""
        before = self._budget, self._limit
        self.allow(budget)
        try:
            yield
        finally:
            self._budget, self._limit = before

    def read(self, length_bytes: int, offsets_bytes: Sequence[int]) -> list[int]:
        """Read this many bytes at each offset, and return the times in ns. Raises BudgetSpent and EngineError."""
        self._check(0)
        times_ns = self._device.read(length_bytes, offsets_bytes)
        self._count(times_ns, read_bytes=length_bytes * len(offsets_bytes))
        return times_ns

    def write(self, length_bytes: int, offset_bytes: int) -> int:
        """Write one block, and return the time in ns. Raises BudgetSpent and EngineError."""
        self._check(length_bytes)
        times_ns = self._device.write(length_bytes, [offset_bytes], seed=self._seed)
        self._count(times_ns, written_bytes=length_bytes)
        return times_ns[0]

    def rest(self, seconds: float) -> None:
        """Leave the device idle for some seconds, and count them as spent."""
        self._device.rest(seconds)
        self._count([round(seconds * SECOND_NS)], operations=0)

    def measure_boundary(self, position: int) -> float | None:
        """Return how much longer a read across a position takes than beside it, as a difference of natural logarithms.

        Reads before, across and after the position follow in random order, so that drift cancels, after two reads
        nearby that fetch the card's map. All are done twice, and the quicker time of each place counts, because two
        stalls at the same place are rare. The slower of the reads beside the position is subtracted. The result is None
        for a place that was never written to: a read there accesses no flash, and shows nothing.
        """
        size = self.sample_bytes
        places = [position - size, position - size // 2, position]
        order = self.chance.sample(range(3), k=3)
        here = [places[index] for index in order]
        _, _, *first = self.read(size, [position - 4 * size, position + 3 * size, *here])
        second = self.read(size, here)
        self._watch(first, second)
        quicker_ns = [max(1, min(times)) for times in zip(first, second)]
        before, across, after = (math.log(quicker_ns[order.index(index)]) for index in range(3))
        if min(before, after) < self._empty_below():
            return None
        return across - max(before, after)

    @property
    def stalls(self) -> float:
        """Return the share of repeated reads that the card or the host slowed down in one of two attempts."""
        return self._waits / self._reads if self._reads >= _ENOUGH_READS else 0.0

    def _watch(self, first: Sequence[int], second: Sequence[int]) -> None:
        self._reads += len(first) + len(second)
        self._waits += sum(max(times) > _WAITED * max(1, min(times)) for times in zip(first, second))

    @property
    def filled_share(self) -> float:
        """Return the share of the places on this card that were ever written to.

        Raises GivenUp if reads access no flash at all.
        """
        self._empty_below()
        return self._filled_share

    def _empty_below(self) -> float:
        """Return the logarithm of the time in ns below which a read accesses no flash.

        It is minus infinity if no place is empty. Raises GivenUp if no read accesses any flash.
        """
        if self._empty is None:
            times_ns = self._read_at_random()
            if median(times_ns) < _QUICKEST_FLASH_NS:
                microseconds = median(times_ns) / 1000
                raise GivenUp(
                    f"A read takes {microseconds:.0f} µs: the data comes from memory, not from flash."
                )
            logs = [math.log(time_ns) for time_ns in times_ns]
            self._empty = lower_group_below(logs, most=_MOST_EMPTY)
            self._filled_share = sum(value >= self._empty for value in logs) / len(logs)
        return self._empty

    def _read_at_random(self) -> list[int]:
        # The times of reads at random places, away from boundaries, each after a first read nearby.
        numbers = self.surface.multiples(_SPARSE_BYTES, 8 * self.sample_bytes)
        count = sum(map(len, numbers))
        if not count:
            raise GivenUp(
                "The part of the card that can be read or written is too small to contain boundaries."
            )
        places = [nth(numbers, self.chance.randrange(count)) * _SPARSE_BYTES for _ in range(_LOOKS)]
        near = 2 * self.sample_bytes
        return [max(1, self.read(self.sample_bytes, [at + 2 * near, at + near])[1]) for at in places]

    def fresh_unit(self, unit_bytes: int) -> int:
        """Return the offset of a unit that was not written before in this survey, or of the unit written longest ago.

        If the device has many units, one in its first half is chosen as long as some of them are unused. Raises GivenUp
        if the device has no unit of this size.
        """
        units = self._units(unit_bytes)
        count = sum(map(len, units))
        if not count:
            raise GivenUp("The device is too small for units of this size.")
        first = count // 2 if count > _MANY_UNITS else count
        for among in [first] * _ATTEMPTS + [count] * _ATTEMPTS:
            start = nth(units, self.chance.randint(0, among - 1)) * unit_bytes
            if not any(start < end and begin < start + unit_bytes for begin, end in self._used):
                break
        else:
            start = next((begin for begin, end in self._used if end == begin + unit_bytes), start)
        self._used.pop((start, start + unit_bytes), None)
        self._used[start, start + unit_bytes] = None
        return start

    def has_unit(self, unit_bytes: int) -> bool:
        """Return whether the device has a unit of this size that may be written to."""
        return bool(self._units(unit_bytes))

    def _units(self, unit_bytes: int) -> list[range]:
        first = _first_unit(unit_bytes)
        reachable = (range(max(first, units.start), units.stop) for units in self.surface.units(unit_bytes))
        return [numbers for numbers in reachable if numbers]

    def _check(self, more_bytes: int) -> None:
        if self.spent.duration_ns >= self._limit.duration_ns:
            raise BudgetSpent(f"The result was not certain after {self._budget.duration_s:g} s.")
        if more_bytes and self.spent.written_bytes + more_bytes > self._limit.written_bytes:
            mib = self._budget.written_bytes // MIB
            raise BudgetSpent(f"The result was not certain after writing {mib:,} MiB.")

    def _count(
        self,
        times_ns: Sequence[int],
        *,
        read_bytes: int = 0,
        written_bytes: int = 0,
        operations: int | None = None,
    ) -> None:
        self.spent = Spent(
            self.spent.operations + (len(times_ns) if operations is None else operations),
            self.spent.read_bytes + read_bytes,
            self.spent.written_bytes + written_bytes,
            self.spent.duration_ns + sum(times_ns),
        )


def _first_unit(unit_bytes: int) -> int:
    # The first unit behind the FAT area, which is a few erase blocks of 32 MiB at most.
    return max(-(-_FIRST_UNIT_BYTES // unit_bytes), _FIRST_UNIT if unit_bytes <= 32 * MIB else 3)
