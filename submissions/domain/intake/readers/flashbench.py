"""Parse the output of flashbench: align, scatter, open-au, find-fat, interval and program tests.

Grammar, units and failures are those of flashbench.c, vm.c and dev.c (github.com/bradfa/flashbench): rates are powers
of 1000, sizes powers of 1024, every value has three or four digits and is cut to seven bytes. Every test opens the
device with O_DIRECT and O_SYNC and has one request at a time; it writes 0x5A throughout.
"""

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from submissions.domain.intake.choices import FLASHBENCH_TESTS, LOST_MICRO, OPEN_AUS, SIZES
from submissions.domain.intake.commands import Command, leading_integer
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.scene import Scene
from submissions.domain.intake.slots import TYPES, Found, Quantity, Table, noise, row, slot_names, spell_unit
from submissions.domain.intake.structures import drop_empty
from submissions.domain.measuring.units import factor

TOOL = "flashbench"
_DEFAULT_BLOCK, _DEFAULT_ERASE = 16384, 4 * 1024**2
_NUMBER = r"-?[0-9]{1,20}(?:\.[0-9]{1,9})?(?:e[+-]?[0-9]{1,2})?"
_SPEED = re.compile(rf"({_NUMBER})(B/s|[KMG](?:/s?)?)\Z")
_TIME = re.compile(rf"({_NUMBER})(?:([nm])s?|(us|(?:[µμ?]|Âµ|\ufffd{{1,2}})s?)|s)\Z")
Times: TypeAlias = dict[str, Quantity | None]  # None where the unit is lost


def _time(text: str) -> Quantity | None:
    match = _TIME.match(text)
    return Quantity(decimal(match[1]), f"{match[2] or (match[3] and 'u') or ''}s") if match else None


_TYPES = TYPES | {
    "time": (rf"{_NUMBER}[^\s\d]{{0,3}}", _time),
    # A control character echoed by the terminal, ^C or ^N say, may precede the row.
    "size": (r"[0-9.]{1,6}(?:[KMG]i)?B", TYPES["binary_size"][1]),
    "position": (r"[0-9]{1,9}\.[0-9]{6}", decimal),
    "float": (_NUMBER, str),
}
_OPEN_AU_HEADING = re.compile(r"AU=([0-9]{1,4}), (linear|random)")
_FAT_HEADING = re.compile(r"\bfat\b", re.IGNORECASE)
# An align table ends at twice the block; one that ends elsewhere has probably been cut.
_USUAL_BLOCKS = (512, 1024, 16384)
_COMMON = {"queue_depth": 1, "io": "direct"}
_WRITING = {"direction": "write"} | _COMMON | {"sync": "osync", "data": "constant"}
_ORDERS = {"linear": "sequential", "random": "random"}
# flashbench.c, try_program: the eight columns of a row.
_PROGRAM = tuple(
    (direction, order, data)
    for order in ("sequential", "random")
    for direction, data in (
        ("write", "zeros"),
        ("write", "ones"),
        ("write", "constant"),
        ("read", "constant"),
    )
)
_CUT = ("cut_off", "flashbench cut it to seven characters: unit and digits may be missing")
_INTERRUPTED = ("interrupted", "the run ended inside this row")
_ASK_TEST = (
    "Which test printed these rows: open-au (with how many open AUs, linear or random?) or find-fat?"
    " Please paste the command line, too."
)
_ASK_OPEN_AU = "How many AUs were open, and were they linear or random? Please paste the command line, too."
_ASK_BLOCK = "Which block size did the align test use? It ended before the last row, which would show it."
_ASK_UNIT = "Are these seconds, or microseconds that lost their µ? Please paste the line from the original."
_ZERO = ("io_error", "0 ns: flashbench records a failed read as taking no time")


@dataclass(slots=True)
class Section:
    """The test that printed the rows that follow, as far as known. `kind`: "open-au", "fat", "program" or ""."""

    kind: str = ""
    order: str | None = None
    open_au: int | None = None
    block_size: int | None = None
    erase_size: int | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True)
class AlignRow:
    align: int
    times: Times
    places: dict[str, Span]


