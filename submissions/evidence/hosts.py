"""Describe hosts for the estimation: their kinds, and the rates that their buses allow."""

import math
from functools import lru_cache
from typing import Any, NamedTuple

from submissions.domain import report
from submissions.domain.measuring import host_link
from submissions.domain.ranking import interfaces

# Interface; board, reader or machine; bus mode.
HostType = tuple[str, str, str]


class Described(NamedTuple):
    """The kind of a host, and the log of the bytes/s that the bus of its card allows, inf if no bus is stated."""

    log_reach: float
    type: HostType


@lru_cache(maxsize=20_000)
def describe_host(host: tuple[Any, ...]) -> Described:
    """Return the kind of a host and the rate of its bus; `host` has the values of HOST_COLUMNS without the id."""
    board, machine, interface, reader, bus_mode, clock_hz, width_bits = host
    mode = report.BusMode(name=bus_mode, clock_hz=clock_hz, width_bits=width_bits)
    link = host_link.find_link(report.Host(board=board, interface=interface, bus_mode=mode), None)
    reach = link.practical_bytes_per_second or interfaces.reach(link.raw_bytes_per_second)
    log_reach = math.log(reach) if link.is_stated else math.inf
    return Described(log_reach, (interface, board or reader or machine, bus_mode))
