"""Tables of fio results as scripts print them: "Read | 24.34 MB/s (6086) | …" below "Block Size | 4k (IOPS) | …".

The IOPS times the block size tell what the script means by MB: 10^6, 2^20 or, dividing KiB by 1000, 1,024,000 bytes.
How many requests were in flight, and whether past the page cache, such a table does not say.
"""

import re
from typing import Any

from submissions.domain.intake.choices import MEGABYTES
from submissions.domain.intake.commands import size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.readers.fio_job import ORDERS, TOOL
from submissions.domain.intake.scene import Reader, Scene

_HEADING = re.compile(r"\|?\s{0,4}Block Size\s{0,4}\|(.{3,300})\Z")
_COLUMN = re.compile(r"([0-9]{1,5}[km])\s{1,30}\(IOPS\)")
_ROW = re.compile(r"\|?\s{0,4}(Read|Write|Randread|Randwrite)\s{1,12}\|(.{3,400})\Z")
_CELL = re.compile(r"\s{0,12}([0-9]{1,7}\.[0-9]{1,3}) (M)B/s\s{1,30}\(([0-9]{1,9})\)\s{0,12}\Z")
_KIB = 1024
# What people mean by a megabyte.
_MEANINGS = (1000**2, 1000 * _KIB, _KIB**2)
_TELLING_IOPS = 200  # fewer are rounded too much to tell 2.4 % apart


class FioTable(Reader):
    def __init__(self) -> None:
        self.block_sizes: list[int] = []

    def begin(self, scene: Scene) -> None:
        self.block_sizes = []

    def heading(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.block_sizes = [size(column) or 0 for column in _COLUMN.findall(match[1])]
        return None if all(self.block_sizes) and self.block_sizes else False

    def row(self, match: re.Match[str], scene: Scene) -> bool | None:
        cells = [_CELL.match(cell) for cell in match[2].rstrip("| \t").split("|")]
        matches = [cell for cell in cells if cell]
        if len(matches) != len(self.block_sizes) or len(matches) != len(cells):
            return False
        rw = match[1].lower()
        parameters = {"direction": "read" if "read" in rw else "write", "order": ORDERS[rw]}
        meaning = _meaning(list(zip(matches, self.block_sizes, strict=True)))
        for cell, block in zip(matches, self.block_sizes, strict=True):
            self._cell(cell, parameters | {"block_size_bytes": block}, meaning, match, scene)
        return None

    def _cell(
        self,
        cell: re.Match[str],
        parameters: dict[str, Any],
        meaning: int | None,
        match: re.Match[str],
        scene: Scene,
    ) -> None:
        span = scene.span(match)
        if int(cell[3]):
            scene.measured(TOOL, ("stream", "iops", "1/s"), float(cell[3]), span=span, parameters=parameters)
        if meaning is None:
            detail = "How many bytes is a megabyte in this table? The IOPS do not tell."
            meaning = int(scene.ask(TOOL, "unit", detail, span=span, choices=MEGABYTES) or 0)
        if not meaning:
            return
        rate = decimal(cell[1]) * meaning
        scene.measured(TOOL, ("stream", "throughput", "B/s"), rate, span=span, parameters=parameters)

    rows = ((_HEADING, heading), (_ROW, row))


def _meaning(cells: list[tuple[re.Match[str], int]]) -> int | None:
    """Bytes of the unit, None unless exactly one meaning agrees with all IOPS that can tell."""
    telling = [(cell, block) for cell, block in cells if int(cell[3]) >= _TELLING_IOPS]
    agreeing = [set(_meanings_of(cell, block)) for cell, block in telling]
    common = set.intersection(*agreeing) if agreeing else set()
    return common.pop() if len(common) == 1 else None


def _meanings_of(cell: re.Match[str], block_size: int) -> list[int]:
    rate = int(cell[3]) * block_size
    tolerance = block_size + 0.005 * rate
    return [factor for factor in _MEANINGS if abs(decimal(cell[1]) * factor - rate) <= tolerance]
