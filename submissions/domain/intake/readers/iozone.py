"""iozone: one row per file and record size. Its kB are 1024 bytes ("File size set to 102400 kB" for 100 MiB)."""

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from submissions.domain.intake.choices import MEGABYTES
from submissions.domain.intake.commands import Command, goes_on, parse, size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "iozone"
_KIB = 1024
_ROW = re.compile(r"\s{0,40}([0-9]{1,12})\s{1,14}([0-9]{1,7})((?:\s{1,80}[0-9]{1,9}){1,13})\s*\Z")
_HEADING = re.compile(
    r"[kK]B\s{1,9}reclen\s{1,9}write\s{1,9}rewrite\b.{0,140}\Z|random\s{1,9}random\s{1,9}bkwd\b"
)
_IN_COLUMNS = re.compile(r"reclen {3}")  # unless a web page has merged the spaces
_TEST = re.compile(r"(?<!\S)-i ?([0-9]{1,2})(?!\S)")
_COMMAND = re.compile(r"Command line used: (\S.{0,300})\Z")
_REST = re.compile(r"-[A-Za-z].{0,200}\Z")
_DIRECT = re.compile(r"O_DIRECT feature enabled")
_FSYNC = re.compile(r"Include fsync in write timing")
_SYNC = re.compile(r"SYNC Mode")
_UNIT = re.compile(
    r"(?:OPS Mode\. |Microseconds/op Mode\. )?Output is in ([A-Za-z]{1,12}/sec|operations per second"
    r"|microseconds per operation)"
)
_UNITS = {
    "kbytes/sec": "KiB/s",
    "ops/sec": "1/s",
    "operations per second": "1/s",
    "microseconds per operation": "us",
}
_METRICS = {"KiB/s": "throughput", "1/s": "iops", "us": "latency_mean"}
# With -t, iozone adds up what its processes did; "ops/sec" is the unit where -O was given.
_CHILDREN = re.compile(
    r"Children see throughput for\s{1,3}([0-9]{1,5}) (initial writers|rewriters|readers|re-readers|random readers"
    r"|random writers|reverse readers|stride readers)\s{0,8}=\s{0,14}([0-9]{1,12}\.[0-9]{2}) (kB|KB|ops)/sec\s*\Z"
)
_EACH = re.compile(
    r"Each process writes an? [0-9]{1,12} kByte file in ([0-9]{1,9}) kByte records\s*\Z", re.IGNORECASE
)
_SUMMED = re.compile(
    r"(?:Parent sees throughput for|(?:Min|Max|Avg) throughput per (?:process|thread)|Min xfer|Throughput test with"
    r"|CPU Utilization:).{0,120}\Z"
)
_MARKDOWN = re.compile(r"\| ?KB \| ?reclen \| ?write \|.{1,120}\Z", re.IGNORECASE)
_MARKDOWN_ROW = re.compile(r"\| ?([0-9]{1,12}) \| ?([0-9]{1,9}) ((?:\| ?[0-9]{1,9} ){2,6})\|\s*\Z")
_VERSION = re.compile(r"Version \$Revision: ([0-9.]{1,9}) \$")
# The banner.
_BANNER = re.compile(
    r"(?:File size set to|Record Size|Time Resolution =|Processor cache (?:line )?size set to|File stride size set to"
    r"|Compiled for [0-9]{2} bit mode|Run began:|Auto Mode|Iozone: Performance Test).{0,120}\Z"
)
_END = re.compile(r"iozone test complete")
_TABLE = re.compile(r"\|\s{0,9}Block Size \(KB\)\s{0,9}\|.{0,200}\(MB/s\).{0,200}\Z")
_TABLE_ROW = re.compile(
    r"\|\s{0,30}[0-9]{1,7}\s{0,30}(?:\|\s{0,30}[0-9]{1,7}\.[0-9]{1,3}\s{0,30}){1,8}\|\s*\Z"
)
_Column: TypeAlias = tuple[str, dict[str, str]]
# Columns in iozone's order; those without an access pattern of a report are kept beside it.
_COLUMNS: tuple[_Column, ...] = (
    ("stream", {"direction": "write", "order": "sequential"}),
    ("rewrite", {"direction": "write", "order": "sequential"}),
    ("stream", {"direction": "read", "order": "sequential"}),
    ("reread", {"direction": "read", "order": "sequential"}),
    ("stream", {"direction": "read", "order": "random"}),
    ("stream", {"direction": "write", "order": "random"}),
    ("backward-read", {"direction": "read"}),
    ("record-rewrite", {"direction": "write"}),
    ("stride-read", {"direction": "read"}),
    ("fwrite", {"direction": "write"}),
    ("frewrite", {"direction": "write"}),
    ("fread", {"direction": "read"}),
    ("freread", {"direction": "read"}),
)
_TITLED: dict[str, dict[str, Any]] = {
    f"{order} {direction}".title(): {"direction": direction, "order": order}
    for order in ("sequential", "random")
    for direction in ("read", "write")
}
# Columns that a test given by -i fills; tests 0, 1 and 2 come one after the other.
_FILLED = {0: (0, 1), 1: (2, 3), 2: (4, 5), 3: (6,), 4: (7,), 5: (8,), 6: (9, 10), 7: (11, 12)}
_COMPLETE = {2: (0,), 6: (0, 1, 2), 13: tuple(_FILLED)}
_FOUR = {"0 1": "written and read in sequence", "0 2": "written in sequence, then both at random"}
_ASK_FOUR = "Which of the columns are these four numbers in? Paste iozone's command line, too."
_ASK_RECORD = "With which record size (-r) did iozone run? Paste the lines above, too."
_BY_CHILDREN = {
    "initial writers": 0,
    "rewriters": 1,
    "readers": 2,
    "re-readers": 3,
    "random readers": 4,
    "random writers": 5,
    "reverse readers": 6,
    "stride readers": 8,
}
_OFF = 2  # columns by which a number may stand beside its heading


