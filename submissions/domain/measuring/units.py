"""Units a report may use, and what they are in the base unit of their kind. A unit is never guessed.

Base units: bytes per second, operations per second, nanoseconds, bytes, a plain count.
Sizes with an `i` are powers of 1024; all others are powers of 1000 (SI; IEC 80000-13).
"""

from submissions.domain.errors import UnknownWorkload

RATE, IOPS, TIME, SIZE, COUNT = "B/s", "1/s", "ns", "B", "count"

# unit as spelled in a report -> (base unit, factor)
UNITS: dict[str, tuple[str, float]] = {
    "B/s": (RATE, 1),
    "kB/s": (RATE, 1e3),
    "MB/s": (RATE, 1e6),
    "GB/s": (RATE, 1e9),
    "KiB/s": (RATE, 1024),
    "MiB/s": (RATE, 1024**2),
    "GiB/s": (RATE, 1024**3),
    "1/s": (IOPS, 1),
    "ns": (TIME, 1),
    "us": (TIME, 1e3),
    "ms": (TIME, 1e6),
    "s": (TIME, 1e9),
    "B": (SIZE, 1),
    "kB": (SIZE, 1e3),
    "MB": (SIZE, 1e6),
    "GB": (SIZE, 1e9),
    "KiB": (SIZE, 1024),
    "MiB": (SIZE, 1024**2),
    "GiB": (SIZE, 1024**3),
    "count": (COUNT, 1),
}


def factor(unit: str, *, base: str) -> float:
    """Factor from `unit` to `base`. Raises UnknownWorkload when the unit is unknown or of another kind."""
    if unit not in UNITS:
        raise UnknownWorkload(
            f"Unit “{unit}” is not known; use one of {', '.join(UNITS)}.", field="unit", code="unknown_unit"
        )
    kind, multiplier = UNITS[unit]
    if kind != base:
        raise UnknownWorkload(
            f"Unit “{unit}” does not measure this metric; its base unit is {base}.",
            field="unit",
            code="wrong_unit",
        )
    return multiplier
