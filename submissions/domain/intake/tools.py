"""The tools with output that can be parsed: their readers, and their descriptions in data/formats.toml."""

from collections.abc import Mapping
from dataclasses import dataclass

from submissions.domain import tables
from submissions.domain.intake.readers import (
    agnostics,
    ambiguous,
    bonnie,
    card_fields,
    cardbench,
    crystaldiskmark,
    dd,
    diskspd,
    drivespeed,
    f3,
    fdisk,
    ffsb,
    fio,
    fio_table,
    flashbench,
    gnome_disks,
    h2testw,
    hdparm,
    health_lines,
    ioping,
    iozone,
    kernel_log,
    microcontroller,
    mmc_ios,
    partial_identity,
    pibenchmarks,
    sysbench,
    typed,
)
from submissions.domain.intake.scene import Scene
from submissions.domain.intake.slots import Table


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of data/formats.toml: a tool as pages describe it, in words.

    `recognised`: the lines by which its output is recognised; `sync`, `queue_depth`: how it writes, and how many
    requests it keeps in flight; `meaning`: the meaning of its numbers; `source`: where this is known from; `target`:
    `run.target` of a report; `asks`: the questions that its output may leave open, "" for none; `example`: some lines
    of its output.
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


# Tool -> reader, in the order in which readers are tried.
READERS: Mapping[str, type[Table]] = {
    "cardbench": cardbench.Cardbench,
    "flashbench": flashbench.Flashbench,
    "dd": dd.Dd,
    "hdparm": hdparm.Hdparm,
    "fio": fio.Fio,
    "fio table": fio_table.FioTable,
    "agnostics": agnostics.Agnostics,
    "iozone": iozone.Iozone,
    "bonnie++": bonnie.Bonnie,
    "f3": f3.F3,
    "h2testw": h2testw.H2testw,
    "crystaldiskmark": crystaldiskmark.CrystalDiskMark,
    "kdiskmark": crystaldiskmark.KDiskMark,
    "ffsb": ffsb.Ffsb,
    "pibenchmarks": pibenchmarks.PiBenchmarks,
    "drivespeed": drivespeed.DriveSpeed,
    "fdisk": fdisk.Fdisk,
    "kernel": kernel_log.KernelLog,
    "sbc-bench": partial_identity.PartialIdentity,
    "debugfs": mmc_ios.MmcIos,
    "ioping": ioping.Ioping,
    "sysbench": sysbench.Sysbench,
    "sdfat": microcontroller.Microcontroller,
    "sd_bench": microcontroller.Microcontroller,
    "esp32": microcontroller.Microcontroller,
    "diskspd": diskspd.Diskspd,
    "gnome-disks": gnome_disks.GnomeDisks,
    "health": health_lines.Health,
    "card-fields": card_fields.CardFields,
    "typed": typed.Typed,
}
TOOLS = tuple(Tool(**words) for words in tables.document("formats")["format"])
TARGETS = {tool.name: tool.target for tool in TOOLS}
KINDS: tuple[type[Table], ...] = (*dict.fromkeys(READERS.values()), ambiguous.Ambiguous)
ROWS = tuple(pattern for reader in KINDS for pattern, _ in reader.rows)


def new_readers(scene: Scene) -> list[Table]:
    """Return a new reader (parser of one tool's output) of each kind, to read one text."""
    return [reader(scene) for reader in KINDS]