class Flashbench(Table):
    """A parser for the output of flashbench.

    Align tables are held until they end: their last row shows the block size.
    """

    types = _TYPES
    tool = TOOL

    def set_up(self) -> None:
        self.section, self.data = Section(), "constant"
        self.table: list[AlignRow] = []
        self.interrupted = False

    def begin(self) -> None:
        self.section = _section(self.scene.command, self.scene.heading)

    def end(self) -> None:
        """Add the rows of the align table that ended above as figures."""
        if self.table:
            last = 0 if self.interrupted else self.table[-1].align // 2
            block_size = self.section.block_size or (last if last in _USUAL_BLOCKS else 0)
            for row in self.table:
                self._align_row(row, block_size)
        self.table, self.interrupted = [], False

    @row("align {align:count} pre {pre:time} on {on:time} post {post:time} diff {diff:time}")
    def align(self, found: Found) -> bool:
        if not found["align"]:
            return False
        if self.table and found["align"] >= self.table[-1].align:
            self.end()
        names = [name for name in slot_names(found) if name != "align"]
        times = {f"align_{name}": found[name] for name in names}
        places = {f"align_{name}": self.span(found, name) for name in names}
        self.table.append(AlignRow(found["align"], times, places))
        return True

    def _align_row(self, row: AlignRow, block_size: int) -> None:
        place = row.places["align_pre"]
        if not block_size:
            block_size = int(self.ask("block_size_bytes", _ASK_BLOCK, place, SIZES) or 0)
        times = self._times_in_units(row.times, place) if block_size else {}
        parameters = (
            {"direction": "read", "block_size_bytes": block_size} | _COMMON | {"align_bytes": row.align}
        )
        failed = any(time and time.value == 0 for metric, time in times.items() if metric != "align_diff")
        for metric, time in times.items():
            what, span = ("align", metric, time.unit if time else "ns"), row.places[metric]
            if time and not (failed and (time.value == 0 or metric == "align_diff")):
                self.scene.add_figure(TOOL, what, time.value, span=span, parameters=parameters)
            else:
                why = _ZERO if time else _CUT
                self.scene.add_failure(TOOL, what, why, span=span, parameters=parameters)

    def _times_in_units(self, times: Times, place: Span) -> Times:
        """Return the times in a row of an align table, but {} if their units are not known.

        A unit "s" may have lost its µ, so it is read as seconds or as microseconds, by which of the two makes the times
        add up. If both meanings or none add up, the sender is asked.
        """
        if not any(time and time.unit == "s" for time in times.values()):
            return times
        fitting = [unit for unit in LOST_MICRO if _adds_up(_seconds_as(unit, times))]
        if len(fitting) != 1:
            fitting = [self.ask("unit", _ASK_UNIT, place, LOST_MICRO)]
        return _seconds_as(fitting[0], times) if fitting[0] else {}

    @row(r"(?:\^[A-Z])?{size:size}{cells:\s.{0,2000}}?")
    def speed_row(self, found: Found) -> bool:
        block_size, text = found["size"], found.text("cells")
        cells, invalid = text.split(), "invalid data" in text
        broken = invalid or not cells
        # The three printed digits do not always determine a size.
        if not block_size or block_size % 512 or not (broken or all(map(_SPEED.match, cells))):
            return False
        if broken and self.section.kind not in ("open-au", "fat"):
            return invalid
        self._speeds(block_size, cells if not broken else [""], found)
        return True

    def _speeds(self, block_size: int, cells: list[str], found: Found) -> None:
        if self.section.asked and block_size >= (self.section.erase_size or 0):
            self.section = Section()  # rows begin again: another table
        self.section.erase_size = self.section.erase_size or block_size
        kind = self._kind_of_rows(len(cells), found)
        places = _places(found, self.scene)
        for index, cell in enumerate(cells if kind else ()):
            parameters = drop_empty(self._parameters(kind, block_size, index))
            self._speed(kind, cell, parameters, places[index] if cell else self.span(found))

    def _speed(self, kind: str, cell: str, parameters: dict[str, Any], span: Span) -> None:
        match = _SPEED.match(cell)
        value, unit = (decimal(match[1]), spell_unit(f"{match[2][0]}B/s")) if match else (0.0, "B/s")
        what = (kind, "throughput", unit)
        if value > 0:
            self.add_number(what, value, span, **parameters)
        else:
            why = _ZERO if match else _INTERRUPTED
            self.scene.add_failure(TOOL, what, why, span=span, parameters=parameters)

    def _kind_of_rows(self, columns: int, found: Found) -> str:
        section = self.section
        kind = _kind(section.kind, columns)
        if kind and (kind != "open-au" or (section.order and section.open_au)):
            return kind
        self.scene.part += not section.asked
        section.asked = True
        if kind:
            answer = f"open-au {self.ask('open_au', _ASK_OPEN_AU, found, OPEN_AUS)}"
        else:
            answer = self.ask("workload", _ASK_TEST, found, FLASHBENCH_TESTS)
        test, _, pattern = answer.partition(" ")
        if pattern:
            order, open_au = pattern.split()
            section.order, section.open_au = order, int(open_au)
        if not (pattern or test == "fat"):
            return ""
        section.kind = test
        return test

    def _parameters(self, kind: str, block_size: int, index: int) -> dict[str, Any]:
        if kind == "program":
            known = dict(zip(("direction", "order", "data"), _PROGRAM[index], strict=True))
            return _WRITING | known | {"block_size_bytes": block_size}
        where = {"open_au": self.section.open_au} if kind == "open-au" else {"erase_block_index": index}
        pattern = {"order": self.section.order, "block_size_bytes": block_size} | where
        return _WRITING | {"data": self.data} | pattern | {"erase_size_bytes": self.section.erase_size}

    @row(r"\(cardbench repeats the patterns of flashbench with random data\)")
    def random_data(self, found: Found) -> None:
        self.data = "random"

    @row("{position:position} {time:position}")
    def scatter(self, found: Found) -> None:
        what, position, block = ("scatter", "latency_min", "ms"), found["position"], self.section.block_size
        # Printed to six decimals; every place is a multiple of the block.
        where = (
            {"offset_bytes": round(position * 1024**2 / block) * block}
            if block
            else {"position_mib": position}
        )
        size = {"block_size_bytes": block} if block else {}
        self.add_number(what, found["time"], found, direction="read", **size, **_COMMON, **where)

    @row("{block:count} bytes: min {min:time} avg {mean:time} max {max:time}: {_rate:float} MB/s")
    def interval(self, found: Found) -> bool:
        times = {name: found[name] for name in ("min", "mean", "max")}
        if not all(times.values()):
            return False
        for name, time in times.items():
            what, place = ("interval", f"latency_{name}", time.unit), self.span(found, name)
            self.add_number(what, time.value, place, block_size_bytes=found["block"])
        return True

    @row(r"(?:\^C|from [A-Z_0-9]{2,20}$|cannot fill \d{1,12} bytes|lfsr: internal error)…")
    def interruption(self, found: Found) -> bool:
        self.interrupted = True
        return bool(self.table or self.section.kind)

    # A fit to the times above.
    lines = noise(
        r"\S{1,14} MB/s, \S{1,9} access time",
        rf"bytes [0-9]{{1,12}}, time [0-9]{{1,18}} overhead (?:{_NUMBER}|-?nan)",
    )


