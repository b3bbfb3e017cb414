"""Parse the output of iozone: one row per file and record size.

Its kB are 1024 bytes ("File size set to 102400 kB" for 100 MiB).
"""

import re
from collections.abc import Iterable

from submissions.domain.intake.choices import MEGABYTES
from submissions.domain.intake.commands import Command, goes_on, parse, size
from submissions.domain.intake.lines import whole
from submissions.domain.intake.slots import TYPES, Found, Table, fact, noise, row

_KIB = 1024
# No number of a table has decimals: a mark before three digits separates thousands.
_WHOLE = r"(?:[0-9]{1,3}(?:[.,][0-9]{3}){1,3}(?![0-9])|[0-9]{1,12})"
_TYPES = TYPES | {"whole": (_WHOLE, whole), "cells": (rf"(?:\s{{1,80}}{_WHOLE}(?=\s|\Z)){{1,13}}", str)}
_TEST = re.compile(r"(?<!\S)-i ?([0-9]{1,2})(?!\S)")
_UNITS = {
    "kbytes/sec": "KiB/s",
    "ops/sec": "1/s",
    "operations per second": "1/s",
    "microseconds per operation": "us",
}
_METRICS = {"KiB/s": "throughput", "1/s": "iops", "us": "latency_mean"}
# Columns in iozone's order: workload, direction, order; those without an order are kept beside the report.
_COLUMNS = (
    "stream write sequential",
    "rewrite write sequential",
    "stream read sequential",
    "reread read sequential",
    "stream read random",
    "stream write random",
    "backward-read read",
    "record-rewrite write",
    "stride-read read",
    "fwrite write",
    "frewrite write",
    "fread read",
    "freread read",
)
# Names of the processes of -t, in the order of _COLUMNS.
_PROCESSES = (
    *("initial writers", "rewriters", "readers", "re-readers", "random readers", "random writers"),
    *("reverse readers", "", "stride readers"),
)
_TITLES = {"Sequential Write": 0, "Sequential Read": 2, "Random Read": 4, "Random Write": 5}
# Columns that a test given by -i fills; tests 0, 1 and 2 come one after the other.
_FILLED = {0: (0, 1), 1: (2, 3), 2: (4, 5), 3: (6,), 4: (7,), 5: (8,), 6: (9, 10), 7: (11, 12)}
_COMPLETE = {2: (0,), 6: (0, 1, 2), 13: tuple(_FILLED)}
_FOUR = {"0 1": "written and read sequentially", "0 2": "written sequentially, then both randomly"}
_ASK_FOUR = "Which columns do these four numbers belong to? Please paste iozone's command line, too."
_ASK_RECORD = "Which record size (-r) did iozone use? Please paste the lines above, too."
_ASK_UNIT = "Is one MB in this table 1,000,000 or 1,048,576 bytes? Please paste what iozone itself printed."
_OFF = 2  # columns by which a number may be off its heading


