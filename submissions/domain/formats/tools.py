"""The tools whose output is read: one row each."""

from collections.abc import Iterator
from dataclasses import dataclass

from submissions.domain.formats.dd import Dd
from submissions.domain.formats.fdisk import Fdisk
from submissions.domain.formats.flashbench import Flashbench
from submissions.domain.formats.hdparm import Hdparm
from submissions.domain.formats.scene import Reader


@dataclass(frozen=True, slots=True)
class Tool:
    """`recognised`: by which lines; `sync`, `queue_depth`: how it writes and how many requests it keeps in flight;
    `meaning`: what its numbers are; `source`: where that is known from; `target`: what it measures, as in a report.
    """

    name: str
    reader: type[Reader]
    recognised: str
    sync: str
    queue_depth: str
    meaning: str
    source: str
    target: str = "unknown"


TOOLS = (
    Tool(
        "flashbench",
        Flashbench,
        "rows “align N pre … on … post … diff …”; rows of a size and rates that end in /s",
        "O_DIRECT and O_SYNC for every test",
        "1",
        "align: mean over 7 places of the shortest of 8 reads; rates: bytes over the time inside all writes of a row",
        "flashbench.c, vm.c, dev.c",
        target="device",
    ),
    Tool(
        "dd",
        Dd,
        "the line with bytes, seconds and a rate, in any language",
        "none, unless its command line says oflag=direct, oflag=dsync or conv=fsync",
        "1",
        "bytes over seconds; without conv=fsync a write may still be in the memory of the host",
        "coreutils dd.c",
    ),
    Tool(
        "hdparm",
        Hdparm,
        "“Timing … reads: … MB in … seconds = … MB/sec”",
        "reads only; through the page cache, unless it says O_DIRECT",
        "1, with read-ahead by the host where it is buffered",
        "reads of 2 MiB from the start of the device for three seconds; MB are 2^20 bytes",
        "hdparm.c",
        target="device",
    ),
    Tool(
        "fdisk",
        Fdisk,
        "“Disk /dev/…: …, N bytes” in any language; factor's “N: 2 2 …”",
        "measures nothing",
        "measures nothing",
        "the size of the device in bytes",
        "util-linux fdisk.c",
    ),
)


TARGETS = {tool.name: tool.target for tool in TOOLS}


def new_readers() -> Iterator[Reader]:
    """One reader of each kind, for one text."""
    return (tool.reader() for tool in TOOLS)
