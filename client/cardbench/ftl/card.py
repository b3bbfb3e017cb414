"""A simulated card with its history: every operation returns its duration in ns and moves the virtual clock."""

from __future__ import annotations

import math
import random

from cardbench.ftl.model import FlashModel
from cardbench.ftl.pool import Pool

_READ_STALL_SHARE = 0.1  # of a read, as a share of the chance of a stall of a write


class Card:
    """One simulated specimen of a card model.

    The same operations in the same order always take the same time.
    """

    def __init__(self, model: FlashModel, seed: int) -> None:
        self.model = model
        self._chance = random.Random(f"noise {seed}")
        self._clock_ns = 0.0
        self._places = seed
        self._pool = Pool(
            model.open_aus_linear,
            model.open_aus_random,
            replacement=model.replacement,
            chance=self._chance,
            units=model.size_bytes // model.erase_block_bytes,
        )
        self._map: dict[int, None] = {}
        self._cached_bytes = 0.0
        self._postponed_ns, self._postponed_bytes = 0.0, 0
        self._end_of_last_write = -1

    def read(self, offset_bytes: int, length_bytes: int) -> int:
        """Return the duration of a simulated read in ns."""
        model = self.model
        cost_ns = length_bytes / model.bus_bytes_per_s * 1e9
        cost_ns += model.read_command_ns + self._boundary_ns(offset_bytes, offset_bytes + length_bytes - 1)
        cost_ns += self._map_ns(offset_bytes // model.map_region_bytes)
        cost_ns = self._with_noise(cost_ns, stall_chance=model.stall_chance * _READ_STALL_SHARE)
        self._drain(cost_ns)
        return int(cost_ns)

    def write(self, offset_bytes: int, length_bytes: int) -> int:
        """Return the duration of a simulated write in ns.

        Small writes out of order may go to a log, others to allocation units.
        """
        model = self.model
        in_sequence = offset_bytes == self._end_of_last_write
        self._end_of_last_write = offset_bytes + length_bytes
        gathered = in_sequence and model.gathers_writes
        cost_ns = model.write_command_ns + self._program_ns(offset_bytes, length_bytes, gathered=gathered)
        if length_bytes < model.log_below_bytes and not in_sequence:
            return int(self._with_noise(cost_ns + model.log_write_ns, stall_chance=model.stall_chance))
        extra_ns = self._allocation_ns(offset_bytes, length_bytes)
        return int(self._with_noise(cost_ns, stall_chance=model.stall_chance) + extra_ns)

    def sync(self) -> int:
        """Return the duration of a flush of the card's cache in ns."""
        return int(self._with_noise(self.model.write_command_ns, stall_chance=0))

    def rest(self, duration_ns: float) -> None:
        """Advance the virtual clock without an operation, so that the card can empty its write cache."""
        self._clock_ns += duration_ns
        self._drain(duration_ns)

    def _boundary_ns(self, first: int, last: int) -> float:
        model, page = self.model, self.model.page_step_bytes
        if first // page == last // page:
            return 0.0
        step_ns = model.page_step_ns
        half = model.erase_block_bytes // 2
        if first // half != last // half:
            whole = last // half % 2 == 0
            step_ns += model.erase_block_step_ns * (1.0 if whole else model.half_step)
        return step_ns * self._step_factor(last // page)

    def _step_factor(self, place: int) -> float:
        return 1 + self.model.position_spread * math.sqrt(12) * (self._chance_of(place) - 0.5)

    def _chance_of(self, place: int) -> float:
        # A number between 0 and 1 that depends only on the place, so that a place of this specimen never changes.
        mixed = (place * 0x9E3779B97F4A7C15 + self._places * 0xBF58476D1CE4E5B9) % 2**64
        return mixed / 2**64

    def _map_ns(self, region: int) -> float:
        missing = region not in self._map
        self._map.pop(region, None)
        self._map[region] = None
        if len(self._map) > self.model.map_regions:
            del self._map[next(iter(self._map))]
        return self.model.map_miss_ns if missing else 0.0

    def _program_ns(self, offset_bytes: int, length_bytes: int, *, gathered: bool) -> float:
        # Whole pages are programmed unless writes are gathered. Programming is quicker while the write cache has room.
        model = self.model
        first = offset_bytes // model.page_bytes
        pages = (offset_bytes + length_bytes - 1) // model.page_bytes - first + 1
        programmed_bytes = length_bytes if gathered else pages * model.page_bytes
        cost_ns = programmed_bytes / model.program_bytes_per_s * 1e9
        if self._cached_bytes + length_bytes > model.write_cache_bytes:
            return cost_ns
        self._cached_bytes += length_bytes
        return max(cost_ns / model.write_cache_gain, length_bytes / model.bus_bytes_per_s * 1e9)

    def _drain(self, duration_ns: float) -> None:
        drained_bytes = duration_ns / 1e9 * self.model.cache_drain_bytes_per_s
        self._cached_bytes = max(0.0, self._cached_bytes - drained_bytes)

    def _allocation_ns(self, offset_bytes: int, length_bytes: int) -> float:
        unit_bytes, end = self.model.erase_block_bytes, offset_bytes + length_bytes
        cost_ns, merges = 0.0, 0
        while offset_bytes < end:
            part_bytes = min(end, (offset_bytes // unit_bytes + 1) * unit_bytes) - offset_bytes
            opened, merged = self._write_to_unit(offset_bytes, part_bytes)
            cost_ns += self.model.open_ns * opened
            merges += merged
            offset_bytes += part_bytes
        return cost_ns + self._due_merges_ns(merges, length_bytes)

    def _due_merges_ns(self, merges: int, length_bytes: int) -> float:
        self._postponed_ns += merges * self.model.merge_ns
        self._postponed_bytes += length_bytes
        if self._postponed_bytes < self.model.merge_buffer_bytes:
            return 0.0
        due_ns, self._postponed_ns, self._postponed_bytes = self._postponed_ns, 0.0, 0
        self._clock_ns += due_ns
        return due_ns

    def _write_to_unit(self, offset_bytes: int, length_bytes: int) -> tuple[bool, int]:
        unit, inside = divmod(offset_bytes, self.model.erase_block_bytes)
        if unit < self.model.fat_aus:
            return False, 0
        return self._pool.write(unit, inside, length_bytes, self.model.erase_block_bytes)

    def _with_noise(self, cost_ns: float, *, stall_chance: float) -> float:
        model = self.model
        slow = 1 + model.drift * math.sin(2 * math.pi * self._clock_ns / model.drift_period_ns)
        cost_ns *= slow * math.exp(self._chance.gauss(0, model.noise))
        if self._chance.random() < stall_chance:
            cost_ns += model.stall_ns
        self._clock_ns += cost_ns
        return cost_ns
