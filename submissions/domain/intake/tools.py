"""The tools whose output is read: a reader each, and its words in data/formats.toml."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from submissions.domain import tables
from submissions.domain.intake.readers.agnostics import Agnostics
from submissions.domain.intake.readers.ambiguous import Ambiguous
from submissions.domain.intake.readers.bonnie import Bonnie
from submissions.domain.intake.readers.card_fields import CardFields
from submissions.domain.intake.readers.crystaldiskmark import CrystalDiskMark, KDiskMark
from submissions.domain.intake.readers.dd import Dd
from submissions.domain.intake.readers.diskspd import Diskspd
from submissions.domain.intake.readers.drivespeed import DriveSpeed
from submissions.domain.intake.readers.f3 import F3
from submissions.domain.intake.readers.fdisk import Fdisk
from submissions.domain.intake.readers.ffsb import Ffsb
from submissions.domain.intake.readers.fio import Fio
from submissions.domain.intake.readers.fio_table import FioTable
from submissions.domain.intake.readers.flashbench import Flashbench
from submissions.domain.intake.readers.gnome_disks import GnomeDisks
from submissions.domain.intake.readers.h2testw import H2testw
from submissions.domain.intake.readers.hdparm import Hdparm
from submissions.domain.intake.readers.health_lines import Health
from submissions.domain.intake.readers.ioping import Ioping
from submissions.domain.intake.readers.iozone import Iozone
from submissions.domain.intake.readers.kernel_log import KernelLog
from submissions.domain.intake.readers.microcontroller import Microcontroller
from submissions.domain.intake.readers.mmc_ios import MmcIos
from submissions.domain.intake.readers.partial_identity import PartialIdentity
from submissions.domain.intake.readers.pibenchmarks import PiBenchmarks
from submissions.domain.intake.readers.sysbench import Sysbench
from submissions.domain.intake.readers.typed import Typed
from submissions.domain.intake.scene import Reader


@dataclass(frozen=True, slots=True)
class Tool:
    """`recognised`: by which lines; `sync`, `queue_depth`: how it writes and how many requests it keeps in flight;
    `meaning`: what its numbers are; `source`: where that is known from; `target`: what it measures, as in a report;
    `asks`: what its text may leave open, "" for nothing; `example`: some lines of it.
    """

    name: str
    recognised: str
    sync: str
    queue_depth: str
    meaning: str
    source: str
    example: str
    target: str = "unknown"
    asks: str = ""


# In the order in which they are asked.
READERS: Mapping[str, type[Reader]] = {
    "flashbench": Flashbench,
    "dd": Dd,
    "hdparm": Hdparm,
    "fio": Fio,
    "fio table": FioTable,
    "agnostics": Agnostics,
    "iozone": Iozone,
    "bonnie++": Bonnie,
    "f3": F3,
    "h2testw": H2testw,
    "crystaldiskmark": CrystalDiskMark,
    "kdiskmark": KDiskMark,
    "ffsb": Ffsb,
    "pibenchmarks": PiBenchmarks,
    "drivespeed": DriveSpeed,
    "fdisk": Fdisk,
    "kernel": KernelLog,
    "sbc-bench": PartialIdentity,
    "debugfs": MmcIos,
    "ioping": Ioping,
    "sysbench": Sysbench,
    "sdfat": Microcontroller,
    "sd_bench": Microcontroller,
    "esp32": Microcontroller,
    "diskspd": Diskspd,
    "gnome-disks": GnomeDisks,
    "health": Health,
    "card-fields": CardFields,
    "typed": Typed,
}
TOOLS = tuple(Tool(**words) for words in tables.document("formats")["format"])
TARGETS = {tool.name: tool.target for tool in TOOLS}
KINDS: tuple[type[Reader], ...] = (*dict.fromkeys(READERS.values()), Ambiguous)
ROWS = tuple(pattern for reader in KINDS for pattern, _ in reader.rows)


def new_readers() -> Iterator[Reader]:
    """One reader of each kind, for one text."""
    yield from (reader() for reader in KINDS)
