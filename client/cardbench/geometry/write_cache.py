"""The write cache: how much can be written in one go before the card slows down for good."""

import math

from cardbench.geometry.decide import Cusum, best_split
from cardbench.geometry.estimate import Finding, abstained, found, none_found
from cardbench.geometry.probe import Probe
from cardbench.plan import MIB, Surface

_BLOCK_BYTES = MIB
MOST_BYTES = 2048 * MIB
_REST_S = 30.0  # after which a cache should be empty; the run before may have filled it
_AFTERWARDS = 32  # blocks after the alarm
_LEAST_BYTES = 256 * MIB  # to say that there is none
_SMALLEST_RISE = math.log(1.1)


def find_write_cache(probe: Probe) -> Finding:
    """Its size in bytes as far as it is free; `none_found` when speed stays the same to the end."""
    start, most_bytes = _run(probe.surface)
    if most_bytes < _LEAST_BYTES:
        return abstained("The device is too small to tell a write cache from its whole.")
    cusum, alarmed_at = Cusum(), 0
    probe.rest(_REST_S)
    for number in range(most_bytes // _BLOCK_BYTES):
        risen = cusum.add(math.log(probe.write(_BLOCK_BYTES, start + number * _BLOCK_BYTES)))
        if risen and not alarmed_at:
            alarmed_at = number
        if alarmed_at and number >= alarmed_at + _AFTERWARDS:
            return _finding(cusum.values)
    if alarmed_at:
        return abstained("Writes became slower only at the very end of what was written.")
    return none_found(4.0, f"{most_bytes // MIB:,} MiB were written in one go at the same speed.")


def _run(surface: Surface) -> tuple[int, int]:
    """Where to write in one go, and how much: the second quarter behind the middle, or the longest stretch."""
    if not surface.stretches:
        return surface.size_bytes // 2 // (96 * MIB) * (96 * MIB), min(MOST_BYTES, surface.size_bytes // 4)
    longest = max(surface.stretches, key=lambda stretch: stretch.length_bytes)
    start = -(-longest.start_bytes // MIB) * MIB
    return start, min(MOST_BYTES, (longest.end_bytes - start) // MIB * MIB)


def _finding(values: list[float]) -> Finding:
    split = best_split(values)
    if split.after - split.before < _SMALLEST_RISE:
        return abstained("Writes became slower now and then, but not for good.")
    ratio = math.exp(split.after - split.before)
    words = f"After {split.index:,} MiB in one go, each further MiB takes {ratio:.2f} times as long."
    return found(split.index * _BLOCK_BYTES, 4.0, words)
