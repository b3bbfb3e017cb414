"""Find the size of the erase block: the largest regular boundary where reads, or else writes, take longer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, median

from cardbench.geometry.boundaries import (
    Ladder,
    Multiples,
    contrast,
    find_lowest_at_top,
    is_above,
    step_between,
)
from cardbench.geometry.decide import Levels, scatter
from cardbench.geometry.estimate import Finding, abstain, conclude
from cardbench.geometry.probe import Probe
from cardbench.sizes import KIB, MIB, SECOND_NS, binary

BELOW = [Multiples(17), Multiples(18)]  # boundaries of pages, but of no erase block
_LOWEST, _HIGHEST = 19, 25  # exponents: 2^19 or 3 * 2^19 to 2^25 or 3 * 2^25 bytes
_ENOUGH_PLACES = 200  # boundaries on the card; with fewer, peculiarities of places could look like a level
_FEWEST_AT_TOP, _MOST_AT_TOP = 480, 2400  # pairs of samples
_CLEAR_AT_TOP = 8.0  # standard errors
# Of each attempt: bound in log odds, number of smaller classes taken for the top level, most pairs. There are few
# places of the largest classes, each with its peculiarity. The last attempt is for reads only, as writing is quicker.
_ATTEMPTS = ((7.5, 0, 1200), (9.5, 1, 1800), (12.0, 3, 6000))
_PATIENCE_NS = 8 * SECOND_NS  # for reads, if writing is allowed

_STREAM_BYTES = 64 * KIB
_COMMON_MULTIPLE_BYTES = 96 * MIB
_CLEAR_LEAD = 8.0


def find_erase_block(probe: Probe) -> Finding:
    """Find the size of the erase block in bytes, 2^k or 3 * 2^k.

    It stays unknown if no reads or permitted writes show it.
    """
    top = _top_exponent(round(probe.surface.reach_bytes * probe.filled_share))
    if top <= _LOWEST:
        return abstain("The device is too small: it has too few boundaries to compare.")
    is_seen, begin_ns = False, probe.spent.duration_ns
    for bound, lower, most_pairs in _ATTEMPTS[:2] if probe.surface.may_write else _ATTEMPTS:
        if probe.surface.may_write and probe.spent.duration_ns - begin_ns > _PATIENCE_NS:
            break
        reference = contrast(probe, _large_classes(top, lower), BELOW, most_pairs=most_pairs)
        is_seen |= reference is not None
        finding = _find_by_reading(Ladder(probe, reference, bound), top, lower) if reference else None
        if finding:
            return finding
    if probe.surface.may_write:
        return _find_by_writing(probe)
    if is_seen:
        return abstain("The reads across different boundaries contradict each other.")
    return abstain("Reads do not show the erase block, and cardbench was not allowed to write.")


def _large_classes(top: int, lower: int) -> list[Multiples]:
    # The `lower` smaller classes have more places, but are at the top level only if the erase block is small enough.
    return [Multiples(exponent, three=True) for exponent in range(top - lower, top + 2)]


def _top_exponent(size_bytes: int) -> int:
    # The exponent of the largest power of two with enough multiples in this number of bytes.
    return min(_HIGHEST, (size_bytes // _ENOUGH_PLACES).bit_length() - 1)


def _find_by_reading(ladder: Ladder, top: int, lower: int) -> Finding | None:
    lowest = find_lowest_at_top(ladder, range(_LOWEST, top + 1), lambda x: Multiples(x, three=True))
    if lowest is None:
        return None
    exponent, sure = lowest
    is_power_of_two, sure_of_three = ladder.is_at_top(Multiples(min(exponent + 1, top), three=False), gap=1.0)
    if is_power_of_two is None:
        return None
    three = None if is_power_of_two else True
    if not _exceeds_half_size(ladder.probe, exponent, three=three):
        return None
    if (lower or exponent == top) and not _is_largest(ladder, exponent, three=three):
        return None
    size_bytes = 2**exponent * (1 if is_power_of_two else 3)
    return conclude(size_bytes, min(sure, sure_of_three), _words(size_bytes, ladder.reference))


def _exceeds_half_size(probe: Probe, exponent: int, *, three: bool | None) -> bool:
    # Compares boundaries of this size with those of half the size directly: the search compares with levels of few
    # places, and their peculiarities may look like another level.
    return is_above(probe, [Multiples(exponent, three)], [Multiples(exponent - 1, three)])[0] is True


def _is_largest(ladder: Ladder, exponent: int, *, three: bool | None) -> bool:
    # Boundaries of twice the size would be higher if this were half an erase block.
    larger, here = Multiples(exponent + 1, three), Multiples(exponent, three)
    enough = round(2 * (_CLEAR_AT_TOP * ladder.reference.sigma / ladder.reference.step) ** 2)
    pairs = max(_FEWEST_AT_TOP, min(_MOST_AT_TOP, enough))
    step, error = step_between(ladder.probe, larger, here, pairs)
    return step + error < ladder.reference.step / 2


def _words(size_bytes: int, reference: Levels) -> str:
    high, low = math.expm1(reference.high), math.expm1(reference.low)
    return (
        f"Reads across multiples of {binary(size_bytes)} take {high:.0%} longer than reads next to them;"
        f" reads across other boundaries take {low:.0%} longer."
    )


def _candidates() -> list[int]:
    # 256 KiB to 64 MiB: powers of two, and three times them.
    return sorted([2**k * MIB // 4 for k in range(9)] + [3 * 2**k * MIB // 4 for k in range(7)])


def _find_by_writing(probe: Probe) -> Finding:
    """Write small blocks in order, and find the distance at which writes take longer as new units open.

    Raises GivenUp.
    """
    offsets: list[int] = []
    times: list[float] = []
    next_look = 4 * MIB // _STREAM_BYTES
    for offset in _stream(probe):
        if offset + _STREAM_BYTES > probe.surface.size_bytes:
            break
        duration_ns = probe.write(_STREAM_BYTES, offset)
        if offset % _COMMON_MULTIPLE_BYTES == 0:
            continue  # a unit of any size begins here
        offsets.append(offset)
        times.append(math.log(duration_ns))
        if len(times) >= next_look:
            next_look = len(times) + max(64, len(times) // 8)
            best, lead = _leader(offsets, times)
            if lead >= _CLEAR_LEAD:
                words = (
                    f"In sequential writes, one block in {binary(best)} takes longer: the card opens a new"
                    " unit there."
                )
                return conclude(best, lead, words)
    return abstain("The device is too small for this test of sequential writes.")


def _stream(probe: Probe) -> Iterator[int]:
    """Yield offsets of blocks in order, in one fresh area after the other. Never ends, except by GivenUp."""
    while True:
        base = probe.fresh_unit(_COMMON_MULTIPLE_BYTES)
        yield from range(base, base + _COMMON_MULTIPLE_BYTES, _STREAM_BYTES)


def _leader(offsets: list[int], times: list[float]) -> tuple[int, float]:
    # The best candidate, and its lead in score: 0 while its multiples were crossed fewer than four times.
    standard = _standardize(times)
    crossings = {
        candidate: [value for place, value in zip(offsets, standard) if place % candidate == 0]
        for candidate in _candidates()
    }
    scores = sorted(((_score(values), candidate) for candidate, values in crossings.items()), reverse=True)
    best = scores[0][1]
    enough = len(crossings[best]) >= 4 and all(_is_dense(offsets, standard, best, k) for k in (2, 3))
    return best, scores[0][0] - scores[1][0] if enough else 0.0


def _is_dense(offsets: list[int], standard: list[float], size: int, factor: int) -> bool:
    # False if only multiples of `factor` times the size take longer: then the unit is larger.
    here = [
        (place // size % factor == 0, value) for place, value in zip(offsets, standard) if place % size == 0
    ]
    others = [value for is_multiple, value in here if not is_multiple]
    return len(others) > 1 and 2 * median(others) > median(value for _, value in here)


def _standardize(times: list[float]) -> list[float]:
    # The excess over the neighbours in standard deviations, clipped, so that one stall has little weight. Centred,
    # because stalls are skewed: a mean above 0 would favour the candidate with the most samples.
    middles = [median(times[max(0, at - 16) : at + 17]) for at in range(len(times))]
    above = [value - middle for value, middle in zip(times, middles)]
    sigma = scatter(above)
    clipped = [max(-2.0, min(3.0, value / sigma)) for value in above]
    mean = fmean(clipped)
    return [value - mean for value in clipped]


def _score(at_multiples: list[float]) -> float:
    mean = sum(at_multiples) / max(1, len(at_multiples))
    return len(at_multiples) * mean**2 / 2 if mean > 0 else 0.0
