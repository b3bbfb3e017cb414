"""Measure how long a reader takes for a text; times are only compared with other times of the same test."""

import time
from collections.abc import Callable


def cpu_seconds(read: Callable[[str], object], text: str) -> float:
    """Return the least CPU time of three calls in seconds."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        read(text)
        best = min(best, time.process_time() - start)
    return best
