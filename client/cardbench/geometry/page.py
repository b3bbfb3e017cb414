"""Find the size of the flash page: the smallest boundary where reads take longer, checked by writes if allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from cardbench.geometry.boundaries import Ladder, Multiples, contrast, find_lowest_at_top, is_above
from cardbench.geometry.decide import scatter
from cardbench.geometry.erase_block import BELOW
from cardbench.geometry.estimate import Finding, abstain, conclude, limit_certainty
from cardbench.geometry.probe import Probe
from cardbench.geometry.units import MERGE_NS
from cardbench.sizes import KIB, MIB, binary

_HIGHEST = 17  # exponent: 128 KiB
_LARGEST_BYTES = 32 * KIB  # two planes, programmed together, of the largest pages that flash has
_BOUNDS = (7.5, 9.5)
_UNIT_BYTES = 96 * MIB  # a multiple of every erase block
# The first write to a unit, which opens it; a card may store smaller writes elsewhere.
_FIRST_BYTES = 64 * KIB
_SMALL_WRITES, _FIRST_LOOK, _EARLY_LOOK = 512, 8, 192
_CLEAR_LEAD = 12.0
_ONLY_READS = 3.4  # log odds: one card in 30 shows the boundaries of planes, but not those of pages
_SMALLEST_STEP = 0.05  # difference of two natural logarithms


def find_page(probe: Probe) -> Finding:
    """Find the size of the page in bytes, a power of two.

    It stays unknown if neither reads nor permitted writes show it.
    """
    plane = _find_by_reading(probe)
    may_write = probe.surface.may_write and probe.has_unit(_UNIT_BYTES)
    by_writing = _find_by_writing(probe) if may_write else None
    if plane is None or by_writing is None:
        return by_writing or (_find_page_in_plane(probe, plane) if plane else _not_shown(probe))
    return _combine(probe, plane, by_writing)


def _not_shown(probe: Probe) -> Finding:
    if not probe.surface.may_write:
        return abstain(
            "Reads do not show the size of a page clearly, and cardbench was not allowed to write."
        )
    return abstain("Neither reads nor writes show the size of a page clearly.")


def _combine(probe: Probe, plane: Finding, by_writing: Finding) -> Finding:
    # Reads may show a plane of several pages. After any other contradiction the page is not known.
    assert plane.value and by_writing.value
    if plane.value == by_writing.value:
        return plane
    if by_writing.value == plane.value // 2 or by_writing.value == _find_page_in_plane(probe, plane).value:
        return by_writing
    return abstain(f"Reads show {binary(plane.value)}, writes {binary(by_writing.value)}.")


def _floor(probe: Probe) -> int:
    return probe.sample_bytes.bit_length() - 1


def _find_by_reading(probe: Probe) -> Finding | None:
    # Reads may take longest at the end of each page, or of each plane of several pages.
    floor = _floor(probe)
    reference = contrast(probe, BELOW, [Multiples(floor)])
    for bound in _BOUNDS if reference else ():
        assert reference
        lowest = find_lowest_at_top(
            Ladder(probe, reference, bound), range(floor + 1, _HIGHEST + 1), Multiples
        )
        if lowest:
            return _make_finding(lowest[0], reference.step, lowest[1])
    return None


def _make_finding(exponent: int, step: float, log_odds: float) -> Finding:
    words = (
        f"A read across the end of a page takes {math.expm1(step):.0%} longer; a read inside a page does not."
    )
    return conclude(2**exponent, log_odds, words)


def _find_page_in_plane(probe: Probe, plane: Finding) -> Finding:
    """Find the smallest size with boundaries that slow reads more than those of all smaller sizes.

    If a page is half of a plane, reads across its end take less long than across the end of the plane, which is found
    first. A plane without visible pages looks like a page, so reads without writes are never quite sure.
    """
    assert plane.value
    floor, exponent, finding = _floor(probe), plane.value.bit_length() - 1, plane
    while exponent - 1 > floor:
        exponent -= 1
        smaller = [Multiples(below) for below in range(floor, exponent)]
        is_higher, step = is_above(probe, [Multiples(exponent)], smaller)
        if is_higher is None:
            shown = binary(2 ** (exponent + 1))
            return abstain(
                f"Reads show a step at {shown}; noise hides whether there is one at half of this size."
            )
        if not is_higher:
            break
        finding = _make_finding(exponent, step, plane.log_odds or 0.0)
    if finding.value and finding.value > _LARGEST_BYTES:
        return abstain(
            f"Reads show {binary(finding.value)}, which is too much for one page, so there must be several."
        )
    return limit_certainty(
        finding,
        _ONLY_READS,
        "This may be the size of a plane instead: planes of several pages look the same in reads.",
    )


def _find_by_writing(probe: Probe) -> Finding | None:
    # In one stream, or alternately in two: a card may gather the small writes of one stream into whole pages.
    return _find_by_small_writes(probe, streams=1) or _find_by_small_writes(probe, streams=2)


def _find_by_small_writes(probe: Probe, *, streams: int) -> Finding | None:
    """Find the page by small writes in sequence, each across a multiple of its length.

    A write across the end of a page programs two pages. The writes are too small for the speed of the bus to matter,
    even while a write cache is quick.
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
    return conclude(page, lead, f"Small writes that cross multiples of {binary(page)} take longer.")


def _groups(times: Sequence[float], boundaries: Sequence[int], page: int) -> tuple[list[float], list[float]]:
    # The times of the writes across multiples of `page`, and of the other writes.
    across = [time for time, boundary in zip(times, boundaries) if boundary % page == 0]
    inside = [time for time, boundary in zip(times, boundaries) if boundary % page]
    return across, inside


def _step(times: Sequence[float], boundaries: Sequence[int], page: int) -> float:
    across, inside = _groups(times, boundaries, page)
    return median(across) - median(inside)


def _misfit(times: Sequence[float], boundaries: Sequence[int], page: int) -> float:
    # The sum of squares around the median of each group, with outliers clipped.
    sigma = scatter(times)
    total = 0.0
    for group in _groups(times, boundaries, page):
        middle = median(group)
        total += sum(min(abs(time - middle), max(1.0, 3 * sigma)) ** 2 for time in group)
    return total