class Iozone(Table):
    types = _TYPES
    tool = "iozone"

    def set_up(self) -> None:
        self.line = (0, "")

    def begin(self) -> None:
        self.io = self.sync = ""
        self.unit, self.in_table, self.record = "KiB/s", False, 0
        self.titles, self.ends, self.tests = list[str](), list[int](), tuple[int, ...]()
        if self.scene.command.program == self.tool:
            self._options(self.scene.command)

    def _options(self, command: Command) -> None:
        letters = {word[1] for word in command.words if len(word) > 1 and word[0] == "-"}
        self.io = "direct" if "I" in letters else "buffered"
        self.unit = {"O": "1/s", "N": "us"}.get("".join(letters & {"O", "N"}), "KiB/s")
        self.record = size((command.option("-r") or "").lower()) or 0
        at_end = "fsync_at_end" if letters & {"e"} else "none"
        self.sync = "osync" if "o" in letters else at_end
        text = " ".join(command.words)
        self.tests = tuple(sorted({int(test) for test in _TEST.findall(text) if int(test) in _FILLED}))

    @row(r" ?{size:whole} {record:whole}{cells:cells}")
    def result(self, found: Found) -> bool:
        cells = found["cells"].split()
        if not self.in_table or not self.unit or len(cells) > len(_COLUMNS):
            return False
        size_kib, record = found["size"], found["record"]
        if not 0 < record <= size_kib or (record.bit_count() > 1 and size_kib % record):
            return False  # no file of such records: the rest of a row that was wrapped
        columns = self._columns(found)
        self._cells(zip(columns, cells, strict=False), found)
        return bool(columns) or self.scene.line.number in self.scene.asked_lines

    def _cells(self, cells: Iterable[tuple[int, str]], found: Found) -> None:
        known = {
            "block_size_bytes": found["record"] * _KIB,
            "file_size_bytes": found["size"] * _KIB,
        }
        for column, cell in cells:
            self._cell(column, float(whole(cell)), self.unit, found, queue_depth=1, **known)

    def _cell(self, column: int, value: float, unit: str, found: Found, **known: int) -> None:
        """Add a number of iozone. Without -I it reads the file that it has just written, mostly from the page cache."""
        workload, direction, order = (*_COLUMNS[column].split(), "")[:3]
        if (workload, direction, self.io) == ("stream", "read", "buffered"):
            workload = "reread"
        sync = self.sync if direction == "write" else ""
        parameters = {"direction": direction, "order": order, **known, "io": self.io, "sync": sync}
        stated = {name: value for name, value in parameters.items() if value}
        self.add_number((workload, _METRICS[unit], unit), value, found, **stated)

    @row(r"[kK]B reclen write rewrite\b.{0,140}")
    def heading(self, found: Found) -> bool | None:
        text, (start, _) = found.text(), found.span()
        # A web page may have merged the spaces.
        words = re.finditer(r"\S+", text) if "reclen   " in text else ()
        self.ends = [start + word.end() for word in words][2:]
        return self.upper_heading(found)

    @row("random random bkwd…")
    def upper_heading(self, found: Found) -> bool:
        """Begin a table of iozone, unless it is damaged or the table of another program."""
        self.in_table = len(self.ends) <= len(_COLUMNS)
        return self.in_table

    @row("Command line used: {command:.{1,300}}")
    def command_line(self, found: Found) -> None:
        self.line = (self.scene.line.number, f"$ {found['command']}")
        self._options(parse(self.line[1]) or Command())

    @row("{rest:-[A-Za-z].{0,200}}")
    def rest(self, found: Found) -> bool:
        """Add the options in the rest of the command line of iozone, which a mail has wrapped."""
        number, text = self.line
        wrapped = self.scene.line.number == number + 1 and goes_on(self.tool, found["rest"])
        if wrapped:
            self._options(parse(f"{text} {found['rest']}") or Command())
        return wrapped

    @row("{direct:O_DIRECT} feature enabled…")
    @row("{fsync:Include fsync} in write timing…")
    @row("{osync:SYNC} Mode…")
    def option(self, found: Found) -> None:
        (name,) = found.row.converts
        if name == "direct":
            self.io = "direct"
        elif self.sync != "osync":
            self.sync = "fsync_at_end" if name == "fsync" else "osync"

    @row(
        r"(?:OPS Mode\. |Microseconds/op Mode\. )?Output is in "
        "{unit:[A-Za-z]{1,12}/sec|operations per second|microseconds per operation}…"
    )
    def output(self, found: Found) -> None:
        self.unit = _UNITS.get(found["unit"].lower(), "")

    # With -t, iozone adds up its processes; "ops/sec" is the unit where -O was given.
    @row(
        "Children see throughput for {count:count} {name:[a-z-]{6,10}(?: [a-z]{7})?} ="
        " {rate:number} {unit:[kK]B|ops}/sec"
    )
    def children(self, found: Found) -> bool:
        if found["name"] not in _PROCESSES:
            return False
        if not self.record:
            self.ask("block_size_bytes", _ASK_RECORD, found)
            return True
        column, unit = _PROCESSES.index(found["name"]), "1/s" if found["unit"] == "ops" else "KiB/s"
        known = {"block_size_bytes": self.record, "queue_depth": found["count"]}
        self._cell(column, found["rate"], unit, found, **known)
        return True

    @row("(?i:Each process writes an? [0-9]{1,12} kByte file in {record:count} kByte records)")
    def each(self, found: Found) -> None:
        self.record = found["record"] * _KIB

    @row(r"(?i:\| ?KB ?\| ?reclen ?\| ?write ?\|.{1,120})")
    def markdown(self, found: Found) -> None:
        """Begin a table with the columns of iozone that a person has typed as Markdown."""
        self.in_table, self.ends = True, []

    @row(r"\| ?{size:whole} ?\| ?{record:whole} {cells:(?:\| ?[0-9.,]{1,14} ){2,6}}\|")
    def markdown_row(self, found: Found) -> bool:
        cells = [cell.strip() for cell in found["cells"].split("|") if cell.strip()]
        fits = self.in_table and bool(self.unit) and len(cells) in (2, 4, 6)
        self._cells(enumerate(cells) if fits else (), found)
        return fits

    @row(r"\| ?Block Size \(KB\) ?\|.{0,200}\(MB/s\).{0,200}")
    def table(self, found: Found) -> None:
        """Begin a table of a script that has divided the kB/s of iozone by 1000 or by 1024."""
        self.titles = [cell.strip().removesuffix(" (MB/s)") for cell in found.text().strip("| ").split("|")]
        self._megabyte(found)

    @row(r"\| ?{record:[0-9]{1,7}}{cells:(?:\s{0,30}\|\s{0,30}[0-9]{1,7}\.[0-9]{1,3}){1,8}} ?\|")
    def table_row(self, found: Found) -> bool:
        megabyte, block = self._megabyte(found) if self.titles else 0, int(found["record"]) * _KIB
        cells = found["cells"].strip("| ").split("|")
        for title, cell in zip(self.titles[1:], cells, strict=False):
            if block and title in _TITLES:
                _, direction, order = _COLUMNS[_TITLES[title]].split()
                known = {"direction": direction, "order": order, "block_size_bytes": block, "queue_depth": 1}
                rate = float(cell) * megabyte
                self.add_number(("stream", "throughput", "B/s"), rate, found, **known)
        return bool(self.titles)

    def _columns(self, found: Found) -> tuple[int, ...]:
        start, _ = found.span("cells")
        values = [start + value.end() for value in re.finditer(r"\S+", found.text("cells"))]
        below = [_nearest(end, self.ends) for end in values]
        if -1 not in below and len(set(below)) == len(below):
            return tuple(below)
        filled = sum(len(_FILLED[test]) for test in self.tests)
        tests = self.tests if filled == len(values) else _COMPLETE.get(len(values), ())
        if not tests and len(values) == len(_FOUR) * 2:
            answer = self.ask("columns", _ASK_FOUR, found, _FOUR)
            tests = tuple(int(test) for test in answer.split())
        return tuple(column for test in tests for column in _FILLED[test])

    def _megabyte(self, found: Found) -> int:
        return int(self.ask("unit", _ASK_UNIT, found, MEGABYTES) or 0)

    @row("iozone test complete…")
    def complete(self, found: Found) -> None:
        self.in_table = False

    lines = (
        fact(r"Version \$Revision: {tool_version:[0-9.]{1,9}} \$…"),
        *noise(
            "(?:File size set to|Record Size|Time Resolution =|Processor cache (?:line )?size set to"
            "|File stride size set to|Compiled for [0-9]{2} bit mode|Run began:|Auto Mode"
            "|Iozone: Performance Test).{0,120}",
            "(?:Parent sees throughput for|(?:Min|Max|Avg) throughput per (?:process|thread)|Min xfer"
            "|Throughput test with|CPU Utilization:).{0,120}",
        ),
    )


def _nearest(end: int, ends: list[int]) -> int:
    near = [(abs(end - heading), at) for at, heading in enumerate(ends) if abs(end - heading) <= _OFF]
    return min(near)[1] if near else -1
