"""Draw simulated cards that are more extreme than any published table, to test procedures made for usual cards.

Their shares are not those of the market. A procedure that cannot know the answer must say so instead of answering
wrongly.
"""

import random
from dataclasses import replace

from cardbench.ftl.model import KIB, MIB, MS, FlashModel, draw

from tests.client.odd_ftl import OddModel, with_oddities

_ERASE_BLOCKS_MIB = (0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def noisier(plain: FlashModel, factor: float) -> OddModel:
    """Return the same card with more noise, drift and differences between places, and more frequent stalls."""
    model = with_oddities(plain)
    return replace(
        model,
        noise=model.noise * factor,
        drift=min(0.3, model.drift * factor),
        position_spread=min(0.5, model.position_spread * factor),
        place_scatter=model.place_scatter * factor,
        write_scatter=min(0.3, model.write_scatter * factor),
        stall_chance=min(0.5, model.stall_chance * factor),
    )


def stalling(model: OddModel, share: float, mean_ns: float = 2 * MS) -> OddModel:
    """Return the same card on a busy host, where this share of all requests, also of reads, has to wait."""
    return replace(
        model, stall_chance=share, read_stall_share=1.0, stall_ns=mean_ns, stall_is_exponential=True
    )


def draw_field(seed: int) -> OddModel:
    """Return a random card as users have them, of other kinds than `draw` and in other shares, by seed."""
    choose = random.Random(f"field {seed}")
    model = with_oddities(draw(seed + 500_000_000))
    for share, change in _FIELD:
        if choose.random() < share:
            model = change(model, choose)
    return replace(
        _choose_step(model, choose),
        noise=2 ** choose.uniform(-7, -4.2),
        drift=choose.uniform(0, 0.1),
        position_spread=choose.uniform(0.05, 0.35),
        place_scatter=choose.uniform(0, 0.02),
        stall_chance=2 ** -choose.uniform(6, 12),
        stall_ns=2 ** choose.uniform(1, 7) * MS,
        read_stall_share=choose.uniform(0.1, 1.0),
        stall_is_exponential=choose.random() < 0.5,
        write_cache_gain=choose.uniform(1.2, 4.0),
    )


def _use_planes(model: OddModel, choose: random.Random) -> OddModel:
    # The page is half of a plane; a read across the end of a plane takes longer than across that of a page.
    return replace(
        model,
        page_step_bytes=2 * model.page_bytes,
        page_step_ns=model.read_command_ns * choose.uniform(0.03, 0.25),
        inner_step_ns=model.read_command_ns * choose.uniform(0.02, 0.08),
    )


def _page_mapped(model: OddModel, _choose: random.Random) -> OddModel:
    return replace(model, open_aus_linear=None, open_aus_random=None, fat_aus=0)


def _choose_step(model: OddModel, choose: random.Random) -> OddModel:
    # On one card in twenty reads do not show the erase block.
    share = 0.0 if choose.random() < 0.05 else 2 ** choose.uniform(-4.3, -1.3)
    return replace(model, erase_block_step_ns=model.read_command_ns * share)


def _hardly_draining(model: OddModel, choose: random.Random) -> OddModel:
    return replace(
        model,
        write_cache_bytes=int(2 ** choose.uniform(4, 10)) * MIB,
        cache_drain_bytes_per_s=choose.uniform(0.5e6, 8e6),
        cached_before=choose.uniform(0, 0.5),
    )


def _slow_down(model: OddModel, choose: random.Random) -> OddModel:
    # A card behind a USB reader or on an old bus.
    bus_bytes_per_s = choose.uniform(8e6, 20e6)
    return replace(
        model,
        bus_bytes_per_s=bus_bytes_per_s,
        program_bytes_per_s=min(model.program_bytes_per_s, bus_bytes_per_s),
        read_command_ns=model.read_command_ns * choose.uniform(1, 2.5),
        write_command_ns=model.write_command_ns * choose.uniform(1, 2.5),
    )


def _quickly_read(model: OddModel, choose: random.Random) -> OddModel:
    return replace(
        model,
        bus_bytes_per_s=choose.uniform(60e6, 95e6),
        program_bytes_per_s=choose.uniform(20e6, 60e6),
        read_command_ns=model.read_command_ns * choose.uniform(0.4, 0.9),
    )


def _scattered_writes(model: OddModel, choose: random.Random) -> OddModel:
    return replace(model, write_scatter=choose.uniform(0.05, 0.15))


def draw_odd(seed: int) -> OddModel:
    """Return a random card with up to three unusual properties; the same seed always gives the same card."""
    choose = random.Random(f"wide {seed}")
    model = replace(with_oddities(draw(seed)), erase_block_bytes=int(choose.choice(_ERASE_BLOCKS_MIB) * MIB))
    for oddity in choose.sample(_ODDITIES, k=choose.randint(0, 3)):
        model = oddity(model, choose)
    return model


def _add_buffer(model: OddModel, choose: random.Random) -> OddModel:
    return replace(model, merge_buffer_bytes=choose.choice((64, 128, 256, 768, 1024, 2048, 4096)) * KIB)


def _drifting(model: OddModel, choose: random.Random) -> OddModel:
    period_ns = choose.choice((200, 1_000, 5_000, 60_000)) * MS
    return replace(model, drift=choose.uniform(0.05, 0.3), drift_period_ns=period_ns)


def _add_cache(model: OddModel, choose: random.Random) -> OddModel:
    size_bytes = int(2 ** choose.uniform(2, 14)) * MIB
    return replace(
        model,
        write_cache_bytes=size_bytes,
        write_cache_gain=choose.uniform(1.1, 6.0),
        cached_before=choose.random(),
        cache_drain_bytes_per_s=2 ** choose.uniform(20, 27),
    )


def _trim(model: OddModel, choose: random.Random) -> OddModel:
    return replace(
        model,
        trimmed_share=choose.choice((0.1, 0.3, 0.5, 0.8, 0.95, 1.0)),
        trim_region_bytes=choose.choice((1, 4, 16, 64, 256)) * MIB,
        empty_read_share=choose.uniform(0.3, 1.0),
    )


def _stalling(model: OddModel, choose: random.Random) -> OddModel:
    return replace(model, stall_chance=2 ** -choose.uniform(5, 9), stall_ns=choose.uniform(5, 400) * MS)


def _faulty(model: OddModel, choose: random.Random) -> OddModel:
    return replace(model, faulty_share=choose.choice((0.0001, 0.001, 0.01)))


def _make_uneven(model: OddModel, choose: random.Random) -> OddModel:
    # Places differ, an erase block shows its middle nearly as much as its end, pages show in pairs.
    return replace(
        model,
        position_spread=choose.uniform(0.2, 0.5),
        half_step=choose.uniform(0.0, 0.8),
        page_step_bytes=model.page_bytes * choose.choice((1, 2)),
    )


def _make_forgetful(model: OddModel, choose: random.Random) -> OddModel:
    # A random unit makes room for another one, and small writes in order are gathered.
    return replace(model, replacement="random", gathers_writes=choose.random() < 0.5)


def _make_faint(model: OddModel, choose: random.Random) -> OddModel:
    # The noise nearly hides the steps, and merges are hardly longer than a stall.
    return replace(
        model,
        erase_block_step_ns=model.read_command_ns * choose.uniform(0.01, 0.06),
        page_step_ns=model.read_command_ns * choose.uniform(0.01, 0.06),
        merge_ns=choose.uniform(20, 120) * MS,
    )


def _evicting_at_random(model: OddModel, _choose: random.Random) -> OddModel:
    return replace(model, replacement="random")


def draw_logging(seed: int) -> OddModel:
    """Return a random card that postpones its merges in some way; the same seed always gives the same card."""
    choose = random.Random(f"log {seed}")
    model = _add_buffer(draw_field(seed), choose)
    linear = model.open_aus_linear or choose.choice((1, 2, 3, 4, 5, 5, 6, 8, 10, 16, 24))
    return replace(
        model,
        open_aus_linear=linear,
        open_aus_random=linear if model.open_aus_random is None else min(linear, model.open_aus_random),
        merge_spread=choose.choice((0.0, choose.uniform(0.05, 0.35))),
        buffer_spread=choose.choice((0.0, choose.uniform(0.05, 0.3))),
        merges_done=choose.choice(("all", "all", "half", "one")),
        is_log_first=choose.random() < 0.3,
    )


_FIELD = (
    (0.55, _use_planes),
    (0.15, _page_mapped),
    (0.14, _add_buffer),
    (0.04, _evicting_at_random),
    (0.15, _hardly_draining),
    (0.15, _slow_down),
    (0.25, _quickly_read),
    (0.4, _scattered_writes),
)
_ODDITIES = (
    _add_buffer,
    _drifting,
    _add_cache,
    _trim,
    _stalling,
    _faulty,
    _make_uneven,
    _make_forgetful,
    _make_faint,
)
