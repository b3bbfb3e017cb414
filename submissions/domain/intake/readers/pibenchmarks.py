"""Storage.sh of PiBenchmarks: hdparm, dd, fio and iozone in a row, and their numbers again in a table.

Where a tool's own output stands in the same text, the table only repeats it. What the script runs is in Storage.sh:
hdparm -t --direct; dd bs=4k conv=fsync of zeros; fio libaio, O_DIRECT, 64 requests of 4 KiB in flight; iozone -e -I
with 4 KiB. Before them it tells the board, the drive and the fields of the CID but its serial number, in its own lines
and in inxi's; of a year it has lost a zero behind 20.
"""

import re
from collections.abc import Mapping
from typing import Any

from submissions.domain.intake.commands import disk
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Fact
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.scene import Reader, Scene, skip
from submissions.domain.measuring.units import SIZE, factor

TOOL = "pibenchmarks"
_KIB, _MIB = 1024, 1024**2
_ROW = re.compile(
    r"(?:\| ?)?(HDParm|DD|FIO|IOZone)[\s|]{1,40}(Disk Read|Cached Disk Read|Disk Write|4k "
    r"(?:[Rr]andom )?(?:[Rr]ead|[Ww]rite))"
    r"[\s|]{1,40}([0-9]{1,9}(?:[.,][0-9]{1,3})?) (MB/s|KB/s|IOPS)(?:ec)?(?: \(([0-9]{1,9}) KB/s\)| IOPS| KB/s)?[\s|]*\Z"
)
_FIO = re.compile(
    r"FIO results - 4k RandWrite: ([0-9]{1,9}) IOPS \(([0-9]{1,9}) KB/s\)"
    r" - 4k RandRead: ([0-9]{1,9}) IOPS \(([0-9]{1,9}) KB/s\)"
)
# Repeated numbers, and a score that mixes units.
_REPEATS = re.compile(
    r"(?:HDParm: [0-9.]{1,9} MB/s - HDParmCached: [0-9.]{1,9} MB/s|DD Write Speed: [0-9.,]{1,9} [kMG]B/s"
    r"|RandRead: [0-9]{1,9} - RandWrite: [0-9]{1,9} - Read: [0-9]{1,9} - Write: [0-9]{1,9}|Score: [0-9]{1,9})\s*\Z"
)
_BOARD = re.compile(
    r"(?:Board information: Manufacturer: .{0,60}? - Model: (?P<board>.{2,80}?) - Architecture: .{1,120}"
    r"|(?:Machine:\s{1,9})?Type: ARM(?: Device)? System: (?P<system>.{2,80}?) details: .{1,80}"
    r"|(?:System:\s{1,9})?Host: \S{1,64}(?: \w{1,20})? Kernel: (?P<kernel>[\w.+-]{3,60}) .{1,120})\Z"
)
_DRIVE = re.compile(
    r"(?:System rootfs drive|Chosen partition) \(.{1,80}\) has been detected as /dev/([\w/-]{2,60}) \(.{1,60}\)\Z"
)
# Of inxi.
_DISK = re.compile(
    r"(?:Drives:.{1,80}? )?ID-[0-9]{1,2}: /dev/(mmcblk[0-9]{1,2}) (?:vendor: .{1,30} )?model: (\S{1,6}) size: "
    r"([0-9]{1,6}(?:[.,][0-9]{1,2})?) ([KMGT])iB.{0,80}\Z"
)
_USB = re.compile(r"(?:Drives:.{1,80}? )?ID-[0-9]{1,2}: /dev/(sd[a-z]{1,2}) type: USB .{1,120}\Z")
_CID = re.compile(
    r"Card CSD status register: MID: ([0-9a-f]{1,2}) OID: (..) PNM: (\S{1,5})\s{0,5} PRV: ([0-9a-f])\.([0-9a-f])"
    r" MDATE: (1?[0-9])/20([0-9]{1,3})\Z"
)
_CARD = re.compile(
    r"(?:MicroSD information: Clock Speed: (?P<clock>[0-9.]{0,6}) - |MMC Type: .{1,40} - )"
    r"Manufacturer: (?P<brand>.{1,40}?) - Model: (?P<pnm>\S{1,6}) - .{1,160}\Z"
)
_VERSION = re.compile(r"Card SCR status register: SD Physical Version Specification: [0-9.]{1,4}\Z")
_DIRECT = {"queue_depth": 1, "io": "direct"}
_DEEP = {"queue_depth": 64, "io": "direct", "block_size_bytes": 4 * _KIB, "order": "random"}
_IOZONE = _DIRECT | {"block_size_bytes": 4 * _KIB, "file_size_bytes": 80 * _MIB}
_READ, _WRITE = {"direction": "read"}, {"direction": "write"}
_END = {"sync": "fsync_at_end"}
_NO_END = {"sync": "none"}
# category and test -> the tool that ran, workload and parameters
_TESTS: dict[tuple[str, str], tuple[str, str, Mapping[str, Any]]] = {
    ("HDParm", "Disk Read"): (
        "hdparm",
        "stream",
        _READ | _DIRECT | {"order": "sequential", "block_size_bytes": 2 * _MIB},
    ),
    ("HDParm", "Cached Disk Read"): ("hdparm", "hdparm", _READ | _DIRECT),
    ("DD", "Disk Write"): (
        "dd",
        "stream",
        _WRITE
        | _END
        | {
            "order": "sequential",
            "block_size_bytes": 4 * _KIB,
            "queue_depth": 1,
            "io": "buffered",
            "data": "zeros",
        },
    ),
    ("FIO", "4k random read"): ("fio", "stream", _READ | _DEEP),
    ("FIO", "4k random write"): ("fio", "stream", _WRITE | _DEEP | _NO_END),
    ("IOZone", "4k read"): ("iozone", "stream", _READ | _IOZONE | {"order": "sequential"}),
    ("IOZone", "4k write"): ("iozone", "stream", _WRITE | _IOZONE | _END | {"order": "sequential"}),
    ("IOZone", "4k random read"): ("iozone", "stream", _READ | _IOZONE | {"order": "random"}),
    ("IOZone", "4k random write"): ("iozone", "stream", _WRITE | _IOZONE | _END | {"order": "random"}),
}
# hdparm's MB are 2^20 bytes and dd's 10^6; fio's and iozone's KB are 1024.
_UNITS = {
    ("hdparm", "MB/s"): "MiB/s",
    ("dd", "MB/s"): "MB/s",
    ("fio", "KB/s"): "KiB/s",
    ("iozone", "KB/s"): "KiB/s",
}


