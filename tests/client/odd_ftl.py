"""Simulate properties of cards that no published table contains: faults, trimmed regions, planes, and scatter."""

import math
from dataclasses import dataclass
from typing import Any

from cardbench.ftl import MIB, Card, FlashModel

from tests.client.simulated_cards import FakeEngine

_CHUNK_BYTES = 64 * 1024  # the resolution of the record of writes


@dataclass(frozen=True)
class OddModel(FlashModel):
    """The model of a card with unusual properties; by default it has none."""

    cached_before: float = 0.0  # share of the write cache that is full at first
    # Share of the regions that hold nothing, so that reading them accesses no flash.
    trimmed_share: float = 0.0
    trim_region_bytes: int = 4 * MIB
    empty_read_share: float = 1.0  # time of reading such a region, as a share of a command
    faulty_share: float = 0.0  # share of the regions that cannot be read or written
    fault_region_bytes: int = MIB
    inner_step_ns: float = 0.0  # at pages inside `page_step_bytes`, if those are planes of several pages
    place_scatter: float = 0.0  # of reads from place to place: standard deviation of the logarithm
    write_scatter: float = 0.0  # of writes, besides the noise: standard deviation of the logarithm
    read_stall_share: float = 0.1  # of a read, as a share of the chance of a stall of a write
    stall_is_exponential: bool = False  # then `stall_ns` is the mean
    merge_spread: float = 0.0  # from one merge to the next: standard deviation of the logarithm
    buffer_spread: float = 0.0  # largest share by which the buffer of merges is larger or smaller each time
    merges_done: str = (
        "all"  # once it is full; half: of those that wait; one: with each further write, until none waits
    )
    is_log_first: bool = (
        False  # units are opened and closed only when the buffer is full, each once for all its writes
    )


def with_oddities(model: FlashModel) -> OddModel:
    """Return the same card model with fields for unusual properties."""
    return OddModel(**vars(model))


