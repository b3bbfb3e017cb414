"""Write to several allocation units in turn, in an order of their blocks, and tell slow writes from usual ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from cardbench.geometry.probe import GivenUp, Probe
from cardbench.sizes import KIB, MIB, SECOND_NS

BLOCK_BYTES = 64 * KIB
UNKNOWN_UNIT_BYTES = 96 * MIB  # a multiple of every erase block
# Bytes of the smallest erase block, and the number of them that are written.
_UNKNOWN_ROOM_BYTES, _ROOMS = MIB, 16
_MS = SECOND_NS // 1000
MERGE_NS = 20 * _MS  # the least extra time of a merge; OLPC and flashbench measured 200 to 350 ms
_SHORTEST_MERGE = 0.4  # as a share of a merge that was measured before
_SLOWEST_BYTES_PER_S = 0.7e6  # a third of the speed that the slowest class of cards guarantees


class Exhausted(GivenUp):
    """No block of a unit remains that may be written in this order."""

    def __init__(self) -> None:
        super().__init__("The units are too small for this test.")


@dataclass
class Unit:
    """One allocation unit, and the offsets of the blocks still to be written, in reverse order."""

    blocks: list[int]

    def next_block(self) -> int:
        """Return the offset of the next block to write.

        Raises Exhausted if only the last block remains, because writing it would close the unit.
        """
        if len(self.blocks) < 2:
            raise Exhausted
        return self.blocks.pop()


@dataclass
class Writer:
    """Write blocks to allocation units in one order, and tell slow writes, which wait for a merge, from fast ones."""

    probe: Probe
    erase_block_bytes: int | None
    order: str  # sequential, random
    block_bytes: int = BLOCK_BYTES
    fast_ns: float = 0.0

    @property
    def rounds(self) -> int:
        """Return the number of blocks that can be written to a unit before it is full."""
        room_bytes = self.erase_block_bytes or _UNKNOWN_ROOM_BYTES
        return room_bytes // self.block_bytes - 1

    def choose_fresh(self) -> Unit:
        """Return a unit that was not written before in this survey. Raises GivenUp."""
        start = self.probe.fresh_unit(self.erase_block_bytes or UNKNOWN_UNIT_BYTES)
        count, rooms = self.rounds + 1, 1 if self.erase_block_bytes else _ROOMS
        firsts = range(start, start + rooms * count * self.block_bytes, count * self.block_bytes)
        orders = [(first, block_order(count, self.order, self.probe.chance)) for first in firsts]
        return Unit([first + number * self.block_bytes for first, order in orders for number in order][::-1])

    def write(self, unit: Unit) -> int:
        """Write the next block of a unit, and return the time in ns. Raises Exhausted before the last block."""
        return self.probe.write(self.block_bytes, unit.next_block())

    def write_on(self, unit: Unit) -> int:
        """Write the next block of a unit, even the last, and return the time in ns.

        A full unit is replaced by a fresh one.
        """
        duration_ns = self.probe.write(self.block_bytes, unit.blocks.pop())
        if unit.blocks:
            return duration_ns
        unit.blocks = self.choose_fresh().blocks
        return duration_ns + self.write(unit)

    def open(self) -> tuple[Unit, int]:
        """Open a fresh unit by writing its first block; return the unit and the time of this write in ns."""
        unit = self.choose_fresh()
        return unit, self.write(unit)

    def calibrate(self) -> None:
        """Measure the time of a fast write in order, unless it is known for this size of block. Raises GivenUp."""
        times_ns = self.probe.fast_writes_ns
        if self.block_bytes not in times_ns:
            in_order = Writer(self.probe, self.erase_block_bytes, "sequential", self.block_bytes)
            unit = in_order.choose_fresh()
            times = sorted(in_order.write(unit) for _ in range(min(12, in_order.rounds)))
            # A quarter, because more than half of the writes may wait for merges.
            times_ns[self.block_bytes] = times[len(times) // 4]
        self.fast_ns = times_ns[self.block_bytes]
        if self.fast_ns > self.block_bytes / _SLOWEST_BYTES_PER_S * SECOND_NS:
            raise GivenUp("Even sequential writes are so slow that slow ones do not stand out.")

    def is_slow(self, duration_ns: float) -> bool:
        """Return whether a write of this duration seems to have waited for a merge.

        A stall of the card may look the same.
        """
        merge_ns = max(MERGE_NS, _SHORTEST_MERGE * self.probe.merge_ns)
        return duration_ns > max(4 * self.fast_ns, self.fast_ns + merge_ns)

    def learn_merge(self, slow_ns: Sequence[int]) -> None:
        """Set the usual time of a merge from these slow writes; much quicker slow writes now count as stalls."""
        self.probe.merge_ns = median_low(slow_ns) - self.fast_ns


def block_order(count: int, order: str, chance: random.Random) -> list[int]:
    """Return the numbers of the blocks of a unit in the order of writing: "sequential" or "random".

    The random order never continues with the next block, and ends with block 0.
    """
    if order == "sequential":
        return list(range(count))
    even, odd = list(range(2, count, 2)), list(range(1, count, 2))
    chance.shuffle(even)
    chance.shuffle(odd)
    if even and len(odd) > 1 and odd[0] == even[-1] + 1:
        odd.reverse()
    return [*even, *odd, 0][:count]
