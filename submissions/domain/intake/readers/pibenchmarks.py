"""Parse the output of PiBenchmarks' Storage.sh: hdparm, dd, fio and iozone in a row, and a table of their numbers.

If the text holds a tool's own output, the table only repeats it. Storage.sh runs: hdparm -t --direct; dd bs=4k
conv=fsync of zeros; fio libaio, O_DIRECT, 64 requests of 4 KiB in flight; iozone -e -I with 4 KiB. Before them it
prints the board, the drive and the fields of the CID without its serial number, in its own lines and in those of inxi;
years lack a zero after 20.
"""

from collections.abc import Mapping
from typing import Any

from submissions.domain.intake.commands import disk
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.readers.mmc_utils import encode_letters
from submissions.domain.intake.slots import TYPES, Found, Table, fact, noise, row
from submissions.domain.intake.structures import parse_parameters

# category -> tool, meaning of its MB, its parameters, additional parameters of its writes
_TOOLS = {
    "HDParm": ("hdparm", "MiB/s", "io=direct queue_depth=1 block_size_bytes=2097152", ""),
    "DD": (
        "dd",
        "MB/s",
        "io=buffered queue_depth=1 block_size_bytes=4096 data=zeros",
        "sync=fsync_at_end",
    ),
    "FIO": ("fio", "MiB/s", "io=direct queue_depth=64 block_size_bytes=4096", "sync=none"),
    "IOZone": (
        "iozone",
        "MiB/s",
        "io=direct queue_depth=1 block_size_bytes=4096 file_size_bytes=83886080",
        "sync=fsync_at_end",
    ),
}


def _month(text: str) -> str:
    month, _, year = text.partition("/20")
    return f"{2000 + int(year)}-{month:0>2}"


_TYPES = TYPES | {
    "letters": ("..", encode_letters),
    "month": (r"1?[0-9]/20[0-9]{1,3}", _month),
    "name": (r"\S{1,6}", str),
}


class PiBenchmarks(Table):
    types = _TYPES
    tool = "pibenchmarks"

    def set_up(self) -> None:
        self.numbers: set[tuple[str, str, float]] = set()

    @row(
        r"(?:\| ?)?{category:HDParm|DD|FIO|IOZone}[\s|]{1,40}{cached:Cached }?(?:Disk|4k) {random:[Rr]andom }?"
        r"{direction:access}[\s|]{1,40}(?:{megabytes:number} MB/s(?:ec)?|{kilobytes:count} KB/s|{iops:count} IOPS)"
        r"(?: \({also:count} KB/s\)| IOPS| KB/s)?[\s|]{0,40}"
    )
    def result(self, found: Found) -> None:
        tool, megabyte, known, writing = _TOOLS[found["category"]]
        order = {"direction": found["direction"], "order": "random" if found["random"] else "sequential"}
        parameters = order | parse_parameters(known)
        parameters |= parse_parameters(writing) if found["direction"] == "write" else {}
        test = (tool, "hdparm" if found["cached"] else "stream", parameters)
        self._add_cell(test, ("throughput", megabyte), found["megabytes"], found)
        self._add_cell(test, ("iops", "1/s"), found["iops"], found)
        self._add_cell(test, ("throughput", "KiB/s"), found["kilobytes"] or found["also"], found)

    @row(
        r"FIO results - 4k RandWrite: {write_iops:count} IOPS \({write_rate:count} KB/s\)"
        r" - 4k RandRead: {read_iops:count} IOPS \({read_rate:count} KB/s\)…"
    )
    def fio(self, found: Found) -> None:
        tool, _, known, writing = _TOOLS["FIO"]
        for direction, more in (("write", writing), ("read", "")):
            order = {"direction": direction, "order": "random"}
            test = (tool, "stream", order | parse_parameters(f"{known} {more}"))
            self._add_cell(test, ("iops", "1/s"), found[f"{direction}_iops"], found)
            self._add_cell(test, ("throughput", "KiB/s"), found[f"{direction}_rate"], found)

    def _add_cell(
        self,
        test: tuple[str, str, Mapping[str, Any]],
        what: tuple[str, str],
        value: float | None,
        found: Found,
    ) -> None:
        tool, workload, parameters = test
        number = (f"{tool} {workload} {sorted(parameters.items())}", what[0], value or 0)
        if tool not in self.scene.speaking and number not in self.numbers:
            self.add_number((workload, *what), value or 0, found, **parameters)
        self.numbers.add(number)

    @row(
        r"(?:System rootfs drive|Chosen partition) \(.{1,80}\) has been detected as /dev/{name:[\w/-]{2,60}} "
        r"\(.{1,60}\)"
    )
    def drive(self, found: Found) -> None:
        self.scene.device = disk(found["name"])

    @row(
        "(?:MicroSD information: Clock Speed: {_clock:[0-9.]{0,6}} ?- |MMC Type: .{1,40} - )Manufacturer:"
        r" (?:{brand:[^0].{1,40}?}|0x[0-9a-f]{6}) - Model: {pnm:name} - .{1,160}"
    )
    def card(self, found: Found) -> None:
        """Add the brand if PiBenchmarks knows a brand for the maker's number, and the clock of the first slot."""
        clock_hz = round(decimal(text) * 1e6) if (text := found["_clock"]) else None
        self.tell(found)
        if clock_hz is not None and self.scene.device in ("", "mmcblk0"):
            self.add("clock_hz", clock_hz, found, HOST)

    lines = (
        fact("Board information: Manufacturer: .{0,60}?- Model: {board:words} - Architecture: .{1,120}"),
        # Lines of inxi.
        fact("(?:Machine: )?Type: ARM(?: Device)? System: {board:words} details: .{1,80}"),
        fact(r"(?:System: )?Host: \S{1,64}(?: \w{1,20})? Kernel: {kernel:word} .{1,120}"),
        fact(
            "(?:Drives:.{1,80}? )?ID-[0-9]{1,2}: /dev/{subject:mmcblk[0-9]{1,2}} (?:vendor: .{1,30} )?model: {pnm:name}"
            " size: {about_size_bytes:size}.{0,80}"
        ),
        fact(
            "(?:Drives:.{1,80}? )?ID-[0-9]{1,2}: /dev/{subject:sd[a-z]{1,2}} type: {transport:USB} .{1,120}"
        ),
        fact(
            r"Card CSD status register: MID: {mid:hex} OID: {oid:letters} PNM: {pnm:name} "
            r"PRV: {hardware_revision:hex}\.{firmware_revision:[0-9a-f]} MDATE: {mdt:month}"
        ),
        # Repeated numbers, and a score that mixes units.
        *noise(
            "Card SCR status register: SD Physical Version Specification: {:number}",
            "HDParm: {:number} MB/s - HDParmCached: {:number} MB/s",
            "DD Write Speed: {:rate}",
            "RandRead: [0-9]{1,9} - RandWrite: [0-9]{1,9} - Read: [0-9]{1,9} - Write: [0-9]{1,9}",
            "Score: [0-9]{1,9}",
        ),
    )
