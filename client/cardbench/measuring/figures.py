"""Times of operations become figures. Pure: numbers in, numbers out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from cardbench.sizes import SECOND_NS

_ENOUGH_FOR_P999 = 1000  # with fewer, the 99.9th percentile is the longest and tells nothing of its own
_MODE_STEP = 1.05  # latencies within 5 % of each other count as the same


def percentile(values: Sequence[int], percent: float) -> int:
    """The smallest value that is not below `percent` of all. Nearest rank: it is a time that was measured."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def mode(durations_ns: Sequence[int]) -> float:
    """The most frequent duration: the middle of the fullest of classes that are 5 % wide; of several, the shortest."""
    classes: dict[int, list[int]] = {}
    for duration_ns in sorted(durations_ns):
        classes.setdefault(round(math.log(max(1, duration_ns), _MODE_STEP)), []).append(duration_ns)
    fullest = max(classes, key=lambda number: len(classes[number]))
    return median(classes[fullest])


def slowest_second(block_size_bytes: int, durations_ns: Sequence[int]) -> float | None:
    """Bytes/s in the slowest second of operations that followed each other; None when all took less than one.

    A second begins where an operation begins, and an operation counts with the part that lies in it: a stall of two
    seconds makes it 0.
    """
    ends_ns = [0]
    for duration_ns in durations_ns:
        ends_ns.append(ends_ns[-1] + duration_ns)
    if ends_ns[-1] < SECOND_NS:
        return None
    slowest, last = math.inf, 0
    for first, begin_ns in enumerate(ends_ns):
        if begin_ns + SECOND_NS > ends_ns[-1]:
            break
        while ends_ns[last] < begin_ns + SECOND_NS:
            last += 1
        begun_ns = begin_ns + SECOND_NS - ends_ns[last - 1]
        done = last - 1 - first + begun_ns / (ends_ns[last] - ends_ns[last - 1])
        slowest = min(slowest, done * block_size_bytes)
    return slowest


def rate_series(block_size_bytes: int, durations_ns: Sequence[int], points: int = 120) -> list[int]:
    """Bytes/s of the operations in at most so many equal groups, in their order."""
    size = math.ceil(len(durations_ns) / points) or 1
    groups = (durations_ns[at : at + size] for at in range(0, len(durations_ns), size))
    return [round(block_size_bytes * len(group) * SECOND_NS / max(1, sum(group))) for group in groups]


def latencies(durations_ns: Sequence[int]) -> dict[str, float]:
    """Percentiles and the longest."""
    values: dict[str, float] = {
        "latency_p50": percentile(durations_ns, 50),
        "latency_p99": percentile(durations_ns, 99),
    }
    if len(durations_ns) >= _ENOUGH_FOR_P999:
        values["latency_p999"] = percentile(durations_ns, 99.9)
    return values | {"latency_max": max(durations_ns)}


def spread(values: Sequence[float]) -> float:
    """From the lowest to the highest, as a share of the middle value."""
    return (max(values) - min(values)) / (median(values) or 1)


def align_values(samples: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    """(pre, on, post) in ns at each position -> the median of each, and of on - (pre + post) / 2."""
    pre, on, post = zip(*samples)
    return {
        "align_pre": median(pre),
        "align_on": median(on),
        "align_post": median(post),
        "align_diff": median(on_ns - (before + after) / 2 for before, on_ns, after in samples),
    }
