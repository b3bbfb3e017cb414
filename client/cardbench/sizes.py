"""Units of sizes, durations and rates, and their notation for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KIB, MIB = 1024, 1024**2
SECOND_NS = 1_000_000_000
# Unit of a report -> its base unit, and the factor to it.
_UNITS: Mapping[str, tuple[str, float]] = {
    **{
        f"{prefix}B{per}": (f"B{per}", 1e3**power)
        for per in ("", "/s")
        for power, prefix in enumerate(("", "k", "M", "G"))
    },
    **{
        f"{prefix}iB{per}": (f"B{per}", 1024.0**power)
        for per in ("", "/s")
        for power, prefix in enumerate("KMG", 1)
    },
    **{unit: ("ns", 1e3**power) for power, unit in enumerate(("ns", "us", "ms", "s"))},
}
# Base unit -> the units in which it is printed, and the factors.
_SPOKEN = {
    "ns": (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)),
    "B/s": (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1)),
    "1/s": (("per second", 1),),
    "us": (("µs", 1),),
    "count": (("", 1),),
}


@dataclass(frozen=True)
class Quantity:
    """A value in the unit of its report. As text, a value in a base unit gets a larger unit that suits it."""

    value: float
    unit: str

    @property
    def base(self) -> float:
        """Return the value in the base unit; unchanged if the unit is unknown."""
        return self.value * _UNITS.get(self.unit, ("", 1.0))[1]

    def __str__(self) -> str:
        if self.unit == "B":
            return binary(round(self.value))
        number, unit = self.say(self.value)
        return f"{number} {unit}".rstrip()

    def say(self, value: float) -> tuple[str, str]:
        """Format another value, such as a repeat, in the unit in which this quantity is printed.

        Return number and unit.
        """
        if self.unit == "B":
            return binary(round(value)), ""
        spoken = _SPOKEN.get(self.unit)
        if spoken is None:
            return f"{value:,.10g}", self.unit
        unit, factor = next((one for one in spoken if abs(self.value) >= one[1]), spoken[-1])
        scaled = value / factor
        return f"{scaled:,.0f}" if abs(scaled) >= 1000 else f"{scaled:.4g}", unit


def binary(size_bytes: int) -> str:
    """Return a size in bytes as text with the largest binary unit that divides it, such as "4 KiB"."""
    for unit, name in ((1024**3, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes:,} B"
