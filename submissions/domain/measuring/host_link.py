"""The link between host and card: the rate it can carry, and whether the host stated it or it is assumed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from submissions.domain import tables
from submissions.domain.report import BusMode, Host

# An SD Express card has up to two lanes of PCIe 4.0 (SD Association, SD 8.0).
_EXPRESS = 3938e6
# No link known, a card reader say: no SD card is faster than UHS-II in half duplex (SD Association, bus speed
# overview), no eMMC than HS400 (data/bus_modes.csv), and whatever it is, no drive than 10 Gbit/s (USB 3.2 Gen 2).
_FASTEST = {"SD": 312e6, "MMC": 400e6}
_FASTEST_DRIVE = 1250e6
# Good hosts reach 43-45 of 50 MB/s (Raspberry Pi 4) and about 90 of 104 (Raspberry Pi 5).
_REACHED = 0.85
_NEARLY = 0.95


@dataclass(frozen=True, slots=True)
class Link:
    """`raw_bytes_per_second`: clock times width. `practical_bytes_per_second`: what is reached, if that is far less."""

    raw_bytes_per_second: float
    is_stated: bool
    practical_bytes_per_second: float | None = None

    @property
    def reached(self) -> float:
        """Share of the raw rate from which on the link may hold a card back."""
        practical = self.practical_bytes_per_second
        return _NEARLY * practical / self.raw_bytes_per_second if practical else _REACHED


def of_host(host: Host, bus: str | None, *, express: bool = False) -> Link:
    """Return the link of a host.

    It is known by clock and width, else by the name of the mode, else by what the slot or the USB ports of the board
    can do, else assumed from the bus.
    """
    mode = host.bus_mode
    if mode.clock_hz and mode.width_bits:
        double = 2 if "DDR" in mode.name.upper() or "HS400" in mode.name.upper() else 1
        return Link(mode.clock_hz * mode.width_bits / 8 * double, is_stated=True)
    fastest = _EXPRESS if express else _FASTEST.get(bus or "", _FASTEST_DRIVE)
    return _named(mode) or _port(host) or Link(fastest, is_stated=False)


def _named(mode: BusMode) -> Link | None:
    row = next(
        (row for row in tables.rows("bus_modes") if row["name"].casefold() == mode.name.casefold()), None
    )
    if row is None:
        return None
    practical = row["practical_bytes_per_second"]
    return Link(float(row["raw_bytes_per_second"]), True, float(practical) if practical else None)


def _port(host: Host) -> Link | None:
    """No card is faster than the slot of the board it is in, nor a reader than its USB port, where a board has one kind
    alone. A clock that was raised is stated by who raised it."""
    return next((_named(BusMode(name=row["mode"])) for row in _ports(host)), None)


def never_queues(host: Host) -> bool:
    """Return whether commands cannot wait in the card, whatever the card can do."""
    return any(row["queues"] == "no" for row in _ports(host))


def _ports(host: Host) -> Iterator[Mapping[str, str]]:
    return (
        row
        for row in tables.rows("ports")
        if row["interface"] == host.interface and re.match(row["board"], host.board)
    )