class PiBenchmarks(Reader):
    def __init__(self) -> None:
        self.numbers: set[tuple[str, str, float]] = set()

    def row(self, match: re.Match[str], scene: Scene) -> bool | None:
        name = match[2].lower() if match[2][0] == "4" else match[2]
        test = _TESTS.get((match[1], name))
        if not test:
            return False
        if match[4] == "IOPS":
            self._measured(test, "iops", "1/s", match, 3, scene)
            if match[5]:
                self._measured(test, "throughput", "KiB/s", match, 5, scene)
            return None
        unit = _UNITS.get((test[0], match[4]))
        if unit is None:
            return False
        self._measured(test, "throughput", unit, match, 3, scene)
        return None

    def fio(self, match: re.Match[str], scene: Scene) -> None:
        for test, group in (("4k random write", 1), ("4k random read", 3)):
            self._measured(_TESTS["FIO", test], "iops", "1/s", match, group, scene)
            self._measured(_TESTS["FIO", test], "throughput", "KiB/s", match, group + 1, scene)

    def _measured(
        self,
        test: tuple[str, str, Mapping[str, Any]],
        metric: str,
        unit: str,
        match: re.Match[str],
        group: int,
        scene: Scene,
    ) -> None:
        tool, workload, parameters = test
        value = decimal(match[group])
        number = (f"{tool} {workload} {sorted(parameters.items())}", metric, value)
        if value and tool not in scene.speaking and number not in self.numbers:
            what = (workload, metric, unit)
            scene.measured(TOOL, what, value, span=scene.span(match, group), parameters=parameters)
        self.numbers.add(number)

    def board(self, match: re.Match[str], scene: Scene) -> None:
        board = match["board"] or match["system"]
        name, value = ("board", board) if board else ("kernel", match["kernel"])
        scene.add_fact(TOOL, name, value, span=scene.span(match))

    def drive(self, match: re.Match[str], scene: Scene) -> None:
        scene.device = disk(match[1])

    def disk(self, match: re.Match[str], scene: Scene) -> None:
        about = round(decimal(match[3]) * factor(f"{match[4]}iB", base=SIZE))
        for name, value in (("pnm", match[2]), ("about_size_bytes", about)):
            scene.facts.append(Fact(scene.span(match), TOOL, name, value, match[1]))

    def usb(self, match: re.Match[str], scene: Scene) -> None:
        scene.facts.append(Fact(scene.span(match), TOOL, "transport", "usb", match[1]))

    def cid(self, match: re.Match[str], scene: Scene) -> None:
        facts = {
            "mid": int(match[1], 16),
            "oid": int.from_bytes(match[2].encode("ascii", "replace"), "big"),
            "pnm": match[3],
            "hardware_revision": int(match[4], 16),
            "firmware_revision": match[5],
            "mdt": f"{2000 + int(match[7])}-{int(match[6]):02d}",
        }
        for name, value in facts.items():
            scene.add_fact(TOOL, name, value, span=scene.span(match))

    def card(self, match: re.Match[str], scene: Scene) -> None:
        """The brand where the script knows one for the maker's number; the clock of the first slot."""
        scene.add_fact(TOOL, "pnm", match["pnm"], span=scene.span(match))
        if not match["brand"].startswith("0x"):
            scene.add_fact(TOOL, "brand", match["brand"], span=scene.span(match))
        if match["clock"] and scene.device in ("", "mmcblk0"):
            scene.add_fact(HOST, "clock_hz", round(decimal(match["clock"]) * 1e6), span=scene.span(match))

    rows = (
        (_ROW, row),
        (_FIO, fio),
        (_REPEATS, skip),
        (_BOARD, board),
        (_DRIVE, drive),
        (_DISK, disk),
        (_USB, usb),
        (_CID, cid),
        (_CARD, card),
        (_VERSION, skip),
    )
