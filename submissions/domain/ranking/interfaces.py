"""Classes of interfaces: the throughput of the slot that a visitor has, in whichever slot a card was measured.

No card is faster than its slot. They are the rows of data/interfaces.csv, slowest first; other kinds of slots are last.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from submissions.domain import tables
from submissions.domain.translation import Titled


@dataclass(frozen=True, slots=True)
class Interface(Titled):
    """A class of interfaces between host and card, such as UHS-I; a row of data/interfaces.csv.

    `raw_bytes_per_second`: clock times width; `practical_bytes_per_second`: the rate that good cards reach with this
    interface; both are None if nothing limits the card. `slot`: the kind of slot, as for an ability: values of one kind
    say nothing about another.
    """

    name: str
    english: str
    raw_bytes_per_second: float | None
    practical_bytes_per_second: float | None
    slot: str
    source: str

    @property
    def log_cap(self) -> float:
        """Return the natural log of the throughput that is possible with this interface, inf without a limit."""
        practical = self.practical_bytes_per_second
        return math.inf if practical is None else math.log(practical)


@cache
def all_interfaces() -> dict[str, Interface]:
    """Return the classes of interfaces by name, in the order of data/interfaces.csv."""
    return {row["name"]: _interface(row) for row in tables.rows("interfaces")}


def find(name: str) -> Interface:
    """Return the class of interfaces with this name, such as UHS-I. Raise ReportError if there is none."""
    return tables.find(name, among=all_interfaces(), kind="interface")


def reach(raw_bytes_per_second: float) -> float:
    """Return the bytes per second that a bus of this raw rate reaches in practice.

    The share of the raw rate is taken from the class of interfaces with the nearest raw rate.
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
