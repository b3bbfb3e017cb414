"""Parse the rows of a table of published results, and refuse unusable rows."""

import csv
import io
import re
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from submissions.domain.errors import ReportError
from submissions.domain.fields import FORMS

State = Literal["understood", "asked", "refused"]
MOST_ROWS = 200_000


class TableError(ReportError):
    """Raised for a file that is no table of results: no CSV, a column missing, no rows."""

    code = "no_table"


class Row(NamedTuple):
    """A row of a published table: one printed value, with a field for each column of api/v1/TABLE.md.

    "" means not known. `file_line`: the number of the row's line in the file.
    """

    source_id: str
    title_or_repo_path: str
    date: str
    brand: str
    line: str
    model_number: str
    capacity_gb: str
    form: str
    marks: str
    cid: str
    csd: str
    cid_name: str
    specimen: str
    run: str
    host: str
    tool: str
    command_or_workload: str
    metric: str
    value: str
    unit: str
    unit_printed: str
    medium_state: str
    queue: str
    note: str
    file_line: int

    @property
    def report(self) -> tuple[str, str, str, str]:
        """Return a key of the report: the fields that are equal in all rows of one report."""
        return self.source_id, self.specimen, self.host, self.run

    @property
    def card(self) -> tuple[str, str]:
        """Return a key of the card: the fields that are equal in all rows of one card, in any host."""
        return self.source_id, self.specimen


COLUMNS = Row._fields[:-1]
# Without these a value cannot be distinguished from another.
_NEEDED = ("source_id", "specimen", "metric", "value")
# Column -> pattern of a cell that is not empty, and the words for it.
_CELLS = {
    "capacity_gb": (r"\d+(\.\d+)?", "a number of GB, such as 64"),
    "form": ("|".join(FORMS), f"one of {', '.join(FORMS)}"),
    "cid": (r"[0-9a-f]{32}", "32 lowercase hex digits"),
    "csd": (r"[0-9a-f]{32}", "32 lowercase hex digits"),
}


class Line(NamedTuple):
    """A row of a published table and its state. `reason`: why the row is refused, or a question to its source."""

    row: Row
    state: State
    reason: str = ""


def rows_of(text: str, *, source_id: str = "") -> list[Row]:
    """Return every row of a published table, which is a text in CSV. Raise TableError.

    `source_id`: the source of rows that name none.
    """
    if "\x00" in text:
        raise TableError("The table contains a NUL byte; is it a text file?", field="file")
    text = text.removeprefix("\ufeff")  # as spreadsheets write it
    separator = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text), strict=True, delimiter=separator)
    try:
        _require_columns(reader.fieldnames or ())
        rows = [_row(cells, line, source_id) for line, cells in zip(_lines(reader), reader, strict=False)]
    except csv.Error as error:
        raise TableError(f"Line {reader.line_num} is not valid CSV: {error}.", field="file") from error
    if not rows:
        raise TableError("The table has a heading and no rows.", field="file")
    return rows


def _lines(reader: "csv.DictReader[str]") -> Iterable[int]:
    while reader.line_num < MOST_ROWS:
        yield reader.line_num + 1
    raise TableError(f"The file has more than {MOST_ROWS:,} lines; split it by source.", field="file")


def _require_columns(names: Collection[str]) -> None:
    lacking = ", ".join(name for name in COLUMNS if name not in names)
    if lacking:
        raise TableError(f"The heading lacks {lacking}; api/v1/TABLE.md describes all columns.", field="file")


def _row(cells: dict[str, str], line: int, source_id: str) -> Row:
    texts = {name: (cells[name] or "").strip() for name in COLUMNS}
    texts["source_id"] = texts["source_id"] or source_id
    return Row(**texts, file_line=line)


def explain_refusal(row: Row) -> str:
    """Return why a row of a published table is refused; "" for other rows.

    A needed cell is empty, or a cell has an impossible text.
    """
    for name, (pattern, wanted) in _CELLS.items():
        cell = getattr(row, name)
        if cell and not re.fullmatch(pattern, cell):
            return f"{name} is “{cell[:40]}”, and must be {wanted}"
    lacking = [name for name in _NEEDED if not getattr(row, name)]
    return f"{' and '.join(lacking)} must be given" if lacking else ""
