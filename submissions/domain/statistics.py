"""Small pure statistics. "Nothing" is None, never 0."""

from collections.abc import Sequence
from statistics import median

__all__ = ["median", "relative_range"]


def relative_range(values: Sequence[float]) -> float | None:
    """(highest - lowest) / median, a plain ratio; None for one value or a median that is not positive."""
    if len(values) < 2 or median(values) <= 0:
        return None
    return (max(values) - min(values)) / median(values)
