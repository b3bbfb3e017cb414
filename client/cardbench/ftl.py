"""A model of a flash card with a virtual clock: what an operation costs, not what is stored.

It knows three things that make cards what they are (Bergmann, "Optimizing Linux with cheap flash drives",
LWN 2011): reads that cross a page or an erase block cost a little more, only so many allocation units can be
written in turn, and the bus is a limit. All figures are invented, and lie where a mid-range microSD lies.
"""

import math
import random
from collections import OrderedDict
from dataclasses import dataclass

KIB, MIB = 1024, 1024**2
MS = 1_000_000
_SMALL_WRITE_BYTES = 64 * KIB


@dataclass(frozen=True, slots=True)
class CardModel:
    """The ground truth of one simulated card."""

    size_bytes: int
    erase_block_bytes: int
    page_bytes: int
    open_aus: int
    bus_bytes_per_s: float
    program_bytes_per_s: float
    read_command_ns: float
    write_command_ns: float
    page_step_ns: float
    erase_block_step_ns: float
    log_write_ns: float  # a small write out of order: into the log, and its share of the cleaning
    merge_ns: float  # closing an allocation unit that was not written to its end
    noise: float = 0.02  # standard deviation of the logarithm
    stall_chance: float = 1 / 1500
    stall_ns: float = 12 * MS


def draw(seed: int) -> CardModel:
    """A plausible card; the same seed is the same card."""
    choose = random.Random(f"card {seed}")

    def near(value: float, spread: float) -> float:
        return value * math.exp(choose.gauss(0, spread))

    erase_block_bytes = choose.choice((4, 4, 8, 12, 16)) * MIB
    return CardModel(
        size_bytes=_draw_size_bytes(choose),
        erase_block_bytes=erase_block_bytes,
        page_bytes=choose.choice((8, 16, 16, 32)) * KIB,
        open_aus=choose.choice((2, 3, 4, 5, 6, 8)),
        bus_bytes_per_s=min(near(44.5e6, 0.03), 47e6),
        program_bytes_per_s=near(21e6, 0.1),
        read_command_ns=near(0.30 * MS, 0.1),
        write_command_ns=near(0.35 * MS, 0.1),
        page_step_ns=near(0.035 * MS, 0.2),
        erase_block_step_ns=near(0.06 * MS, 0.2),
        log_write_ns=near(0.87 * MS, 0.15),
        merge_ns=near(erase_block_bytes / 250e6 * 1e9, 0.2),
    )


def _draw_size_bytes(choose: random.Random) -> int:
    """A nominal size less a few percent, in steps of 512 KiB, as a CSD of version 2 counts."""
    nominal_gb = choose.choice((16, 32, 32, 64))
    return int(nominal_gb * 1e9 * choose.uniform(0.97, 0.998)) // (8 * MIB) * (8 * MIB)


class Card:
    """A card at work. Every operation returns its cost in ns; one and the same history costs the same."""

    def __init__(self, model: CardModel, seed: int) -> None:
        self.model = model
        self._chance = random.Random(f"noise {seed}")
        self._open_aus: OrderedDict[int, int] = (
            OrderedDict()
        )  # number -> bytes written, least recently used first
        self._end_of_last_write = 0

    def read(self, offset_bytes: int, length_bytes: int) -> int:
        """Cost of a read in ns."""
        model = self.model
        cost_ns = model.read_command_ns + length_bytes / model.bus_bytes_per_s * 1e9
        last = offset_bytes + length_bytes - 1
        cost_ns += model.page_step_ns * (offset_bytes // model.page_bytes != last // model.page_bytes)
        cost_ns += model.erase_block_step_ns * (
            offset_bytes // model.erase_block_bytes != last // model.erase_block_bytes
        )
        return self._with_noise(cost_ns)

    def write(self, offset_bytes: int, length_bytes: int) -> int:
        """Cost of a write in ns. Large ones and those in sequence go to allocation units, others to a log."""
        model = self.model
        in_sequence = offset_bytes == self._end_of_last_write
        self._end_of_last_write = offset_bytes + length_bytes
        cost_ns = model.write_command_ns + length_bytes / model.program_bytes_per_s * 1e9
        if length_bytes < _SMALL_WRITE_BYTES and not in_sequence:
            return self._with_noise(cost_ns + model.log_write_ns)
        first = offset_bytes // model.erase_block_bytes
        last = (offset_bytes + length_bytes - 1) // model.erase_block_bytes
        share_bytes = length_bytes // (last - first + 1)
        cost_ns += sum(self._touch(unit, share_bytes) for unit in range(first, last + 1))
        return self._with_noise(cost_ns)

    def sync(self) -> int:
        """Cost of a flush in ns."""
        return self._with_noise(self.model.write_command_ns)

    def _touch(self, unit: int, written_bytes: int) -> float:
        """Opens an allocation unit; beyond the limit the least recently used one is closed by a merge."""
        self._open_aus[unit] = self._open_aus.pop(unit, 0) + written_bytes
        if len(self._open_aus) <= self.model.open_aus:
            return 0.0
        _, filled_bytes = self._open_aus.popitem(last=False)
        return 0.0 if filled_bytes >= self.model.erase_block_bytes else self.model.merge_ns

    def _with_noise(self, cost_ns: float) -> int:
        model = self.model
        if self._chance.random() < model.stall_chance:
            cost_ns += model.stall_ns
        return int(cost_ns * math.exp(self._chance.gauss(0, model.noise)))