def _section(command: Command, heading: str) -> Section:
    if command.program == TOOL:
        return _section_of(command)
    if match := _OPEN_AU_HEADING.search(heading):
        return Section("open-au", _ORDERS[match[2]], int(match[1]) or None)
    return Section("fat" if _FAT_HEADING.search(heading) else "")


def _section_of(command: Command) -> Section:
    tests = {"open-au": ("-O", "--open-au"), "fat": ("-f", "--find-fat"), "program": ("-p",)}
    kinds = [kind for kind, flags in tests.items() if command.has(*flags)]
    return Section(
        # The test that prints rows, unless several were called and columns do not tell them apart.
        kind=kinds[0] if len(kinds) == 1 else "",
        order="random" if command.has("-r", "--random") else "sequential",
        open_au=leading_integer(command.option("--open-au-nr")) or 2,
        block_size=leading_integer(command.option("-b", "--blocksize")) or _DEFAULT_BLOCK,
        erase_size=leading_integer(command.option("-e", "--erasesize")) or _DEFAULT_ERASE,
    )


def _kind(kind: str, columns: int) -> str:
    # People put a card into each column of a table of their own.
    if kind in ("open-au", "fat"):
        return "fat" if columns > 1 else kind
    return kind if columns == len(_PROGRAM) else ""


def _places(found: Found, scene: Scene) -> list[Span]:
    start, line = found.span("cells")[0], scene.line
    spans = (cell.span() for cell in re.finditer(r"\S+", found.text("cells")))
    return [Span(line.number, *line.column_range(start + first, start + end)) for first, end in spans]


def _seconds_as(unit: str, times: Times) -> Times:
    return {
        name: Quantity(time.value, unit) if time and time.unit == "s" else time
        for name, time in times.items()
    }


def _adds_up(times: Times) -> bool:
    readable = [time for time in times.values() if time]
    if len(readable) < len(times):
        return False
    pre, on, post, diff = (value * factor(unit, base="ns") for value, unit in readable)
    # To three digits.
    return abs(on - (pre + post) / 2 - diff) <= 0.01 * max(pre, on, post)