class Iozone(Reader):
    def __init__(self) -> None:
        self.io: str | None = None
        self.sync: str | None = None
        self.unit, self.record = "KiB/s", 0
        self.line = (0, "")
        self.in_table = False
        self.tests: tuple[int, ...] = ()
        self.ends: list[int] = []
        self.titles: list[str] = []

    def begin(self, scene: Scene) -> None:
        self.io = self.sync = None
        self.unit, self.in_table, self.record = "KiB/s", False, 0
        self.titles, self.ends, self.tests = [], [], ()
        if scene.command.program == TOOL:
            self._options(scene.command)

    def _options(self, command: Command) -> None:
        letters = {word[1] for word in command.words if len(word) > 1 and word[0] == "-"}
        self.io = "direct" if "I" in letters else "buffered"
        self.unit = {"O": "1/s", "N": "us"}.get("".join(letters & {"O", "N"}), "KiB/s")
        self.record = size((command.option("-r") or "").lower()) or 0
        at_end = "fsync_at_end" if letters & {"e"} else "none"
        self.sync = "osync" if "o" in letters else at_end
        text = " ".join(command.words)
        self.tests = tuple(sorted({int(test) for test in _TEST.findall(text) if int(test) in _FILLED}))

    def used(self, match: re.Match[str], scene: Scene) -> None:
        self.line = (scene.line.number, f"$ {match[1]}")
        self._options(parse(self.line[1]) or Command())

    def rest(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Of the command line, which a mail has wrapped."""
        number, text = self.line
        if scene.line.number != number + 1 or not goes_on(TOOL, match[0]):
            return False
        self._options(parse(f"{text} {match[0]}") or Command())
        return None

    def direct(self, match: re.Match[str], scene: Scene) -> None:
        self.io = "direct"

    def fsync(self, match: re.Match[str], scene: Scene) -> None:
        self.sync = self.sync if self.sync == "osync" else "fsync_at_end"

    def osync(self, match: re.Match[str], scene: Scene) -> None:
        self.sync = "osync"

    def output(self, match: re.Match[str], scene: Scene) -> None:
        self.unit = _UNITS.get(match[1].lower(), "")

    def version(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(TOOL, "tool_version", match[1], span=scene.span(match, 1))

    def heading(self, match: re.Match[str], scene: Scene) -> bool:
        if not match[0].startswith("random"):
            words = re.finditer(r"\S+", match[0]) if _IN_COLUMNS.search(match[0]) else ()
            self.ends = [match.start() + word.end() for word in words][2:]
        self.in_table = len(self.ends) <= len(_COLUMNS)  # another program's table, or a damaged one
        return self.in_table

    def row(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.in_table or not self.unit or len(match[3].split()) > len(_COLUMNS):
            return False
        if not _in_records(int(match[1]), int(match[2])):
            return False  # the rest of a row that was wrapped
        columns = self._columns(match, scene)
        if not columns and scene.line.number not in scene.asked_lines:
            return False
        self._cells(
            zip((_COLUMNS[column] for column in columns), match[3].split(), strict=False), match, scene
        )
        return None

    def _cells(self, cells: Iterable[tuple[_Column, str]], match: re.Match[str], scene: Scene) -> None:
        """The cells of a row, each under its column."""
        file_size_bytes, block_size_bytes = (int(match[at]) * _KIB for at in (1, 2))
        shared: dict[str, Any] = {"block_size_bytes": block_size_bytes, "queue_depth": 1}
        shared |= {"file_size_bytes": file_size_bytes} | ({"io": self.io} if self.io else {})
        for (workload, pattern), cell in cells:
            sync = {"sync": self.sync} if self.sync and pattern["direction"] == "write" else {}
            self._cell(workload, int(cell), pattern | shared | sync, match, scene)

    def _cell(
        self, workload: str, value: int, parameters: dict[str, Any], match: re.Match[str], scene: Scene
    ) -> None:
        """Without -I the file that has just been written is read again, and most of it lies in the page cache."""
        metric = _METRICS[self.unit]
        if workload == "stream" and parameters["direction"] == "read" and self.io == "buffered":
            workload = "reread"
        scene.printed(TOOL, (workload, metric, self.unit), value, match, **parameters)

    def each(self, match: re.Match[str], scene: Scene) -> None:
        self.record = int(match[1]) * _KIB

    def children(self, match: re.Match[str], scene: Scene) -> None:
        if not self.record:
            scene.ask(TOOL, "block_size_bytes", _ASK_RECORD, span=scene.span(match))
            return
        workload, pattern = _COLUMNS[_BY_CHILDREN[match[2]]]
        unit = "1/s" if match[4] == "ops" else "KiB/s"
        sync = {"sync": self.sync} if self.sync and pattern["direction"] == "write" else {}
        parameters = pattern | {"block_size_bytes": self.record, "queue_depth": int(match[1])} | sync
        what = (workload, _METRICS[unit], unit)
        io = {"io": self.io} if self.io else {}
        scene.printed(TOOL, what, match[3], match, **parameters, **io)

    def markdown(self, match: re.Match[str], scene: Scene) -> None:
        """The same columns, typed over into a table of Markdown."""
        self.in_table, self.ends = True, []

    def markdown_row(self, match: re.Match[str], scene: Scene) -> bool | None:
        cells = [cell for cell in match[3].split("|") if cell.strip()]
        if not self.in_table or not self.unit or len(cells) not in (2, 4, 6):
            return False
        self._cells(zip(_COLUMNS, cells, strict=False), match, scene)
        return None

    def table(self, match: re.Match[str], scene: Scene) -> None:
        """iozone itself prints kB/s: a script has divided, by 1000 or by 1024."""
        self.titles = [cell.strip() for cell in match[0].strip("| ").split("|")]
        self._megabyte(match, scene)

    def table_row(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.titles:
            return False
        megabyte = self._megabyte(match, scene)
        block_size, *cells = match[0].strip().strip("|").split("|")
        shared = {"block_size_bytes": int(block_size) * _KIB, "queue_depth": 1}
        for title, cell in zip(self.titles[1:], cells, strict=False):
            pattern = _TITLED.get(title.removesuffix(" (MB/s)"))
            if megabyte and pattern and shared["block_size_bytes"]:
                what = ("stream", "throughput", "B/s")
                rate = decimal(cell.strip()) * megabyte
                scene.measured(TOOL, what, rate, span=scene.span(match), parameters=pattern | shared)
        return None

    def _columns(self, match: re.Match[str], scene: Scene) -> tuple[int, ...]:
        """Column of each number; () while the text leaves it open."""
        values = [match.start(3) + value.end() for value in re.finditer(r"\S+", match[3])]
        below = [_nearest(end, self.ends) for end in values]
        if -1 not in below and len(set(below)) == len(below):
            return tuple(below)
        tests = self.tests if _count(self.tests) == len(values) else _COMPLETE.get(len(values), ())
        if not tests and len(values) == len(_FOUR) * 2:
            answer = scene.ask(TOOL, "columns", _ASK_FOUR, span=scene.span(match), choices=_FOUR)
            tests = tuple(int(test) for test in answer.split())
        return tuple(column for test in tests for column in _FILLED[test])

    def _megabyte(self, match: re.Match[str], scene: Scene) -> int:
        detail = "Is a MB in this table 1,000,000 or 1,048,576 bytes? Paste what iozone itself printed."
        return int(scene.ask(TOOL, "unit", detail, span=scene.span(match), choices=MEGABYTES) or 0)

    def complete(self, match: re.Match[str], scene: Scene) -> None:
        self.in_table = False

    rows = (
        (_ROW, row),
        (_HEADING, heading),
        (_COMMAND, used),
        (_REST, rest),
        (_DIRECT, direct),
        (_FSYNC, fsync),
        (_SYNC, osync),
        (_UNIT, output),
        (_VERSION, version),
        (_BANNER, skip),
        (_END, complete),
        (_CHILDREN, children),
        (_EACH, each),
        (_SUMMED, skip),
        (_MARKDOWN, markdown),
        (_MARKDOWN_ROW, markdown_row),
        (_TABLE, table),
        (_TABLE_ROW, table_row),
    )


def _in_records(size: int, record: int) -> bool:
    """Whether a file of that size, in KiB, may consist of such records."""
    return 0 < record <= size and (record.bit_count() == 1 or size % record == 0)


def _nearest(end: int, ends: list[int]) -> int:
    """Index of the heading that ends where the number does; -1 for none."""
    near = [(abs(end - heading), at) for at, heading in enumerate(ends) if abs(end - heading) <= _OFF]
    return min(near)[1] if near else -1


def _count(tests: tuple[int, ...]) -> int:
    return sum(len(_FILLED[test]) for test in tests)
