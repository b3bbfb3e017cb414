"""Build simulated cards by hand, and estimate their geometry."""

import shlex
from dataclasses import replace
from typing import Any

from cardbench import ftl, geometry
from cardbench.geometry import Estimate
from cardbench.target.surface import Surface

from tests.client.odd_ftl import OddEngine, OddModel, with_oddities
from tests.client.simulated_cards import SIMULATED

KIB, MIB = 1024, 1024**2
MS = 1_000_000

# 16 GB, 4 MiB erase blocks, 16 KiB pages, five units open in order and three at random, FAT in the first two.
PLAIN = replace(
    with_oddities(ftl.draw(1)),
    size_bytes=15_200 * MIB,
    erase_block_bytes=4 * MIB,
    page_bytes=16 * KIB,
    page_step_bytes=16 * KIB,
    open_aus_linear=5,
    open_aus_random=3,
    fat_aus=2,
    replacement="lru",
    merge_buffer_bytes=0,
    write_cache_bytes=300 * MIB,
    write_cache_gain=1.5,
    page_step_ns=0.03 * MS,
    erase_block_step_ns=0.06 * MS,
    half_step=0.0,
    position_spread=0.1,
    map_miss_ns=0.05 * MS,
    merge_ns=200 * MS,
    noise=0.012,
    drift=0.02,
    stall_chance=0.0,
    gathers_writes=False,
)


def simulated_engine(seed: int) -> list[str]:
    """Return the command that runs the simulated card of a seed as a program in place of the engine."""
    return [*shlex.split(SIMULATED), "--seed", str(seed)]


def card(**more: Any) -> OddModel:
    """Return the model of the plain card with these changes."""
    return replace(PLAIN, **more)


def bench(
    model: ftl.FlashModel, *, seed: int = 11, write: bool = True, **more: Any
) -> tuple[OddEngine, Surface]:
    """Return an engine that has opened a card of this model, and the part of the card that may be accessed."""
    engine = OddEngine(seed, model=model, **more)
    opened = engine.open("/simulated", write=write)
    return engine, Surface(opened.size_bytes, opened.logical_block_bytes, write, shows_boundaries=True)


def look(
    model: ftl.FlashModel, *metrics: str, seed: int = 11, write: bool = True, **more: Any
) -> dict[str, Estimate]:
    """Estimate all quantities of a card's geometry, or only `metrics`; return the estimates by metric."""
    engine, surface = bench(model, seed=seed, write=write, **more)
    quantities = [
        quantity for quantity in geometry.table(surface) if not metrics or quantity.metric in metrics
    ]
    estimates = geometry.survey(tuple(quantities), geometry.Probe(engine, surface, seed=seed))
    return {estimate.metric: estimate for estimate in estimates}
