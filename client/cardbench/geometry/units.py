"""Writing into several allocation units in turn: which block comes next, and what counts as slow."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from cardbench.geometry.probe import GivenUp, Probe
from cardbench.sizes import KIB, MIB, SECOND_NS

BLOCK_BYTES = 64 * KIB
UNKNOWN_UNIT_BYTES = 96 * MIB  # a multiple of every erase block
_UNKNOWN_ROOM_BYTES, _ROOMS = MIB, 16  # the smallest one, and as many of them as may be written
_MS = SECOND_NS // 1000
MERGE_NS = 20 * _MS  # a merge takes this much longer at least; OLPC and flashbench saw 200 to 350 ms
_SHORTEST_MERGE = 0.4  # of one that was seen before
_SLOWEST_BYTES_PER_S = 0.7e6  # a third of what the slowest class of cards promises


class Exhausted(GivenUp):
    """A unit has no block left to be written in this order."""

    def __init__(self) -> None:
        super().__init__("Units are too small for that.")


@dataclass
class Unit:
    """One allocation unit and the blocks that are still to be written, the next one last."""

    blocks: list[int]

    def next_block(self) -> int:
        """Offset of the next block, but for the last one, with which the unit would be closed. Raises Exhausted."""
        if len(self.blocks) < 2:
            raise Exhausted
        return self.blocks.pop()


@dataclass
class Writer:
    """Writes blocks into units, in one order, and knows what is fast."""

    probe: Probe
    erase_block_bytes: int | None
    order: str  # sequential, random
    block_bytes: int = BLOCK_BYTES
    fast_ns: float = 0.0

    @property
    def rounds(self) -> int:
        """How many blocks a unit takes before it is full."""
        room_bytes = self.erase_block_bytes or _UNKNOWN_ROOM_BYTES
        return room_bytes // self.block_bytes - 1

    def fresh(self) -> Unit:
        """A unit that was not written before."""
        start = self.probe.fresh_unit(self.erase_block_bytes or UNKNOWN_UNIT_BYTES)
        count, rooms = self.rounds + 1, 1 if self.erase_block_bytes else _ROOMS
        firsts = range(start, start + rooms * count * self.block_bytes, count * self.block_bytes)
        orders = [(first, block_order(count, self.order, self.probe.chance)) for first in firsts]
        return Unit([first + number * self.block_bytes for first, order in orders for number in order][::-1])

    def write(self, unit: Unit) -> int:
        """Time of writing the next block of a unit in ns. Raises Exhausted."""
        return self.probe.write(self.block_bytes, unit.next_block())

    def write_on(self, unit: Unit) -> int:
        """Write the next block, the last one too: a fresh unit takes the place of a full one, which costs nothing."""
        duration_ns = self.probe.write(self.block_bytes, unit.blocks.pop())
        if unit.blocks:
            return duration_ns
        unit.blocks = self.fresh().blocks
        return duration_ns + self.write(unit)

    def open(self) -> tuple[Unit, int]:
        """A fresh unit and the time of its first block."""
        unit = self.fresh()
        return unit, self.write(unit)

    def calibrate(self) -> None:
        """Learns what a fast write takes, from writing in order; once for each size of block. Raises GivenUp."""
        times_ns = self.probe.fast_writes_ns
        if self.block_bytes not in times_ns:
            in_order = Writer(self.probe, self.erase_block_bytes, "sequential", self.block_bytes)
            unit = in_order.fresh()
            times = sorted(in_order.write(unit) for _ in range(min(12, in_order.rounds)))
            times_ns[self.block_bytes] = times[len(times) // 4]  # more than half may wait for merges
        self.fast_ns = times_ns[self.block_bytes]
        if self.fast_ns > self.block_bytes / _SLOWEST_BYTES_PER_S * SECOND_NS:
            raise GivenUp("Even writes in order are too slow to tell slow ones from.")

    def is_slow(self, duration_ns: float) -> bool:
        """Whether a write had to wait for a merge; a stall of the card's own may look the same."""
        merge_ns = max(MERGE_NS, _SHORTEST_MERGE * self.probe.merge_ns)
        return duration_ns > max(4 * self.fast_ns, self.fast_ns + merge_ns)

    def learn_merge(self, slow_ns: Sequence[int]) -> None:
        """Takes these for merges: what is much quicker from now on is a stall."""
        self.probe.merge_ns = median_low(slow_ns) - self.fast_ns


def block_order(count: int, order: str, chance: random.Random) -> list[int]:
    """Numbers of blocks in a unit. The random order never goes on to the next block, and ends at 0."""
    if order == "sequential":
        return list(range(count))
    even, odd = list(range(2, count, 2)), list(range(1, count, 2))
    chance.shuffle(even)
    chance.shuffle(odd)
    if even and len(odd) > 1 and odd[0] == even[-1] + 1:
        odd.reverse()
    return [*even, *odd, 0][:count]
