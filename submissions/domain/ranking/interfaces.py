"""Interface classes: the throughput of the slot that a reader uses, wherever a card was measured.

No card is faster than its slot. Rows of data/interfaces.csv, slowest first; those of another kind of slot come last.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from submissions.domain import tables
from submissions.domain.translation import Titled


@dataclass(frozen=True, slots=True)
class Interface(Titled):
    """A class of interfaces.

    `raw_bytes_per_second`: clock times width; `practical_bytes_per_second`: the rate that good cards reach in such a
    slot; both None if nothing limits the card. `slot`: the kind of slot, as of an ability: values of one kind say
    nothing about another.
    """

    name: str
    english: str
    raw_bytes_per_second: float | None
    practical_bytes_per_second: float | None
    slot: str
    source: str

    @property
    def log_cap(self) -> float:
        """Return the natural log of the throughput that is possible here, inf without a limit."""
        practical = self.practical_bytes_per_second
        return math.inf if practical is None else math.log(practical)


@cache
def all_interfaces() -> dict[str, Interface]:
    """Return the interface classes by name, in the order of the table."""
    return {row["name"]: _interface(row) for row in tables.rows("interfaces")}


def find(name: str) -> Interface:
    """Return the interface class of this name; raise ReportError if there is none."""
    return tables.find(name, among=all_interfaces(), kind="interface")


def reach(raw_bytes_per_second: float) -> float:
    """Return the bytes per second that a link of this raw rate reaches in practice.

    It is the same share of the raw rate as in the class with the nearest rate.
    """
    every = all_interfaces().values()
    limited = [interface for interface in every if interface.raw_bytes_per_second and not interface.slot]
    nearest = min(limited, key=lambda interface: abs(math.log(_raw(interface) / raw_bytes_per_second)))
    return raw_bytes_per_second * (nearest.practical_bytes_per_second or 0) / _raw(nearest)


def _raw(interface: Interface) -> float:
    return interface.raw_bytes_per_second or math.inf


def _interface(row: Mapping[str, str]) -> Interface:
    name, title, *rates, slot, source = row.values()
    raw, practical = (float(rate) if rate else None for rate in rates)
    return Interface(name, title, raw, practical, slot, source)
