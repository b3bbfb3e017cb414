"""Write many rows in one statement, where Django would take several times as long."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice, product
from typing import Any, TypeVar

import msgspec
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import DateField, Field, Model
from django.db.models.base import ModelState
from psycopg import Cursor
from psycopg.sql import Literal

from submissions.sql import replica

Row = TypeVar("Row", bound=Model)


def copy(kind: type[Model], columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Insert rows by COPY, each with a value for each of these columns; arrays may only contain numbers.

    The function writes PostgreSQL's text format itself, because psycopg takes several times as long.
    """
    lines = ("\t".join([_AS_TEXT.get(type(value), _escape)(value) for value in row]) for row in rows)
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {_table(kind)} ({', '.join(map(_quote, columns))}) FROM STDIN") as into,
    ):
        while some := list(islice(lines, _LINES_AT_ONCE)):
            into.write("\n".join(some) + "\n")


def copy_models(kind: type[Model], rows: Iterable[Model]) -> None:
    """Insert instances of one Django model by COPY, without setting their ids."""
    fields = _fields(kind)
    values = ([getattr(row, field.attname) for field in fields] for row in rows)
    copy(kind, [str(field.column) for field in fields], values)


def update_statistics() -> None:
    """Let PostgreSQL update its statistics of every table.

    Call this after a bulk load: a planner that does not know of the new rows may make a query of seconds take minutes.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def replace(card_models: Collection[int], rows: Mapping[type[Model], Sequence[Model]]) -> None:
    """Replace all rows of each table that refer to these card models, without setting ids.

    Use this only for tables that no other table refers to.
    """
    for kind, of_kind in rows.items():
        fetch_rows(_replacement(kind), [list(card_models), _as_json(kind, of_kind)])


@cache
def _replacement(kind: type[Model]) -> str:
    # A new row may have the unique key of a former one. The insertion counts the deleted rows, so that PostgreSQL
    # deletes all of them first.
    former = f"DELETE FROM {_table(kind)} WHERE card_model_id = ANY(%s) RETURNING id"
    new = f"{_insertion(kind)} WHERE (SELECT count(*) FROM former) >= 0 RETURNING id"
    return f"WITH former AS ({former}) {new}"


def insert(rows: Sequence[Model]) -> None:
    """Insert rows of one table and set their ids; one statement, or none if there are no rows."""
    for row, (pk,) in zip(rows, _insert_returning(rows, "RETURNING id"), strict=True):
        row.pk = pk


def insert_new(rows: Sequence[Row], name: str) -> list[Row]:
    """Insert the rows that no constraint refuses, and return them with their ids. `name` is a unique column."""
    ids = dict(_insert_returning(rows, f"ON CONFLICT DO NOTHING RETURNING {_quote(name)}, id"))
    for row in rows:
        row.pk = ids.get(getattr(row, name))
    return [row for row in rows if row.pk]


def insert_missing(rows: Sequence[Model]) -> None:
    """Insert the rows of one table that no constraint refuses, without setting ids; at most one statement."""
    _insert_returning(rows, "ON CONFLICT DO NOTHING RETURNING id")


def insert_if_new(kind: type[Row], values: Mapping[str, Any]) -> Row | None:
    """Insert one row from {column: value} and defaults, and return it, or None if a constraint refuses it.

    To save time, `Field.get_db_prep_save` is not called: values must be of types that psycopg adapts.
    """
    inserted = fetch_rows(_insertion_of_one(kind, tuple(values)), list(values.values()))
    return _row_of(kind, {**values, "id": inserted[0][0]}) if inserted else None


@cache
def _insertion_of_one(kind: type[Model], brought: tuple[str, ...]) -> str:
    missing = [field for field in _fields(kind) if field.attname not in brought]
    defaults = {
        field.attname: literal(field.get_db_prep_save(field.get_default(), connection)) for field in missing
    }
    columns = ", ".join(map(_quote, (*brought, *defaults)))
    values = ", ".join((*("%s" for _ in brought), *defaults.values()))
    return f"INSERT INTO {_table(kind)} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING RETURNING id"


def _row_of(kind: type[Row], values: Mapping[str, Any]) -> Row:
    # `Model.from_db` sets column by column, which takes as long as the whole insertion.
    row = kind.__new__(kind)
    missing = (field for field in kind._meta.concrete_fields if field.attname not in values)
    row.__dict__.update({field.attname: field.get_default() for field in missing}, **values)
    row._state = ModelState()
    row._state.adding, row._state.db = False, connection.alias
    return row


def literal(value: Any) -> str:
    """Return a value as an SQL literal, with each % doubled, for a statement that has parameters."""
    return Literal(value).as_string(connections[DEFAULT_DB_ALIAS].connection).replace("%", "%%")


def _insert_returning(rows: Sequence[Model], ending: str) -> list[Any]:
    if not rows:
        return []
    kind = type(rows[0])
    return fetch_rows(f"{_insertion(kind)} {ending}", [_as_json(kind, rows)])


@cache
def _insertion(kind: type[Model]) -> str:
    names = ", ".join(_quote(str(field.column)) for field in _fields(kind))
    return (
        f"INSERT INTO {_table(kind)} ({names})"
        f" SELECT {names} FROM json_populate_recordset(NULL::{_table(kind)}, %s)"
    )


def _as_json(kind: type[Model], rows: Sequence[Model]) -> str:
    for row, field in product(rows, _date_fields(kind)):
        field.pre_save(row, add=True)
    names = [(field.column, field.attname) for field in _fields(kind)]
    columns = [{column: row.__dict__[name] for column, name in names} for row in rows]
    return msgspec.json.encode(columns).decode()


def update(rows: Sequence[Model], names: Iterable[str]) -> None:
    """Update the columns `names` of stored rows of one table; one statement, or none if there are no rows.

    Caller must have locked the rows, because the statement locks them in no order and so could deadlock.
    """
    if not rows:
        return
    table, names = _table(type(rows[0])), list(names)
    columns = [{"id": row.pk} | {name: getattr(row, name) for name in names} for row in rows]
    changes = [f"{_quote(name)} = changed.{_quote(name)}" for name in names]
    fetch_rows(
        f"UPDATE {table} AS stored SET {', '.join(changes)} FROM json_populate_recordset(NULL::{table}, %s)"
        " AS changed WHERE stored.id = changed.id RETURNING stored.id",
        [msgspec.json.encode(columns).decode()],
    )


def fetch_rows(statement: str, parameters: Sequence[Any]) -> list[Any]:
    """Execute a statement as a prepared statement and return its rows.

    PostgreSQL plans a prepared statement only once per connection; planning most statements takes longer than
    executing them. A connection pooler must support prepared statements, as PgBouncer 1.22 does.
    """
    own = connections[replica.reading_alias()]
    if own.queries_logged:  # a test counts the queries of Django
        with own.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall()
    rows = execute_prepared(statement, parameters).fetchall()
    if len(rows) > _MOST_KEPT:
        _kept.cursor = None
    return rows


def execute_prepared(statement: str, parameters: Sequence[Any], *, binary: bool = False) -> "Cursor[Any]":
    """Execute a prepared statement and return the cursor of this thread, which is valid until the next statement."""
    own = connections[replica.reading_alias()]
    own.close_if_health_check_failed()
    own.ensure_connection()
    with own.wrap_database_errors:
        return _kept.cursor_of(own.connection).execute(statement, parameters, prepare=True, binary=binary)


# A cursor keeps its last rows in memory: after more than so many it is dropped.
_MOST_KEPT = 1000


class _ThreadCursor(threading.local):
    """The cursor of a thread, which is reused, because making a cursor takes half as long as a short query."""

    cursor: "Cursor[Any] | None" = None

    def cursor_of(self, connection: Any) -> "Cursor[Any]":
        if self.cursor is None or self.cursor.connection is not connection:
            self.cursor = Cursor(connection)
        return self.cursor


_kept = _ThreadCursor()
_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def _escape(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and "\\" not in text else text.translate(_ESCAPES)


def _array(numbers: Any) -> str:
    return _escape(f"{{{msgspec.json.encode(numbers).decode()[1:-1]}}}")


_AS_TEXT: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: r"\N",
    **dict.fromkeys((int, float), repr),
    **dict.fromkeys((list, tuple), _array),
    bytes: lambda value: rf"\\x{value.hex()}",
    dict: lambda value: _escape(msgspec.json.encode(value).decode()),
}
_LINES_AT_ONCE = 1000


@cache
def _fields(kind: type[Model]) -> "list[Field[Any, Any]]":
    return [field for field in kind._meta.concrete_fields if not field.primary_key]


@cache
def _date_fields(kind: type[Model]) -> "list[Field[Any, Any]]":
    dates = [field for field in _fields(kind) if isinstance(field, DateField)]
    return [field for field in dates if field.auto_now or field.auto_now_add]


def _table(kind: type[Model]) -> str:
    return _quote(kind._meta.db_table)


@cache
def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
