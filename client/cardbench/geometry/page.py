"""The page: the smallest boundary that reads stumble over, checked by writes where they are allowed."""

import math
from collections.abc import Mapping, Sequence
from statistics import median

from cardbench.geometry.boundaries import Ladder, Multiples, contrast, lowest_at_top
from cardbench.geometry.decide import scatter
from cardbench.geometry.erase_block import BELOW
from cardbench.geometry.estimate import Finding, abstained, found
from cardbench.geometry.probe import Probe
from cardbench.plan import KIB, MIB, binary

_HIGHEST = 17  # 128 KiB
_BOUNDS = (7.5, 9.5)
_STRETCH_BYTES = 128 * KIB  # written with one length, then with another
_UNIT_BYTES = 96 * MIB  # a multiple of every erase block
_SIZES = tuple(2**exponent * KIB for exponent in range(1, 8))
_CLEAR_ERRORS, _WORST_FIT = 4.5, 30.0
_ERROR_OF_MEDIAN = 1.2533  # against that of a mean


def find_page(probe: Probe) -> Finding:
    """Its size in bytes, a power of two; abstains when neither reads nor, if allowed, writes show it."""
    floor = probe.sample_bytes.bit_length() - 1
    reference = contrast(probe, BELOW, [Multiples(floor)])
    finding = None
    for bound in _BOUNDS if reference else ():
        assert reference
        lowest = lowest_at_top(Ladder(probe, reference, bound), range(floor + 1, _HIGHEST + 1), Multiples)
        if lowest:
            words = (
                f"A read across its end takes {math.expm1(reference.step):.0%} longer; inside, nothing more."
            )
            finding = found(2 ** lowest[0], lowest[1], words)
            break
    if not probe.surface.may_write:
        return finding or abstained("Reads do not show it clearly, and writing was not allowed.")
    return _checked(probe, finding) if finding else _by_writing(probe)


def _checked(probe: Probe, finding: Finding) -> Finding:
    """Reads may show pairs of pages: half of it is the page if a write of half takes half the time to program."""
    assert finding.value
    size_bytes = finding.value
    if size_bytes // 2 < probe.surface.logical_block_bytes:
        return finding
    sizes = (size_bytes // 2, size_bytes, 2 * size_bytes)
    times = _write_times(probe, sizes, stretch_bytes=2 * size_bytes, rounds=10)
    half, whole, double = (median(times[size]) for size in sizes)
    scatters = (scatter(times[size]) / math.sqrt(len(times[size])) for size in sizes[:2])
    error = _ERROR_OF_MEDIAN * math.sqrt(2) * max(scatters)
    share = (whole - half) / max(
        1, double - whole
    )  # one half when programming time goes with length, else less
    if whole - half < _CLEAR_ERRORS * error or share < 0.4:
        return finding
    if share < 0.46 and _is_held_up_by_the_bus(probe, times):
        return finding if share < 0.42 else abstained("Reads and writes do not agree, for the bus is slower.")
    words = f"Reads show {binary(size_bytes)}, but a write of half of it takes half the time."
    return found(size_bytes // 2, 5.0, words)


def _by_writing(probe: Probe) -> Finding:
    """Up to a page every write takes the time of a page; beyond it, more."""
    sizes = [size for size in _SIZES if size >= probe.surface.logical_block_bytes]
    times = _write_times(probe, sizes, stretch_bytes=_STRETCH_BYTES, rounds=6)
    fits = sorted((_misfit(times, page), page) for page in sizes)
    (best, page), (second, _) = fits[:2]
    lead = (second - best) / 2
    if _is_held_up_by_the_bus(probe, times):
        return abstained("Reads do not show it, and writes are as fast as the bus.")
    if lead < 12 or best > _WORST_FIT or page in (sizes[0], sizes[-1]):
        return abstained("Neither reads nor writes show it clearly.")
    return found(page, lead, f"A write of less than {binary(page)} takes as long as one of {binary(page)}.")


def _is_held_up_by_the_bus(probe: Probe, times: Mapping[int, Sequence[int]]) -> bool:
    """Whether more bytes take hardly longer to write than to read: then writes tell of the bus, not of pages."""
    *_, large, largest = times
    written_ns = median(times[largest]) - median(times[large])
    reads_ns = {size: probe.read(size, [_some_place(probe) for _ in range(16)]) for size in (large, largest)}
    return written_ns < 1.3 * (median(reads_ns[largest]) - median(reads_ns[large]))


def _some_place(probe: Probe) -> int:
    return probe.chance.randrange(probe.surface.size_bytes // MIB) * MIB


def _misfit(times: Mapping[int, Sequence[int]], page: int) -> float:
    """Sum of squares around the best line through (max(size, page), middle time), each with 1 % of its own besides."""
    points = []
    for size, durations_ns in times.items():
        middle = median(durations_ns)
        error = _ERROR_OF_MEDIAN * scatter(durations_ns) / math.sqrt(len(durations_ns))
        points.append((1 / (error**2 + (0.01 * middle) ** 2), float(max(size, page)), middle))
    total = sum(weight for weight, _, _ in points)
    mean_x = sum(weight * x for weight, x, _ in points) / total
    mean_y = sum(weight * y for weight, _, y in points) / total
    spread = sum(weight * (x - mean_x) ** 2 for weight, x, _ in points)
    product = sum(weight * (x - mean_x) * (y - mean_y) for weight, x, y in points)
    slope = product / spread if spread else 0.0
    return sum(weight * (y - mean_y - slope * (x - mean_x)) ** 2 for weight, x, y in points)


def _write_times(
    probe: Probe, sizes: Sequence[int], *, stretch_bytes: int, rounds: int
) -> dict[int, list[int]]:
    """Times in ns of writes in sequence; each stretch with one length, the lengths in random order."""
    times: dict[int, list[int]] = {size: [] for size in sizes}
    offset = probe.fresh_unit(_UNIT_BYTES)
    for _ in range(rounds):
        for size in probe.chance.sample(sizes, k=len(sizes)):
            for _ in range(stretch_bytes // size):
                times[size].append(probe.write(size, offset))
                offset += size
    return times