class OddCard(Card):
    """One specimen of a card model with unusual properties."""

    def __init__(self, model: OddModel, seed: int) -> None:
        super().__init__(model, seed)
        self._odd = model
        self._cached_bytes = model.cached_before * model.write_cache_bytes
        self._written: set[int] = set()
        self._waiting_ns: list[float] = []
        self._logged: dict[int, list[tuple[int, int]]] = {}
        self._buffer_bytes = float(model.merge_buffer_bytes)

    def read(self, offset_bytes: int, length_bytes: int) -> int:
        model, last = self._odd, offset_bytes + length_bytes - 1
        cost_ns = length_bytes / model.bus_bytes_per_s * 1e9
        if self._is_empty(offset_bytes) and self._is_empty(last):
            cost_ns += model.read_command_ns * model.empty_read_share
        else:
            cost_ns += model.read_command_ns + self._boundary_ns(offset_bytes, last)
        cost_ns *= self._peculiarity(last // model.page_bytes)
        cost_ns += self._map_ns(offset_bytes // model.map_region_bytes)
        cost_ns = self._with_noise(cost_ns, stall_chance=model.stall_chance * model.read_stall_share)
        self._drain(cost_ns)
        return int(cost_ns)

    def write(self, offset_bytes: int, length_bytes: int) -> int:
        model = self._odd
        if model.trimmed_share:
            end = -(-(offset_bytes + length_bytes) // _CHUNK_BYTES)
            self._written.update(range(offset_bytes // _CHUNK_BYTES, end))
        if not model.write_scatter:
            return super().write(offset_bytes, length_bytes)
        in_sequence = offset_bytes == self._end_of_last_write
        self._end_of_last_write = offset_bytes + length_bytes
        gathered = in_sequence and model.gathers_writes
        cost_ns = model.write_command_ns + self._program_ns(offset_bytes, length_bytes, gathered=gathered)
        if length_bytes < model.log_below_bytes and not in_sequence:
            return int(self._with_noise(cost_ns + model.log_write_ns, stall_chance=model.stall_chance))
        extra_ns = self._allocation_ns(offset_bytes, length_bytes)
        cost_ns *= math.exp(self._chance.gauss(0, model.write_scatter))
        return int(self._with_noise(cost_ns, stall_chance=model.stall_chance) + extra_ns)

    def _allocation_ns(self, offset_bytes: int, length_bytes: int) -> float:
        if not self._odd.is_log_first:
            return super()._allocation_ns(offset_bytes, length_bytes)
        unit = offset_bytes // self._odd.erase_block_bytes
        self._logged.setdefault(unit, []).append((offset_bytes, length_bytes))
        self._postponed_bytes += length_bytes
        if self._postponed_bytes < self._buffer_bytes:
            return 0.0
        merges = sum(self._write_to_unit(*write)[1] for writes in self._logged.values() for write in writes)
        self._logged.clear()
        return self._due_merges_ns(merges, 0)

    def _due_merges_ns(self, merges: int, length_bytes: int) -> float:
        model, spread = self._odd, self._odd.buffer_spread
        self._waiting_ns += [
            model.merge_ns * math.exp(self._chance.gauss(0, model.merge_spread)) for _ in range(merges)
        ]
        self._postponed_bytes += length_bytes
        if self._postponed_bytes < self._buffer_bytes:
            return 0.0
        waiting = len(self._waiting_ns)
        count = {"all": waiting, "half": -(-waiting // 2), "one": min(1, waiting)}[model.merges_done]
        due_ns, self._waiting_ns = sum(self._waiting_ns[:count]), self._waiting_ns[count:]
        if model.merges_done != "one" or not self._waiting_ns:
            self._postponed_bytes = 0
            self._buffer_bytes = model.merge_buffer_bytes * self._chance.uniform(1 - spread, 1 + spread)
        self._clock_ns += due_ns
        return due_ns

    def _boundary_ns(self, first: int, last: int) -> float:
        model, page = self._odd, self._odd.page_step_bytes
        if first // page == last // page:
            is_across = first // model.page_bytes != last // model.page_bytes
            return model.inner_step_ns * self._step_factor(last // model.page_bytes) if is_across else 0.0
        return super()._boundary_ns(first, last) + model.inner_step_ns * self._step_factor(last // page)

    def is_faulty(self, offset_bytes: int, length_bytes: int) -> bool:
        """Return whether some of these bytes of the card can be neither read nor written."""
        share, region_bytes = self._odd.faulty_share, self._odd.fault_region_bytes
        regions = range(offset_bytes // region_bytes, (offset_bytes + length_bytes - 1) // region_bytes + 1)
        return share > 0 and any(self._chance_of(region + 1) < share for region in regions)

    def _is_empty(self, offset_bytes: int) -> bool:
        share, region = self._odd.trimmed_share, offset_bytes // self._odd.trim_region_bytes
        return self._chance_of(-region) < share and offset_bytes // _CHUNK_BYTES not in self._written

    def _peculiarity(self, page: int) -> float:
        scatter = self._odd.place_scatter
        return 1 + scatter * math.sqrt(12) * (self._chance_of(page + 1) - 0.5) if scatter else 1.0

    def _with_noise(self, cost_ns: float, *, stall_chance: float) -> float:
        model = self._odd
        slow = 1 + model.drift * math.sin(2 * math.pi * self._clock_ns / model.drift_period_ns)
        cost_ns *= slow * math.exp(self._chance.gauss(0, model.noise))
        if self._chance.random() < stall_chance:
            is_exponential, stall_ns = model.stall_is_exponential, model.stall_ns
            cost_ns += self._chance.expovariate(1 / stall_ns) if is_exponential else stall_ns
        self._clock_ns += cost_ns
        return cost_ns


class OddEngine(FakeEngine):
    """The engine of a simulated card with unusual properties."""

    def __init__(self, seed: int, *, model: FlashModel, **more: Any) -> None:
        super().__init__(seed, model=model, **more)
        if isinstance(model, OddModel):
            self._card: Card = OddCard(model, seed)

    def _is_bad(self, offset_bytes: int, length_bytes: int) -> bool:
        faulty = isinstance(self._card, OddCard) and self._card.is_faulty(offset_bytes, length_bytes)
        return faulty or super()._is_bad(offset_bytes, length_bytes)
