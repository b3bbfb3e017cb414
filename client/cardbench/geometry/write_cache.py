"""Find the size of the write cache: the bytes that can be written in one go before the card becomes slower for good."""

from __future__ import annotations

import math

from cardbench.geometry.decide import Cusum, Split, best_split, scatter
from cardbench.geometry.estimate import Finding, abstain, conclude, conclude_none
from cardbench.geometry.probe import GivenUp, Probe
from cardbench.sizes import MIB
from cardbench.target.surface import Stretch, Surface

_BLOCK_BYTES = MIB
MOST_BYTES = 2048 * MIB
# After which a cache should be empty; not multiples of one another, so that no periodic drift fits all.
_PAUSES_S = (30.0, 47.0, 61.0)
_TOLERANCE = 0.1  # as a share of the size; largest difference between two attempts
_UNIT_BYTES = 96 * MIB  # a multiple of every erase block
# Blocks after the first sign of slowness: a unit that another program left open may be slow throughout.
_AFTERWARDS = 128
_LEAST_BYTES = 256 * MIB  # to be written before the card counts as one without a write cache
_SMALLEST_RISE, _CLEAR_RISE = math.log(1.1), 2.5  # the latter in standard deviations


def find_write_cache(probe: Probe) -> Finding:
    """Find the size of the write cache in bytes; `none_found` if writes stay equally fast to the end.

    The cache is filled again after a different pause and in a different place. A card that was slow for a while or in
    places, or does not empty its cache in time, is then slow after a different number of blocks.
    """
    room = _choose_stretch(probe.surface)
    most_bytes = min(MOST_BYTES, room.length_bytes // 2 // MIB * MIB)
    if most_bytes < _LEAST_BYTES:
        return abstain("The device is too small to tell its write cache from the rest.")
    shift_bytes = (room.length_bytes - most_bytes) // len(_PAUSES_S) // MIB * MIB
    before: Split | None = None
    for turn, pause_s in enumerate(_PAUSES_S):
        probe.rest(pause_s)
        split = _write_until_slower(probe, room.start_bytes + turn * shift_bytes, most_bytes)
        if split is None:
            return _conclude_without(most_bytes, before)
        if before and _are_alike(before, split):
            return _finding(max(before.index, split.index), split)
        before = split
    return abstain("Writes became slower each time, but after a different number of writes.")


def _write_until_slower(probe: Probe, start: int, most_bytes: int) -> Split | None:
    cusum, alarmed_at = Cusum(), 0
    values: list[float] = []
    for number in range(most_bytes // _BLOCK_BYTES):
        values.append(math.log(probe.write(_BLOCK_BYTES, start + number * _BLOCK_BYTES)))
        alarmed_at = alarmed_at or (number if cusum.add(values[-1]) else 0)
        if alarmed_at and number >= alarmed_at + _AFTERWARDS:
            if split := _find_rise(values):
                return split
            cusum, alarmed_at = Cusum(), 0  # the rise was not permanent
    return _find_rise(values)


def _find_rise(values: list[float]) -> Split | None:
    """Return the rise of a series, or None if there is none.

    Raises GivenUp if the series rises and falls all the time.
    """
    split = best_split(values)
    rise = split.after - split.before
    if split.index < 2 or rise < _SMALLEST_RISE:
        return None
    levels = [split.before] * split.index + [split.after] * (len(values) - split.index)
    if rise < _CLEAR_RISE * scatter([value - level for value, level in zip(values, levels)]):
        raise GivenUp("The speed of writes varies by itself, so a cache would not show.")
    return split


def _are_alike(split: Split, other: Split) -> bool:
    return abs(split.index - other.index) <= max(2, _TOLERANCE * split.index)


def _conclude_without(most_bytes: int, before: Split | None) -> Finding:
    if before:
        return abstain("Writes became slower once, but not a second time.")
    words = f"{most_bytes // MIB:,} MiB were written without a pause, all at the same speed."
    return conclude_none(4.0, f"{words} A larger cache would not have shown.")


def _choose_stretch(surface: Surface) -> Stretch:
    # In the second half of the device, because no other search writes there; or else the longest stretch.
    longest = max(surface.reach, key=lambda stretch: stretch.length_bytes)
    start = longest.start_bytes if surface.stretches else surface.size_bytes // 2
    start = -(-start // _UNIT_BYTES) * _UNIT_BYTES
    return Stretch(start, max(0, longest.end_bytes - start) // MIB * MIB)


def _finding(mib: int, split: Split) -> Finding:
    ratio = math.exp(split.after - split.before)
    words = f"After {mib:,} MiB without a pause, each further MiB takes {ratio:.2f} times as long. This happened twice."
    return conclude(mib * _BLOCK_BYTES, 4.0, words)
