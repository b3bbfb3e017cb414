"""List the tables and columns of a dump, read from tables.toml. All other parts of a dump follow from this list.

No column holds a serial number, a raw report, an address or the key of a submitter.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, structs

from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces, uses
from submissions.evidence import troubles

Rows = Iterable[tuple[Any, ...]]
_FILE = Path(__file__).with_name("tables.toml")


class Kind(NamedTuple):
    """The type of a column of a dump: its names in DuckDB and in a Frictionless table schema."""

    duckdb: str
    field: str


TEXT, TIME = Kind("VARCHAR", "string"), Kind("TIMESTAMPTZ", "datetime")
BOOLEAN = Kind("BOOLEAN", "boolean")


class Column(NamedTuple):
    """One column of a table of a dump.

    `sql`: the expression that reads the column; "" if the table is not read from the database.
    """

    name: str
    kind: Kind
    sql: str = ""
    meaning: str = ""


class Table(NamedTuple):
    """One table of a dump, read from the database or from the code.

    `source`: the FROM and ORDER BY of the query; `rows`: else the function that returns the rows.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    source: str = ""
    rows: Callable[[], Rows] | None = None
    refers: tuple[tuple[str, str, str], ...] = ()  # column, table, its column


def _structs(rows: Iterable[Struct]) -> Rows:
    for row in rows:
        yield tuple(json.dumps(cell) if isinstance(cell, list) else cell for cell in structs.astuple(row))


_KINDS = {
    "text": TEXT,
    "integer": Kind("BIGINT", "integer"),
    "number": Kind("DOUBLE", "number"),
    "boolean": BOOLEAN,
    "time": TIME,
    "json": Kind("JSON", "any"),
    "numbers": Kind("DOUBLE[]", "array"),
}
_USE = ("name", "title", "version", "leading", "fallback", "min_capacity_gb", "wants_endurance", "source")
_SLOT = ("name", "title", "raw_bytes_per_second", "practical_bytes_per_second")
_BOARD = ("slug", "title", "interface.name", "form", "slot.name", "slot.queue_rule", "use.name")
_ability = attrgetter("name", "title", "base_unit", "queue_of", "slot")
_need = attrgetter("ability", "threshold", "log_threshold", "source")
# Tables with rows from the code; all others are read from the database.
_ROWS: dict[str, Callable[[], Rows]] = {
    "metrics": lambda: map(attrgetter("name", "title", "base_unit", "better"), metrics.METRICS.values()),
    "abilities": lambda: ((at, *_ability(row)) for at, row in enumerate(metrics.ABILITIES.values(), 1)),
    "uses": lambda: map(attrgetter(*_USE), uses.all_uses().values()),
    "needs": lambda: ((use.name, *_need(need)) for use in uses.all_uses().values() for need in use.needs),
    "interfaces": lambda: map(attrgetter(*_SLOT), interfaces.all_interfaces().values()),
    "boards": lambda: map(attrgetter(*_BOARD), boards.all_boards().values()),
    "quirk_candidates": lambda: _structs(troubles.find_candidates()),
}


def _table(name: str, row: Mapping[str, Any]) -> Table:
    columns = tuple(Column(column, _KINDS[kind], *rest) for column, kind, *rest in row["columns"])
    source = row.get("source", "").replace("{last_fit}", "(SELECT max(id) FROM submissions_fit)")
    refers = tuple(map(tuple, row.get("refers", ())))
    return Table(name, row["meaning"], columns, tuple(row["key"]), source, _ROWS.get(name), refers)


TABLES = tuple(_table(name, row) for name, row in tomllib.loads(_FILE.read_text(encoding="utf-8")).items())
