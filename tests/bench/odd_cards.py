"""Simulated cards further out than any published table, which a procedure made for usual ones may meet all the same.

Nothing here says how often such cards are sold. A procedure that does not know must say so, and not answer wrongly.
"""

import random
from dataclasses import replace

from cardbench.ftl.model import KIB, MIB, MS, FlashModel, draw

_ERASE_BLOCKS_MIB = (0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def noisier(model: FlashModel, factor: float) -> FlashModel:
    """The same card with more noise and more frequent stalls."""
    return replace(model, noise=model.noise * factor, stall_chance=model.stall_chance * factor)


def draw_odd(seed: int) -> FlashModel:
    """A card like any other, but for up to three oddities; the same seed is the same card."""
    choose = random.Random(f"wide {seed}")
    model = replace(draw(seed), erase_block_bytes=int(choose.choice(_ERASE_BLOCKS_MIB) * MIB))
    for oddity in choose.sample(_ODDITIES, k=choose.randint(0, 3)):
        model = oddity(model, choose)
    return model


def _buffered(model: FlashModel, choose: random.Random) -> FlashModel:
    return replace(model, merge_buffer_bytes=choose.choice((64, 128, 256, 768, 1024, 2048, 4096)) * KIB)


def _drifting(model: FlashModel, choose: random.Random) -> FlashModel:
    period_ns = choose.choice((200, 1_000, 5_000, 60_000)) * MS
    return replace(model, drift=choose.uniform(0.05, 0.3), drift_period_ns=period_ns)


def _cached(model: FlashModel, choose: random.Random) -> FlashModel:
    size_bytes = int(2 ** choose.uniform(2, 14)) * MIB
    return replace(
        model,
        write_cache_bytes=size_bytes,
        write_cache_gain=choose.uniform(1.1, 6.0),
        cached_before=choose.random(),
        cache_drain_bytes_per_s=2 ** choose.uniform(20, 27),
    )


def _trimmed(model: FlashModel, choose: random.Random) -> FlashModel:
    return replace(
        model,
        trimmed_share=choose.choice((0.1, 0.3, 0.5, 0.8, 0.95, 1.0)),
        trim_region_bytes=choose.choice((1, 4, 16, 64, 256)) * MIB,
        empty_read_share=choose.uniform(0.3, 1.0),
    )


def _stalling(model: FlashModel, choose: random.Random) -> FlashModel:
    return replace(model, stall_chance=2 ** -choose.uniform(5, 9), stall_ns=choose.uniform(5, 400) * MS)


def _faulty(model: FlashModel, choose: random.Random) -> FlashModel:
    return replace(model, faulty_share=choose.choice((0.0001, 0.001, 0.01)))


def _uneven(model: FlashModel, choose: random.Random) -> FlashModel:
    """Places differ, an erase block shows its middle nearly as much as its end, pages show in pairs."""
    return replace(
        model,
        position_spread=choose.uniform(0.2, 0.5),
        half_step=choose.uniform(0.0, 0.8),
        page_step_bytes=model.page_bytes * choose.choice((1, 2)),
    )


def _forgetful(model: FlashModel, choose: random.Random) -> FlashModel:
    """Which unit makes room for another one is left to chance, and small writes in order are gathered."""
    return replace(model, replacement="random", gathers_writes=choose.random() < 0.5)


def _faint(model: FlashModel, choose: random.Random) -> FlashModel:
    """Steps that the noise nearly hides, and merges that are hardly longer than a stall."""
    return replace(
        model,
        erase_block_step_ns=model.read_command_ns * choose.uniform(0.01, 0.06),
        page_step_ns=model.read_command_ns * choose.uniform(0.01, 0.06),
        merge_ns=choose.uniform(20, 120) * MS,
    )


_ODDITIES = (
    _buffered,
    _drifting,
    _cached,
    _trimmed,
    _stalling,
    _faulty,
    _uneven,
    _forgetful,
    _faint,
)
