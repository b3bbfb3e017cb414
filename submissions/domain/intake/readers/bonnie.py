"""bonnie++ (table and CSV) and Tim Bray's Bonnie: writes and reads through a file system, in chunks of 8 KiB.

K/sec are 1024 bytes per second; Bonnie for large files prints M/sec, of 1024^2 bytes, and has chunks of 16 KiB. `+++++`
is too quick to be timed: missing, not 0. The CSV repeats the table whole, so that a table followed by its CSV counts
once. Columns after bonnie++'s bon_csv2html.cpp.
"""

import re
from typing import Any

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.scene import Reader, Scene

_CHUNK = 8192
_CELL = r"[0-9.]{1,9}[kmg]?|\+{3,5}"
_GAP_AND_CELL = rf"\s{{1,30}}(?:{_CELL})"
_CSV = re.compile(r"(1\.9[678]),([12]\.[0-9]{2}[a-z]?),[^,\s]{0,80},[0-9]{1,4},[0-9]{1,12},\S{20,600}\Z")
# Of versions before 1.9: name and size, the values, how many files, those values.
_OLD_CSV = re.compile(
    rf"[^\s,]{{1,80}},[0-9]{{1,6}}[MGk]?(?::[0-9]{{1,9}}k?)?(?:,(?:{_CELL})?){{12}},[0-9:/]{{0,30}}(?:,(?:{_CELL})?){{12}}\s*\Z"
)
_VERSION = re.compile(r"Version\s{1,9}([12]\.[0-9]{2}[a-z]?)\s{1,9}-")
_HEADING = re.compile(
    r"(?:Concurrency|Machine|files:max|files|-Per Chr-|-Per Char-|-{6,12}Sequential|\S{0,30}\s{1,30}-Create--)"
    r".{0,120}\Z"
)
_IO_ROW = re.compile(
    rf"(?:[^\s,]{{1,30}}\s{{1,30}})?([0-9]{{1,6}}[MGk]?)((?:{_GAP_AND_CELL}){{12}}|(?:{_GAP_AND_CELL}){{8}})\s*\Z"
)
_FILE_ROW = re.compile(rf"[0-9]{{1,9}}(?::[0-9:/]{{1,30}})?((?:\s{{1,9}}(?:{_CELL})){{12}})\s*\Z")
_LATENCIES = re.compile(r"Latency((?:\s{1,40}[0-9]{1,9}[mun]?s){4,6})\s*\Z")
_USER = re.compile(r"Using uid:[0-9]{1,9}, gid:[0-9]{1,9}\.\s*\Z")
_LATENCY = re.compile(r"([0-9]{1,9})([mun]?s)\Z")
_NUMBER = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([kmg]?)\Z")
_FACTORS = {"": 1, "k": 1, "m": 1024, "g": 1024**2}  # of K/sec
_RATE, _COUNT = "KiB/s", "1/s"
_WRITE: dict[str, Any] = {
    "direction": "write",
    "order": "sequential",
    "block_size_bytes": _CHUNK,
    "queue_depth": 1,
}
_READ = _WRITE | {"direction": "read"}
# workload, metric, unit and parameters of each value, every second column being a share of the processor.
_IO: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("per-character-write", "throughput", _RATE, {}),
    ("stream", "throughput", _RATE, _WRITE),
    ("rewrite", "throughput", _RATE, {}),
    ("per-character-read", "throughput", _RATE, {}),
    ("stream", "throughput", _RATE, _READ),
    ("seeks", "iops", _COUNT, {}),
)
_FILES: tuple[tuple[str, str, str, dict[str, Any]], ...] = tuple(
    (f"{verb}-files", "iops", _COUNT, {"order": order})
    for order in ("sequential", "random")
    for verb in ("create", "stat", "delete")
)
# bonnie++ -f leaves out what goes character by character.
_FAST = tuple(column for column in _IO if not column[0].startswith("per-character"))
# The columns of values are the last ones; before them newer versions have more.
_CSV_LENGTHS = (47, 48, 50)
_OLD_IO, _OLD_FILES = slice(2, 14), slice(15, 27)
_CSV_IO, _CSV_FILES, _CSV_LATENCIES = slice(-41, -29), slice(-24, -12), slice(-12, None)


