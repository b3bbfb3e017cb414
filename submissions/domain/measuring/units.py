"""The units that a report may use, with their base unit and factor. A unit is never guessed.

Base units: bytes per second, operations per second, nanoseconds, bytes, a plain count. Sizes with an `i` are powers of
1024; all others are powers of 1000 (SI; IEC 80000-13).
"""

from submissions.domain import tables
from submissions.domain.errors import UnknownWorkload

RATE, IOPS, TIME, SIZE, COUNT = "B/s", "1/s", "ns", "B", "count"

# unit as a report spells it -> (base unit, factor)
UNITS = {row["unit"]: (row["base"], float(row["factor"])) for row in tables.rows("units")}


def factor(unit: str, *, base: str) -> float:
    """Return the factor from `unit` to `base`. Raise UnknownWorkload if the unit is unknown or of another kind."""
    if unit not in UNITS:
        raise UnknownWorkload(
            f"Unit “{unit}” is unknown; use one of {', '.join(UNITS)}.", field="unit", code="unknown_unit"
        )
    kind, multiplier = UNITS[unit]
    if kind != base:
        raise UnknownWorkload(
            f"Unit “{unit}” does not measure this metric; its base unit is {base}.",
            field="unit",
            code="wrong_unit",
        )
    return multiplier
