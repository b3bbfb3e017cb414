"""The page: the smallest boundary that reads stumble over, checked by writes where they are allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from cardbench.geometry.boundaries import Ladder, Multiples, contrast, is_above, lowest_at_top
from cardbench.geometry.decide import scatter
from cardbench.geometry.erase_block import BELOW
from cardbench.geometry.estimate import Finding, abstained, found, limited
from cardbench.geometry.probe import Probe
from cardbench.geometry.units import MERGE_NS
from cardbench.sizes import KIB, MIB, binary

_HIGHEST = 17  # 128 KiB
_LARGEST_BYTES = 32 * KIB  # two planes of the largest pages that flash has, programmed together
_BOUNDS = (7.5, 9.5)
_UNIT_BYTES = 96 * MIB  # a multiple of every erase block
_FIRST_BYTES = 64 * KIB  # opens the unit; a card may keep small writes elsewhere
_SMALL_WRITES, _FIRST_LOOK, _EARLY_LOOK = 512, 8, 192
_CLEAR_LEAD = 12.0
_READING_ALONE = 3.4  # log odds: of 30 cards one shows planes of pages, but no pages
_SMALLEST_STEP = 0.05  # as a logarithm


def find_page(probe: Probe) -> Finding:
    """Its size in bytes, a power of two; abstains when neither reads nor, if allowed, writes show it."""
    plane = _by_reading(probe)
    may_write = probe.surface.may_write and probe.has_unit(_UNIT_BYTES)
    by_writing = _by_writing(probe) if may_write else None
    if plane is None or by_writing is None:
        return by_writing or (_stepped_down(probe, plane) if plane else _not_shown(probe))
    return _together(probe, plane, by_writing)


def _not_shown(probe: Probe) -> Finding:
    if not probe.surface.may_write:
        return abstained("Reads do not show it clearly, and writing was not allowed.")
    return abstained("Neither reads nor writes show it clearly.")


def _together(probe: Probe, plane: Finding, by_writing: Finding) -> Finding:
    """Reads may show planes of several pages; any other contradiction is beyond us."""
    assert plane.value and by_writing.value
    if plane.value == by_writing.value:
        return plane
    if by_writing.value == plane.value // 2 or by_writing.value == _stepped_down(probe, plane).value:
        return by_writing
    return abstained(f"Reads show {binary(plane.value)}, writes {binary(by_writing.value)}.")


def _floor(probe: Probe) -> int:
    return probe.sample_bytes.bit_length() - 1


def _by_reading(probe: Probe) -> Finding | None:
    """The largest step among those of pages: at the end of each, or of a plane of several."""
    floor = _floor(probe)
    reference = contrast(probe, BELOW, [Multiples(floor)])
    for bound in _BOUNDS if reference else ():
        assert reference
        lowest = lowest_at_top(Ladder(probe, reference, bound), range(floor + 1, _HIGHEST + 1), Multiples)
        if lowest:
            return _read(lowest[0], reference.step, lowest[1])
    return None


def _read(exponent: int, step: float, log_odds: float) -> Finding:
    words = f"A read across its end takes {math.expm1(step):.0%} longer; inside, nothing more."
    return found(2**exponent, log_odds, words)


def _stepped_down(probe: Probe, plane: Finding) -> Finding:
    """The smallest size whose boundaries still stand out from all smaller ones.

    Where a page is half of a plane, its own step is smaller than that of the plane, which the search finds first. A
    plane whose pages do not show at all looks like a page: so reading alone is never quite sure.
    """
    assert plane.value
    floor, exponent, finding = _floor(probe), plane.value.bit_length() - 1, plane
    while exponent - 1 > floor:
        exponent -= 1
        smaller = [Multiples(below) for below in range(floor, exponent)]
        stands_out, step = is_above(probe, [Multiples(exponent)], smaller)
        if stands_out is None:
            shown = binary(2 ** (exponent + 1))
            return abstained(f"Reads show {shown}, but whether half of that is hidden by the noise.")
        if not stands_out:
            break
        finding = _read(exponent, step, plane.log_odds or 0.0)
    if finding.value and finding.value > _LARGEST_BYTES:
        return abstained(f"Reads show {binary(finding.value)}: that is more than a page, so it is several.")
    return limited(
        finding, _READING_ALONE, "Planes of several pages, if only these show, would look the same."
    )


def _by_writing(probe: Probe) -> Finding | None:
    """In one stream, or in two by turns: a card may gather what comes in one, so that no write of it ends a page."""
    return _by_small_writes(probe, streams=1) or _by_small_writes(probe, streams=2)


def _by_small_writes(probe: Probe, *, streams: int) -> Finding | None:
    """Small writes in sequence, each across a multiple of its length: those across a page end program two pages.

    They are too small for the bus to matter, even while a write cache is quick.
    """
    length = max(2 * KIB, 2 * probe.surface.logical_block_bytes)
    starts = [probe.fresh_unit(_UNIT_BYTES) for _ in range(streams)]
    for start in starts:
        probe.write(_FIRST_BYTES, start)
        probe.write(length // 2, start + _FIRST_BYTES)
    boundaries, times = list[int](), list[float]()
    pages = [2 * length << step for step in range(5)]
    for number in range(streams, _SMALL_WRITES + streams):
        boundaries.append(_FIRST_BYTES + length * (number // streams))
        place = starts[number % streams] + boundaries[-1] - length // 2
        times.append(math.log(probe.write(length, place)))
        if len(times) == _FIRST_LOOK and median(times) > math.log(MERGE_NS):
            return None  # the card cannot keep so many units open
        if len(times) == _EARLY_LOOK and (early := _best_page(times, boundaries, pages)):
            return early
    return _best_page(times, boundaries, pages)


def _best_page(times: Sequence[float], boundaries: Sequence[int], pages: Sequence[int]) -> Finding | None:
    fits = sorted((_misfit(times, boundaries, page), page) for page in pages)
    (best, page), (second, _) = fits[:2]
    lead = len(times) / 2 * math.log(second / best)
    if lead < _CLEAR_LEAD or _step(times, boundaries, page) < _SMALLEST_STEP:
        return None
    return found(page, lead, f"Of small writes, those across multiples of {binary(page)} take longer.")


def _groups(times: Sequence[float], boundaries: Sequence[int], page: int) -> tuple[list[float], list[float]]:
    """Times of the writes across multiples of `page`, and of the others."""
    across = [time for time, boundary in zip(times, boundaries) if boundary % page == 0]
    inside = [time for time, boundary in zip(times, boundaries) if boundary % page]
    return across, inside


def _step(times: Sequence[float], boundaries: Sequence[int], page: int) -> float:
    across, inside = _groups(times, boundaries, page)
    return median(across) - median(inside)


def _misfit(times: Sequence[float], boundaries: Sequence[int], page: int) -> float:
    """Sum of squares around the middle of either group; what lies far out counts as a little less far."""
    sigma = scatter(times)
    total = 0.0
    for group in _groups(times, boundaries, page):
        middle = median(group)
        total += sum(min(abs(time - middle), max(1.0, 3 * sigma)) ** 2 for time in group)
    return total
