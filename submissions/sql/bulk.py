"""Rows in one statement, where Django would write them one by one or take several times as long."""

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

Row = TypeVar("Row", bound=Model)


def copy(kind: type[Model], columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Insert by COPY: `rows` hold a value for each of these columns; arrays are of numbers.

    In PostgreSQL's text format, written here: psycopg takes several times as long to adapt value by value.
    """
    lines = ("\t".join([_AS_TEXT.get(type(value), _escaped)(value) for value in row]) for row in rows)
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {_table(kind)} ({', '.join(map(_quoted, columns))}) FROM STDIN") as into,
    ):
        while some := list(islice(lines, _LINES_AT_ONCE)):
            into.write("\n".join(some) + "\n")


def copy_models(kind: type[Model], rows: Iterable[Model]) -> None:
    """Insert rows of one kind by COPY; they do not learn their ids."""
    fields = _fields(kind)
    values = ([getattr(row, field.attname) for field in fields] for row in rows)
    copy(kind, [str(field.column) for field in fields], values)


def count_rows_anew() -> None:
    """Let PostgreSQL count every table anew.

    Of rows that came a moment ago its planner knows nothing; a query for seconds may then take minutes.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def replace(card_models: Collection[int], rows: Mapping[type[Model], Sequence[Model]]) -> None:
    """Put these rows of each kind in the place of all that refer to these models; they do not learn their ids.

    Only for tables that no other table refers to.
    """
    for kind, of_kind in rows.items():
        asked(_replacement(kind), [list(card_models), _as_json(kind, of_kind)])


@cache
def _replacement(kind: type[Model]) -> str:
    """Deletes and inserts in one statement. A new row may have the unique key of a former one: the insertion asks how
    many were deleted, so PostgreSQL deletes all of them first.
    """
    former = f"DELETE FROM {_table(kind)} WHERE card_model_id = ANY(%s) RETURNING id"
    new = f"{_insertion(kind)} WHERE (SELECT count(*) FROM former) >= 0 RETURNING id"
    return f"WITH former AS ({former}) {new}"


def insert(rows: Sequence[Model]) -> None:
    """Insert rows of one kind, which have their ids afterwards; one statement, none without rows."""
    for row, (pk,) in zip(rows, _inserted(rows, "RETURNING id"), strict=True):
        row.pk = pk


def insert_new(rows: Sequence[Row], name: str) -> list[Row]:
    """As `insert_missing`. Returns those that were inserted, with their ids. `name`: a column that is unique."""
    ids = dict(_inserted(rows, f"ON CONFLICT DO NOTHING RETURNING {_quoted(name)}, id"))
    for row in rows:
        row.pk = ids.get(getattr(row, name))
    return [row for row in rows if row.pk]


def insert_missing(rows: Sequence[Model]) -> None:
    """Insert those rows of one kind that no constraint refuses; they do not learn their ids. None without rows."""
    _inserted(rows, "ON CONFLICT DO NOTHING RETURNING id")


def insert_if_new(kind: type[Row], values: Mapping[str, Any]) -> Row | None:
    """Insert one row of these values, by column; the others get their defaults. None when a constraint refuses it.

    Every report comes this way. So no field is asked how it writes its value, which psycopg knows.
    """
    inserted = asked(_insertion_of_one(kind, tuple(values)), list(values.values()))
    return _row_of(kind, {**values, "id": inserted[0][0]}) if inserted else None


@cache
def _insertion_of_one(kind: type[Model], brought: tuple[str, ...]) -> str:
    """The statement, which answers with the id."""
    defaults = {field.attname: _default(field) for field in _fields(kind) if field.attname not in brought}
    columns = ", ".join(map(_quoted, (*brought, *defaults)))
    values = ", ".join((*("%s" for _ in brought), *defaults.values()))
    return f"INSERT INTO {_table(kind)} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING RETURNING id"


def _row_of(kind: type[Row], values: Mapping[str, Any]) -> Row:
    """As `from_db` makes it, which sets column by column and takes about as long as to send them all."""
    row = kind.__new__(kind)
    missing = (field for field in kind._meta.concrete_fields if field.attname not in values)
    row.__dict__.update({field.attname: field.get_default() for field in missing}, **values)
    row._state = ModelState()
    row._state.adding, row._state.db = False, connection.alias
    return row


def _default(field: "Field[Any, Any]") -> str:
    """The default of a field, as SQL."""
    return literal(field.get_db_prep_save(field.get_default(), connection))


def literal(value: Any) -> str:
    """A value as SQL, in a statement that is asked with parameters."""
    return Literal(value).as_string(connections[DEFAULT_DB_ALIAS].connection).replace("%", "%%")


def _inserted(rows: Sequence[Model], ending: str) -> list[Any]:
    if not rows:
        return []
    kind = type(rows[0])
    return asked(f"{_insertion(kind)} {ending}", [_as_json(kind, rows)])


@cache
def _insertion(kind: type[Model]) -> str:
    """The statement; its only parameter are all rows as JSON."""
    names = ", ".join(_quoted(str(field.column)) for field in _fields(kind))
    return (
        f"INSERT INTO {_table(kind)} ({names})"
        f" SELECT {names} FROM json_populate_recordset(NULL::{_table(kind)}, %s)"
    )


def _as_json(kind: type[Model], rows: Sequence[Model]) -> str:
    for row, field in product(rows, _dated(kind)):
        field.pre_save(row, add=True)
    names = [(field.column, field.attname) for field in _fields(kind)]
    columns = [{column: row.__dict__[name] for column, name in names} for row in rows]
    return msgspec.json.encode(columns).decode()


def update(rows: Sequence[Model], names: Iterable[str]) -> None:
    """Write these columns of stored rows of one kind; one statement, none without rows.

    Caller must hold the rows: the statement locks them in any order.
    """
    if not rows:
        return
    table, names = _table(type(rows[0])), list(names)
    columns = [{"id": row.pk} | {name: getattr(row, name) for name in names} for row in rows]
    changes = [f"{_quoted(name)} = changed.{_quoted(name)}" for name in names]
    asked(
        f"UPDATE {table} AS stored SET {', '.join(changes)} FROM json_populate_recordset(NULL::{table}, %s)"
        " AS changed WHERE stored.id = changed.id RETURNING stored.id",
        [msgspec.json.encode(columns).decode()],
    )


def asked(statement: str, parameters: Sequence[Any]) -> list[Any]:
    """The rows with which a statement answers that is asked again and again: PostgreSQL plans it once for a connection,
    which takes longer than most answers. Values travel beside it; Django would quote them, and PostgreSQL parse them. A
    pooler in between has to know prepared statements, as PgBouncer 1.22 does.
    """
    if connections[DEFAULT_DB_ALIAS].queries_logged:  # somebody counts what Django asks
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall()
    rows = answered(statement, parameters).fetchall()
    if len(rows) > _MOST_KEPT:
        _kept.cursor = None
    return rows


def answered(statement: str, parameters: Sequence[Any], *, binary: bool = False) -> "Cursor[Any]":
    """As `asked`, but for counting: the cursor with the answer, whose values may be `binary`, until this thread asks
    again."""
    own = connections[DEFAULT_DB_ALIAS]
    own.close_if_health_check_failed()
    own.ensure_connection()
    with own.wrap_database_errors:  # Django looks after the connection
        return _kept.on(own.connection).execute(statement, parameters, prepare=True, binary=binary)


# A cursor keeps the rows of its last answer: one with more is given back with their memory.
_MOST_KEPT = 1000


class _Kept(threading.local):
    """The cursor of a thread: to make one takes half as long as to ask a short query."""

    cursor: "Cursor[Any] | None" = None

    def on(self, connection: Any) -> "Cursor[Any]":
        if self.cursor is None or self.cursor.connection is not connection:
            self.cursor = Cursor(connection)
        return self.cursor


_kept = _Kept()
_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def _escaped(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and "\\" not in text else text.translate(_ESCAPES)


def _array(numbers: Any) -> str:
    return _escaped(f"{{{msgspec.json.encode(numbers).decode()[1:-1]}}}")


_AS_TEXT: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: r"\N",
    **dict.fromkeys((int, float), repr),
    **dict.fromkeys((list, tuple), _array),
    bytes: lambda value: rf"\\x{value.hex()}",
    dict: lambda value: _escaped(msgspec.json.encode(value).decode()),
}
_LINES_AT_ONCE = 1000


@cache
def _fields(kind: type[Model]) -> "list[Field[Any, Any]]":
    return [field for field in kind._meta.concrete_fields if not field.primary_key]


@cache
def _dated(kind: type[Model]) -> "list[Field[Any, Any]]":
    """The fields that say when a row is written; of all others that is what the row has."""
    dates = [field for field in _fields(kind) if isinstance(field, DateField)]
    return [field for field in dates if field.auto_now or field.auto_now_add]


def _table(kind: type[Model]) -> str:
    return _quoted(kind._meta.db_table)


@cache
def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
