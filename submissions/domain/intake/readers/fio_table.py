"""Parse tables of fio results as scripts print them: "Read | 24.34 MB/s (6086) | …" below "Block Size | 4k (IOPS) | …".

The IOPS times the block size show the meaning of a printed MB: 10^6, 2^20 or, since KiB were divided by 1000, 1,024,000
bytes. YABS, with a total below its tables, reads and writes at random at once, half each, with O_DIRECT (yabs.sh,
disk_test): neither rate is that of a card that only reads or writes, so its rows are "mixed" and only kept in `extra`.
Other scripts have rows of their own for random access, and do not state caches and queue depth. If a table has lost its
total and has the block sizes of YABS, a question is asked.
"""

import re
from typing import Any, NamedTuple

from submissions.domain.intake.choices import MEGABYTES
from submissions.domain.intake.commands import size
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.readers.fio_job import ORDERS, TOOL
from submissions.domain.intake.slots import Found, Row, Table, row

_COLUMN = re.compile(r"([0-9]{1,5}[km])\s{1,30}\(IOPS\)")
_CELL = Row(r" ?{rate:number} {prefix:[KMG]}B/s \({iops:number}{thousands:k}?\)")
# Bytes of a kilobyte, and how many of one unit make the next, in the meanings of a megabyte.
_MEANINGS = {"1000000": (1000, 1000), "1024000": (1024, 1000), "1048576": (1024, 1024)}
_KINDS = {
    "sequential": "in sequence",
    "random": "at random",
    "mixed": "reads and writes at random, at the same time",
}
_YABS_BLOCKS = {4096, 65536, 524288, 1048576}
_YABS = {"order": "random", "queue_depth": 128, "io": "direct"}  # two jobs of 64 each


class Cell(NamedTuple):
    """The result of one job in a table. `step`: by how much the IOPS may be more than printed, as they are cut."""

    rw: str
    block_size: int
    rate: float
    prefix: str
    iops: float
    step: int
    span: Span


class FioTable(Table):
    """Parser for tables of fio results that scripts such as YABS print.

    The rows of a run are held until it ends, because any row may show the meaning of the units of all rows.
    """

    tool = TOOL

    def set_up(self) -> None:
        self.block_sizes: list[int] = []
        self.cells: list[Cell] = []
        self.mixed = False

    def begin(self) -> None:
        """Note a title of a table of fio results that has a partition in it, because it looks like a command."""
        self.mixed = self.scene.command.program == TOOL and "(Mixed" in self.scene.command.words

    def end(self) -> None:
        cells = [cell for cell in self.cells if cell.rw != "total"]
        kind = self._kind(cells) if cells else ""
        meaning = self._find_meaning() if kind else None
        for cell in cells if kind else ():
            workload, parameters = _pattern(cell, kind)
            for metric, unit, value in (
                ("iops", "1/s", cell.iops),
                ("throughput", "B/s", _bytes(cell, meaning)),
            ):
                self.add_number((workload, metric, unit), value, cell.span, **parameters)
        self.block_sizes, self.cells, self.mixed = [], [], False

    def _kind(self, cells: list[Cell]) -> str:
        """Return a key of _KINDS, or "named" if the rows state their access pattern; "" if it is not known."""
        if self.mixed:
            return "mixed"
        blocks = {cell.block_size for cell in cells}
        if any(cell.rw.startswith("rand") for cell in cells) or len(blocks) == 1 or blocks - _YABS_BLOCKS:
            return "named"
        detail = "Did the jobs in this table read and write sequentially, randomly, or both at once?"
        return self.ask("access_pattern", detail, cells[0].span, _KINDS)

    def _find_meaning(self) -> tuple[int, int] | None:
        """Return the only meaning of a megabyte that agrees with all IOPS, else the meaning that the sender chooses.

        It is a pair of the bytes of a kilobyte and the factor between units; None without an answer.
        """
        agreeing = [
            meaning for meaning in _MEANINGS.values() if all(_agrees(cell, meaning) for cell in self.cells)
        ]
        if len(agreeing) == 1:
            return agreeing[0]
        detail = "How many bytes are in a megabyte in this table? The IOPS do not show it."
        return _MEANINGS.get(self.ask("unit", detail, self.cells[0].span, MEGABYTES))

    @row(r"fio Disk Speed Tests \(Mixed R/W 50/50\):?")
    def title(self, found: Found) -> None:
        self.end()
        self.mixed = True

    @row(r"\|? ?Block Size ?\|{columns:.{3,300}}")
    def heading(self, found: Found) -> bool:
        self.block_sizes = [size(column) or 0 for column in _COLUMN.findall(found["columns"])]
        return bool(self.block_sizes) and all(self.block_sizes)

    @row(r"\|? ?{rw:Read|Write|Randread|Randwrite|Total} \|{cells:.{3,400}}")
    def result(self, found: Found) -> bool:
        cells = [_CELL.match(cell) for cell in found["cells"].rstrip("| \t").split("|")]
        if len(cells) != len(self.block_sizes) or not all(cells):
            return False
        rw, span = found["rw"].lower(), self.span(found)
        self.mixed = self.mixed or rw == "total"
        for cell, block in zip(filter(None, cells), self.block_sizes, strict=True):
            many = 1000 if cell["thousands"] else 1
            iops, step = cell["iops"] * many, max(many // 10, 1)
            self.cells.append(Cell(rw, block, cell["rate"], cell["prefix"], iops, step, span))
        return True


def _pattern(cell: Cell, kind: str) -> tuple[str, dict[str, Any]]:
    direction = "read" if "read" in cell.rw else "write"
    parameters = {"direction": direction, "block_size_bytes": cell.block_size}
    if kind == "mixed":
        return "mixed", parameters | _YABS
    return "stream", parameters | {"order": ORDERS[cell.rw] if kind == "named" else kind}


def _bytes(cell: Cell, meaning: tuple[int, int] | None) -> float:
    """Return the throughput of a cell in bytes per second, 0 if the meaning of the units is not known."""
    kilo, step = meaning or (0, 0)
    return float(cell.rate * kilo * step ** "KMG".index(cell.prefix))


def _agrees(cell: Cell, meaning: tuple[int, int]) -> bool:
    # Operations are rounded, or cut where they end in a k.
    least, most = ((cell.iops + more) * cell.block_size for more in (-1, cell.step))
    return 0.995 * least <= _bytes(cell, meaning) <= 1.005 * most
