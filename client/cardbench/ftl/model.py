"""The true properties of simulated cards, drawn at random from a seed.

The ranges follow published tables: erase blocks of 1.5, 3, 6 and 12 MB in three-level flash (A. Bergmann, LKML 2012),
pages of 4 to 32 KiB and 4 MiB units (A. Bergmann, OLPC devel 2011; Lexar 633x), merges of 0.2 to 0.35 s (flashbench
README; OLPC SD card testing). How often each value occurs is our estimate, so success rates on simulated cards are
upper bounds.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TypeVar

KIB, MIB = 1024, 1024**2
MS = 1_000_000
Choice = TypeVar("Choice")


@dataclass(frozen=True)
class FlashModel:
    """The properties of a simulated card.

    A count of None has no limit; a size of 0 means that the card has no such part.
    """

    size_bytes: int
    erase_block_bytes: int
    page_bytes: int
    open_aus_linear: int | None
    open_aus_random: int | None
    fat_aus: int  # this many units at the beginning stay fast, however many others are open
    replacement: str  # lru, fifo, random: the rule that chooses which open unit is closed to make room
    merge_buffer_bytes: int  # merges are postponed until this much was written, then all are done at once
    write_cache_bytes: int
    write_cache_gain: float
    cache_drain_bytes_per_s: float  # rate at which the cache empties while nothing is written
    bus_bytes_per_s: float
    program_bytes_per_s: float
    read_command_ns: float
    write_command_ns: float
    page_step_ns: float  # extra time of a read across a page boundary; 0: reads do not show it
    page_step_bytes: int  # distance of the boundaries with that extra time: a page, or a pair of pages
    erase_block_step_ns: float  # extra time of a read across an erase block boundary; 0: reads do not show it
    half_step: float  # extra time at the middle of an erase block, as a share of erase_block_step_ns
    position_spread: float  # standard deviation of the extra time from place to place, as a share of it
    map_regions: int  # number of map regions in the card's memory; access to another region costs a miss
    map_region_bytes: int
    map_miss_ns: float
    log_below_bytes: int  # smaller writes out of order go to a log
    log_write_ns: float
    open_ns: float  # extra time of opening an allocation unit
    merge_ns: float  # closing a unit that was not written to its end
    noise: float  # standard deviation of the logarithm of a duration
    drift: float  # amplitude of a slow change, as a share
    stall_chance: float
    stall_ns: float
    # Small writes in order are gathered, so that none of them programs a whole page by itself.
    gathers_writes: bool
    drift_period_ns: float = 20_000 * MS


class _Chance(random.Random):
    def choose(self, weights: dict[Choice, int]) -> Choice:
        return self.choices(list(weights), list(weights.values()))[0]

    def vary(self, value: float, spread: float) -> float:
        return value * math.exp(self.gauss(0, spread))

    def log_uniform(self, low: float, high: float) -> float:
        return math.exp(self.uniform(math.log(low), math.log(high)))


def draw(seed: int) -> FlashModel:
    """Return a simulated card with random properties; the same seed always gives the same card."""
    chance = _Chance(f"card {seed}")
    erase_block_bytes = int(chance.choose(_ERASE_BLOCKS_MIB) * MIB)
    page_bytes = chance.choose(_PAGES_KIB) * KIB
    read_command_ns = chance.vary(0.30 * MS, 0.1)
    linear = _draw_open_aus(chance)
    return FlashModel(
        size_bytes=_draw_size_bytes(chance),
        erase_block_bytes=erase_block_bytes,
        page_bytes=page_bytes,
        open_aus_linear=linear,
        open_aus_random=_draw_random_aus(chance, linear),
        fat_aus=chance.choose({0: 30, 1: 30, 2: 15, 3: 10, 4: 10, 5: 5}),
        replacement=chance.choose({"lru": 70, "fifo": 26, "random": 4}),
        merge_buffer_bytes=chance.choose({0: 89, 256: 3, 512: 4, 1024: 4}) * KIB,
        write_cache_bytes=_draw_write_cache_bytes(chance),
        write_cache_gain=chance.uniform(1.15, 3.0),
        cache_drain_bytes_per_s=chance.vary(40e6, 0.3),
        bus_bytes_per_s=min(chance.vary(44.5e6, 0.03), 47e6),
        program_bytes_per_s=min(max(chance.vary(21e6, 0.15), 13e6), 31e6),
        read_command_ns=read_command_ns,
        write_command_ns=chance.vary(0.35 * MS, 0.1),
        page_step_ns=_draw_step_ns(chance, read_command_ns, silent=0.06),
        page_step_bytes=page_bytes * (2 if chance.random() < 0.03 else 1),
        erase_block_step_ns=_draw_step_ns(chance, read_command_ns, silent=0.1),
        half_step=chance.uniform(0.2, 0.5) if chance.random() < 0.2 else 0.0,
        position_spread=chance.uniform(0.05, 0.25),
        map_regions=chance.choice((2, 4, 8, 16)),
        map_region_bytes=chance.choice((1, 4, 8)) * MIB,
        map_miss_ns=chance.log_uniform(0.02, 0.3) * MS,
        log_below_bytes=chance.choose({0: 20, 8: 40, 16: 40}) * KIB,
        log_write_ns=chance.vary(0.87 * MS, 0.15),
        open_ns=chance.log_uniform(2, 8) * MS,
        merge_ns=min(max(chance.vary(200 * MS, 0.4), 80 * MS), 450 * MS),
        noise=chance.log_uniform(0.006, 0.03),
        drift=chance.uniform(0, 0.05),
        stall_chance=1 / chance.log_uniform(700, 5000),
        stall_ns=chance.log_uniform(12, 200) * MS,
        gathers_writes=chance.random() < 0.2,
    )


_ERASE_BLOCKS_MIB = {1: 3, 1.5: 3, 2: 10, 3: 6, 4: 38, 6: 7, 8: 14, 12: 7, 16: 8, 24: 3, 32: 1}
_PAGES_KIB = {4: 8, 8: 30, 16: 42, 32: 20}


def _draw_size_bytes(chance: _Chance) -> int:
    # The nominal size minus a few percent, in steps of 8 MiB; a CSD of version 2 counts in units of 512 KiB.
    nominal_gb = chance.choice((8, 16, 32, 32, 64))
    return int(nominal_gb * 1e9 * chance.uniform(0.97, 0.998)) // (8 * MIB) * (8 * MIB)


def _draw_open_aus(chance: _Chance) -> int | None:
    kind = chance.random()
    if kind < 0.05:
        return None
    if kind < 0.15:
        return chance.randint(17, 40)
    return chance.randint(9, 16) if kind < 0.27 else chance.choice((1, 1, 2, 2, 3, 4, 4, 5, 5, 5, 6, 6, 7, 8))


def _draw_random_aus(chance: _Chance, linear: int | None) -> int | None:
    # Never more than the units for writes in order; some cards keep no unit open for random writes.
    kind = chance.random()
    if kind < 0.08:
        return 0
    if linear is None:
        return None if kind < 0.6 else chance.randint(2, 12)
    return linear if kind < 0.5 else chance.randint(1, linear)


def _draw_write_cache_bytes(chance: _Chance) -> int:
    return 0 if chance.random() < 0.4 else int(chance.log_uniform(32, 1024)) * MIB


def _draw_step_ns(chance: _Chance, access_ns: float, *, silent: float) -> float:
    return 0.0 if chance.random() < silent else access_ns * chance.log_uniform(0.05, 0.4)
