"""Compute figures such as percentiles from the times of operations, without I/O."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from cardbench.sizes import SECOND_NS

_ENOUGH_FOR_P999 = 1000  # with fewer, the 99.9th percentile would be the maximum
_MODE_STEP = 1.05  # latencies within 5 % of each other count as the same


def percentile(values: Sequence[int], percent: float) -> int:
    """Return the smallest of the values that is not below `percent` of all.

    This is the nearest rank, so the result is always a measured value.
    """
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def mode(durations_ns: Sequence[int]) -> float:
    """Return the most frequent duration in ns: the median of the class 5 % wide with the most values.

    If several classes have as many, the one of the shortest durations counts.
    """
    classes: dict[int, list[int]] = {}
    for duration_ns in sorted(durations_ns):
        classes.setdefault(round(math.log(max(1, duration_ns), _MODE_STEP)), []).append(duration_ns)
    fullest = max(classes, key=lambda number: len(classes[number]))
    return median(classes[fullest])


def slowest_second(block_size_bytes: int, durations_ns: Sequence[int]) -> float | None:
    """Return the bytes/s in the slowest second of consecutive operations, or None if all took less than a second.

    A second begins where an operation begins. An operation counts with its part within the second, so the result is
    nearly 0 if one stalls for two seconds.
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
    """Return the bytes/s of groups of consecutive operations, in order.

    The groups have equal sizes, at most `points`.
    """
    size = math.ceil(len(durations_ns) / points) or 1
    groups = (durations_ns[at : at + size] for at in range(0, len(durations_ns), size))
    return [round(block_size_bytes * len(group) * SECOND_NS / max(1, sum(group))) for group in groups]


def latencies(durations_ns: Sequence[int]) -> dict[str, float]:
    """Return percentiles and the maximum of the durations, in ns."""
    values: dict[str, float] = {
        "latency_p50": percentile(durations_ns, 50),
        "latency_p99": percentile(durations_ns, 99),
    }
    if len(durations_ns) >= _ENOUGH_FOR_P999:
        values["latency_p999"] = percentile(durations_ns, 99.9)
    return values | {"latency_max": max(durations_ns)}


def spread(values: Sequence[float]) -> float:
    """Return the difference between the largest and the smallest value as a share of the median."""
    return (max(values) - min(values)) / (median(values) or 1)


def align_values(samples: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    """Return medians in ns of reads before, on and after a boundary, and of on - (pre + post) / 2, over all positions.

    A sample is such a triple of durations (pre, on, post) at one position.
    """
    pre, on, post = zip(*samples)
    return {
        "align_pre": median(pre),
        "align_on": median(on),
        "align_post": median(post),
        "align_diff": median(on_ns - (before + after) / 2 for before, on_ns, after in samples),
    }
