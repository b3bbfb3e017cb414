"""The link (bus) between host and card: its rate, and whether the host stated the rate or it is assumed."""

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
    """The rates of the bus between a host and its card.

    `raw_bytes_per_second` is clock times width; `practical_bytes_per_second` is the rate that hosts reach, if far
    lower.
    """

    raw_bytes_per_second: float
    is_stated: bool
    practical_bytes_per_second: float | None = None

    @property
    def limiting_share(self) -> float:
        """Return the share of the raw rate from which on the bus may be the limit of a card."""
        practical = self.practical_bytes_per_second
        return _NEARLY * practical / self.raw_bytes_per_second if practical else _REACHED


def find_link(host: Host, bus: str | None, *, express: bool = False) -> Link:
    """Return the link (bus) between a host and its card.

    Its rate follows from clock and width, else from the name of the mode, else from the slot or the USB ports of the
    board, else it is assumed from the kind of card.
    """
    mode = host.bus_mode
    if mode.clock_hz and mode.width_bits:
        double = 2 if "DDR" in mode.name.upper() or "HS400" in mode.name.upper() else 1
        return Link(mode.clock_hz * mode.width_bits / 8 * double, is_stated=True)
    fastest = _EXPRESS if express else _FASTEST.get(bus or "", _FASTEST_DRIVE)
    return _link_of_mode(mode) or _link_of_port(host) or Link(fastest, is_stated=False)


def _link_of_mode(mode: BusMode) -> Link | None:
    row = next(
        (row for row in tables.rows("bus_modes") if row["name"].casefold() == mode.name.casefold()), None
    )
    if row is None:
        return None
    practical = row["practical_bytes_per_second"]
    return Link(float(row["raw_bytes_per_second"]), True, float(practical) if practical else None)


# No card is faster than its slot, and no reader faster than its USB port; data/ports.csv lists boards with one kind
# of port only. A user who overclocks the slot states the clock in the report.
def _link_of_port(host: Host) -> Link | None:
    return next((_link_of_mode(BusMode(name=row["mode"])) for row in _ports(host)), None)


def never_queues(host: Host) -> bool:
    """Return whether commands cannot wait in the card on this host, even if the card has a command queue."""
    return any(row["queues"] == "no" for row in _ports(host))


def _ports(host: Host) -> Iterator[Mapping[str, str]]:
    return (
        row
        for row in tables.rows("ports")
        if row["interface"] == host.interface and re.match(row["board"], host.board)
    )
