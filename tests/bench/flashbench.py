"""Simulate flashbench and its documented procedure on a simulated card, with a rule in place of the human reader.

Access patterns as in flashbench (branch dev, 2019): `-a --blocksize=1024`, then `-O --blocksize=262144 --erasesize=E
--open-au-nr=N`, N = 1, 2, 3, … until the rate collapses, then the same with `-r`. flashbench itself has no rule. The
rule here takes the largest standardised drop for erase block and page, and calls a count collapsed when the smallest
blocks reach less than 40 % of the rate of the largest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, stdev

from cardbench.target.simulated import SimulatedEngine

KIB, MIB = 1024, 1024**2
_READ_BYTES, _WRITE_BYTES = KIB, 256 * KIB
_PLACES, _TRIES = 7, 8
_SPACING = 12  # erase blocks from one allocation unit to the next
COLLAPSED = 0.4
MOST_UNITS = 48  # a patient user


@dataclass(slots=True)
class Flashbench:
    """One measurement of a card in the way of flashbench, with the time and the written bytes that it takes."""

    engine: SimulatedEngine
    duration_ns: int = 0
    written_bytes: int = 0
    size_bytes: int = field(init=False)

    def __post_init__(self) -> None:
        self.size_bytes = self.engine.model.size_bytes

    def run(self) -> dict[str, int | None]:
        """Return erase block, page and open units as the rule finds them.

        None if there is no limit within MOST_UNITS.
        """
        erase_block_bytes, page_bytes = self._align()
        return {
            "erase_block_size": erase_block_bytes,
            "page_size": page_bytes,
            "open_au_linear": self._open_au(erase_block_bytes, scattered=False),
            "open_au_random": self._open_au(erase_block_bytes, scattered=True),
        }

    def _align(self) -> tuple[int, int]:
        diffs = self.align_table()
        return _largest_drop(diffs, MIB, 64 * MIB), _largest_drop(diffs, 4 * KIB, 128 * KIB)

    def align_table(self) -> dict[int, list[float]]:
        """Return how many ns longer a read across a boundary takes, at each of seven places, by alignment in bytes."""
        largest = _READ_BYTES
        while largest < self.size_bytes / _PLACES:
            largest *= 2
        aligns = [largest >> row for row in range((largest // _READ_BYTES).bit_length() - 1)]
        return {align: self._align_row(align, largest) for align in aligns}

    def _align_row(self, align_bytes: int, largest: int) -> list[float]:
        # on - (pre + post) / 2 at each place, from the fastest of eight tries.
        diffs = []
        for place in range(_PLACES):
            position = place * largest + align_bytes
            offsets = [position - _READ_BYTES, position - _READ_BYTES // 2, position]
            tries = [[self._read(offset) for offset in offsets] for _ in range(_TRIES)]
            pre, across, post = (min(times[column] for times in tries) for column in range(3))
            diffs.append(across - (pre + post) / 2)
        return diffs

    def _open_au(self, erase_block_bytes: int, *, scattered: bool) -> int | None:
        for units in range(1, MOST_UNITS + 1):
            rates = list(self.open_au_table(erase_block_bytes, units, scattered=scattered).values())
            if rates[-1] < COLLAPSED * rates[0]:
                return units - 1
        return None

    def open_au_table(self, erase_block_bytes: int, units: int, *, scattered: bool) -> dict[int, float]:
        """Return bytes per ns by block size, from large to small, with this many units written in turn."""
        return {
            length: self._open_au_row(erase_block_bytes, units, length, scattered=scattered)
            for length in _lengths(erase_block_bytes)
        }

    def _open_au_row(self, erase_block_bytes: int, units: int, length: int, *, scattered: bool) -> float:
        """Fill this many units, one block of each in turn; return bytes per ns."""
        slots = erase_block_bytes // length
        start_bytes = -(-16 * MIB // erase_block_bytes) * erase_block_bytes
        duration_ns = 0
        for slot in lfsr_order(slots) if scattered else range(slots):
            for unit in lfsr_order(units):
                # flashbench multiplies in 32 bits
                distance = unit * _SPACING * erase_block_bytes % 2**32
                duration_ns += self._write(start_bytes + distance + slot * length, length)
        self.duration_ns += duration_ns
        return units * erase_block_bytes / duration_ns

    def _read(self, position: int) -> int:
        position = min(position % self.size_bytes, self.size_bytes - _READ_BYTES)
        (duration_ns,) = self.engine.read(_READ_BYTES, [position])
        self.duration_ns += duration_ns
        return duration_ns

    def _write(self, position: int, length: int) -> int:
        self.written_bytes += length
        total_ns = 0
        while length:
            part = min(length, 16 * MIB)
            offset = min(position % self.size_bytes, self.size_bytes - part)
            total_ns += sum(self.engine.write(part, [offset], seed=0))
            position, length = position + part, length - part
        return total_ns


def _lengths(erase_block_bytes: int) -> Iterator[int]:
    length = erase_block_bytes
    while length >= _WRITE_BYTES:
        yield length
        length //= 2


def _largest_drop(diffs: dict[int, list[float]], low: int, high: int) -> int:
    """Return the alignment in bytes with the largest drop to the next smaller alignment, in standard errors."""
    rows = [align for align in diffs if low <= align <= high and align // 2 in diffs]
    return max(rows, key=lambda align: _standardise_drop(diffs[align], diffs[align // 2]))


def _standardise_drop(above: list[float], below: list[float]) -> float:
    error = (stdev(above) ** 2 + stdev(below) ** 2) ** 0.5 / len(above) ** 0.5
    return (fmean(above) - fmean(below)) / (error or 1.0)


def lfsr_order(count: int) -> list[int]:
    """Return the numbers 0 to count - 1, fewer than 256, in the order of flashbench's 8-bit register, with 0 last."""
    register, order = 0xE1, []
    for _ in range(255):
        register = register >> 1 | (register ^ register >> 2 ^ register >> 3 ^ register >> 4) % 2 << 7
        if register < count:
            order.append(register)
    return [*order, 0]
