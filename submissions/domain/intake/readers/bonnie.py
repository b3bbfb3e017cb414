"""Parse the output of bonnie++ (table and CSV) and Tim Bray's Bonnie: file access in chunks of 8 KiB.

K/sec are 1024 bytes per second; Bonnie for large files prints M/sec, of 1024^2 bytes, and has chunks of 16 KiB. `+++++`
means too quick to be timed, so the value is missing, not 0. The CSV repeats the whole table, so that a table followed
by its CSV counts once. Columns are those of bonnie++'s bon_csv2html.cpp.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from submissions.domain.intake.commands import size
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.slots import TYPES, Found, Table, noise, row

_CHUNK = 8192
_CELL = r"(?:[0-9.]{1,9}[kmg]?|\+{3,5})"
_CELLS = rf"(?:\s{{1,30}}{_CELL})"
_TYPES = TYPES | {
    # -f leaves the columns of characters empty: a narrower row has been wrapped.
    "io": (rf"{_CELLS}{{12}}|\s{{8,30}}{_CELL}{_CELLS}{{7}}", str.split),
    "cells": (rf"{_CELLS}{{12}}", str.split),
    "latencies": (r"(?:\s{1,40}[0-9]{1,9}[mun]?s){4,6}", str.split),
    "csv": (rf"(?:,{_CELL}?){{12}}", lambda text: text.split(",")[1:]),
}
_NUMBER = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([kmg]?)\Z")
_LATENCY = re.compile(r"([0-9]{1,9})([mun]?s)\Z")


class Column(NamedTuple):
    """The meaning of a column of a table of bonnie++; each is followed by a column with its share of the processor."""

    workload: str
    unit: str = "KiB/s"
    known: dict[str, Any] = {}

    @property
    def name(self) -> str:
        words = (self.known.get(name) for name in ("direction", "order"))
        return " ".join([self.workload.replace("stream", "block"), *filter(None, words)])


Columns: TypeAlias = Sequence[Column]
_WRITE = {"direction": "write", "order": "sequential", "block_size_bytes": _CHUNK, "queue_depth": 1}
_IO: Columns = (
    Column("per-character-write"),
    Column("stream", known=_WRITE),
    Column("rewrite"),
    Column("per-character-read"),
    Column("stream", known=_WRITE | {"direction": "read"}),
    Column("seeks", "1/s"),
)
_FAST: Columns = [column for column in _IO if not column.workload.startswith("per-character")]
_FILES: Columns = [
    Column(f"{verb}-files", "1/s", {"order": order})
    for order in ("sequential", "random")
    for verb in ("create", "stat", "delete")
]
# The columns of values are the last columns; newer versions have more columns before them.
_CSV_LENGTHS = (47, 48, 50)
_CSV_IO, _CSV_FILES, _CSV_LATENCIES = slice(-41, -29), slice(-24, -12), slice(-12, None)


class Bonnie(Table):
    types = _TYPES
    tool = "bonnie++"

    def set_up(self) -> None:
        self.name = self.tool
        self.held: list[tuple[Span, Columns, list[str]]] = []
        self.in_table = self.files = self.megabytes = False

    def end(self) -> None:
        """Add the numbers of tables of bonnie++ that no CSV has repeated."""
        for span, columns, cells in self.held:
            self._add(columns, cells, span)
        self.held = []

    @row(r"1\.9[678],{tool_version:[12]\.[0-9]{2}[a-z]?},[^,\s]{0,80},[0-9]{1,4},[0-9]{1,12},\S{20,600}")
    def csv(self, found: Found) -> bool:
        fields, self.held = found.text().strip().split(","), []
        if len(fields) not in _CSV_LENGTHS:
            return False
        self.tell(found)
        chunk = size(fields[6]) if len(fields) >= 48 else None
        io, span = [_with_chunks(column, chunk) for column in _IO], self.span(found)
        self._add(io, fields[_CSV_IO][::2], span)
        self._add(_FILES, fields[_CSV_FILES][::2], span)
        self._add((*_IO, *_FILES), fields[_CSV_LATENCIES], span)
        return True

    # Versions before 1.9: name and size, values of throughput, number of files, values of file operations.
    @row(r"[^\s,]{1,80},[0-9]{1,6}[MGk]?(?::[0-9]{1,9}k?)?{io:csv},[0-9:/]{0,30}{files:csv}")
    def old_csv(self, found: Found) -> None:
        self.held = []
        self._add(_IO, found["io"][::2], self.span(found))
        self._add(_FILES, found["files"][::2], self.span(found))

    @row(r"Version [12]\.[0-9]{2}[a-z]? -…")
    def version(self, found: Found) -> None:
        self.in_table, self.name = True, self.tool
        if "Create" not in self.scene.line.text:
            self.end()
            self.files = False

    @row("Latency{latencies:latencies}")
    def latency_row(self, found: Found) -> bool:
        cells = found["latencies"]
        columns = self._columns_of(cells)
        fits = len(cells) == len(columns) and (
            columns is not _FAST or any(held[1] is _FAST for held in self.held)
        )
        self.held += [(self.span(found), columns, cells)] if fits else []
        return fits

    @row(r"(?:[^\s,]{1,30} )?{size:[0-9]{1,6}[MGk]?}{cells:io}")
    def io_row(self, found: Found) -> bool:
        """Hold a row of throughputs until the table of bonnie++ ends.

        Without a heading, a row is only recognised by a size with a unit.
        """
        cells = found["cells"][::2]
        columns = self._columns_of(cells)
        if not found["size"][-1].isalpha() and not (self.in_table and columns is not _FAST):
            return False
        if self.megabytes:
            columns = [
                _with_chunks(column, 2 * _CHUNK)._replace(unit=column.unit.replace("K", "M"))
                for column in columns
            ]
        self.held.append((self.span(found), columns, cells))
        return True

    @row("[0-9]{1,9}(?::[0-9:/]{1,30})?{cells:cells}")
    def file_row(self, found: Found) -> bool:
        self.held += [(self.span(found), _FILES, found["cells"][::2])] if self.in_table else []
        return self.in_table

    @row(
        r"(?:Concurrency|Machine|files:max|files|-Per Chr-|-Per Char-|-{6,12}Sequential|\S{0,30} -Create--).{0,120}"
    )
    def heading(self, found: Found) -> None:
        text = found.text()
        self.in_table, self.files = True, self.files or "Create" in text
        if "%CPU" in text:
            self.name, self.megabytes = "bonnie", " M/sec" in text

    def _columns_of(self, cells: Sequence[str]) -> Columns:
        if len(cells) != len(_IO):
            return _FAST
        return _FILES if self.files else _IO

    def _add(self, columns: Columns, cells: Sequence[str], span: Span) -> None:
        for column, cell in zip(columns, cells, strict=False):
            # Latencies include the work of the file system, so they are only kept in `extra`.
            if latency := _LATENCY.match(cell):
                what = ("file-system", "latency_max", latency[2])
                self.add_number(what, int(latency[1]), span, of=column.name)
            elif number := _NUMBER.match(cell):
                metric = "iops" if column.unit == "1/s" else "throughput"
                value = float(number[1]) * 1024 ** "kmg".find(number[2])
                if value:
                    what = (column.workload, metric, column.unit)
                    self.scene.add_figure(self.name, what, value, span=span, parameters=column.known)

    lines = noise(
        r"Using uid:[0-9]{1,9}, gid:[0-9]{1,9}\.",
        r"(?:Writing|Reading|Rewriting|Seeker|start 'em|Create files|Stat files|Delete files).{0,60}done.{0,60}",
    )


def _with_chunks(column: Column, size_bytes: int | None) -> Column:
    changed = column.known | {"block_size_bytes": size_bytes} if size_bytes and column.known else column.known
    return column._replace(known=changed)