class Bonnie(Reader):
    def __init__(self) -> None:
        self.tool = "bonnie++"
        self.held: list[tuple[Span, list[tuple[str, str, str, dict[str, Any]]], list[str]]] = []
        self.in_table = self.files = self.megabytes = False

    def end(self, scene: Scene) -> None:
        """A table that no CSV has repeated."""
        for span, columns, cells in self.held:
            _measured(self.tool, columns, cells, span, scene)
        self.held = []

    def csv(self, match: re.Match[str], scene: Scene) -> bool | None:
        fields = match[0].strip().split(",")
        if len(fields) not in _CSV_LENGTHS:
            return False
        self.held = []
        scene.add_fact("bonnie++", "tool_version", match[2], span=scene.span(match, 2))
        span = scene.span(match)
        chunk = _chunk(fields[6]) if len(fields) >= 48 else {}
        io = [(*column[:3], column[3] | chunk if column[3] else {}) for column in _IO]
        _measured("bonnie++", list(io), fields[_CSV_IO][::2], span, scene)
        _measured("bonnie++", list(_FILES), fields[_CSV_FILES][::2], span, scene)
        _latencies([_name(column) for column in (*_IO, *_FILES)], fields[_CSV_LATENCIES], span, scene)
        return None

    def old_csv(self, match: re.Match[str], scene: Scene) -> None:
        fields = match[0].strip().split(",")
        self.held = []
        _measured("bonnie++", list(_IO), fields[_OLD_IO][::2], scene.span(match), scene)
        _measured("bonnie++", list(_FILES), fields[_OLD_FILES][::2], scene.span(match), scene)

    def heading(self, match: re.Match[str], scene: Scene) -> None:
        self.in_table = True
        if "%CPU" in match[0]:
            self.tool = "bonnie"
            self.megabytes = " M/sec" in match[0]
        self.files = self.files or "Create" in match[0]

    def version(self, match: re.Match[str], scene: Scene) -> None:
        self.in_table = True
        self.tool = "bonnie++"
        if "Create" not in scene.line.text:
            self.end(scene)
            self.files = False

    def io_row(self, match: re.Match[str], scene: Scene) -> bool | None:
        """A row of throughputs. Without its heading only a size with a unit distinguishes it from a row of files."""
        cells = match[2].split()[::2]
        columns = (_FILES if self.files else _IO) if len(cells) == len(_IO) else _FAST
        if self.megabytes:
            columns = tuple(map(_in_megabytes, columns))
        if not match[1][-1].isalpha() and not (self.in_table and len(cells) == len(_IO)):
            return False
        self.held.append((scene.span(match), list(columns), cells))
        return None

    def file_row(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.in_table:
            return False
        self.held.append((scene.span(match), list(_FILES), match[1].split()[::2]))
        return None

    def latency_row(self, match: re.Match[str], scene: Scene) -> bool | None:
        cells = match[1].split()
        layout = (_FILES if self.files else _IO) if len(cells) == len(_IO) else _FAST
        if len(cells) != len(layout):
            return False
        names = [_name(column) for column in layout]
        columns: list[tuple[str, str, str, dict[str, Any]]] = [
            (name, "latency_max", "", {}) for name in names
        ]
        self.held.append((scene.span(match), columns, cells))
        return None

    def user(self, match: re.Match[str], scene: Scene) -> None:
        """The user as whom it ran: not needed."""

    rows = (
        (_CSV, csv),
        (_OLD_CSV, old_csv),
        (_USER, user),
        (_VERSION, version),
        (_LATENCIES, latency_row),
        (_IO_ROW, io_row),
        (_FILE_ROW, file_row),
        (_HEADING, heading),
    )


def _in_megabytes(column: tuple[str, str, str, dict[str, Any]]) -> tuple[str, str, str, dict[str, Any]]:
    workload, metric, unit, parameters = column
    chunk = {"block_size_bytes": 2 * _CHUNK} if parameters else {}
    return (workload, metric, "MiB/s" if unit == _RATE else unit, parameters | chunk)


def _name(column: tuple[str, str, str, dict[str, Any]]) -> str:
    words = (column[3].get(name) for name in ("direction", "order"))
    return " ".join([column[0].replace("stream", "block"), *(word for word in words if word)])


def _chunk(field: str) -> dict[str, Any]:
    """Block size of a CSV field such as "16k", in bytes; {} for the usual one."""
    match = re.match(r"([0-9]{1,7})(k?)\Z", field)
    return {"block_size_bytes": int(match[1]) * (1024 if match[2] else 1)} if match and int(match[1]) else {}


def _measured(
    tool: str,
    columns: list[tuple[str, str, str, dict[str, Any]]],
    cells: list[str],
    span: Span,
    scene: Scene,
) -> None:
    for (workload, metric, unit, parameters), cell in zip(columns, cells, strict=False):
        if metric == "latency_max":
            _latencies([workload], [cell], span, scene)
            continue
        match = _NUMBER.match(cell)
        value = decimal(match[1]) * _FACTORS[match[2]] if match else 0
        if value:
            scene.measured(tool, (workload, metric, unit), value, span=span, parameters=parameters)


def _latencies(names: list[str], cells: list[str], span: Span, scene: Scene) -> None:
    """Longest latency of each; kept beside the report, since it covers the file system's own work."""
    for name, cell in zip(names, cells, strict=False):
        match = _LATENCY.match(cell)
        if match and int(match[1]):
            what = ("file-system", "latency_max", match[2])
            scene.measured("bonnie++", what, int(match[1]), span=span, parameters={"of": name})
