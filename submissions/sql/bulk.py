"""Many rows in one statement, where Django would write them one by one or take several times as long."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from django.db import connection
from django.db.models import Field, Model


def copy(kind: type[Model], columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Insert by COPY: `rows` hold a value for each of these columns."""
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {_table(kind)} ({', '.join(map(_quoted, columns))}) FROM STDIN") as into,
    ):
        for row in rows:
            into.write_row([_as_column(value) for value in row])


def copy_models(kind: type[Model], rows: Iterable[Model]) -> None:
    """As `copy`, of what is ready to be saved but has no id yet."""
    fields = _fields(kind)
    values = ([getattr(row, field.attname) for field in fields] for row in rows)
    copy(kind, [str(field.column) for field in fields], values)


def replace(card_models: Collection[int], rows: Mapping[type[Model], Sequence[Model]]) -> None:
    """Of each kind these rows, without their ids, in place of all that belong to these models. For what nothing refers
    to.
    """
    statements: list[str] = []
    parameters: list[Any] = []
    for kind, of_kind in rows.items():
        statements.append(f"DELETE FROM {_table(kind)} WHERE card_model_id = ANY(%s)")
        parameters.append(list(card_models))
        if of_kind:
            sql, given = _insertion(of_kind)
            statements.append(sql)
            parameters.append(given)
    with connection.cursor() as cursor:
        # All at once: Django puts parameters into the text itself, as long as it does not bind them on the server.
        cursor.execute("; ".join(statements), parameters)


def insert(rows: Sequence[Model]) -> None:
    """Insert rows of one kind, which have their ids afterwards; one statement, none without rows."""
    found = _inserted(rows, "RETURNING id")
    for row, (pk,) in zip(rows, found, strict=True):
        row.pk = pk


def insert_missing(rows: Sequence[Model]) -> None:
    """As `insert`, without ids, and without those that a constraint says are there."""
    _inserted(rows, "ON CONFLICT DO NOTHING RETURNING id")


def _inserted(rows: Sequence[Model], ending: str) -> list[Any]:
    if not rows:
        return []
    sql, given = _insertion(rows)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} {ending}", [given])
        return cursor.fetchall()


def _insertion(rows: Sequence[Model]) -> tuple[str, str]:
    """A statement and its parameter."""
    table, fields = _table(type(rows[0])), _fields(type(rows[0]))
    names = ", ".join(_quoted(str(field.column)) for field in fields)
    given = [{field.column: field.pre_save(row, add=True) for field in fields} for row in rows]
    sql = f"INSERT INTO {table} ({names}) SELECT {names} FROM json_populate_recordset(NULL::{table}, %s)"
    return sql, msgspec.json.encode(given).decode()


def update(rows: Sequence[Model], names: Iterable[str], *, now: str = "") -> None:
    """Write these columns of rows that are there; one statement, none without rows. All of one kind.

    `now`: one more column, which gets the time by the database's clock. Whoever calls holds the rows: the statement
    takes them in any order.
    """
    if not rows:
        return
    table, names = _table(type(rows[0])), list(names)
    given = [{"id": row.pk} | {name: getattr(row, name) for name in names} for row in rows]
    changes = [f"{_quoted(name)} = given.{_quoted(name)}" for name in names]
    if now:
        changes.append(f"{_quoted(now)} = statement_timestamp()")
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} AS stored SET {', '.join(changes)} FROM json_populate_recordset(NULL::{table}, %s)"
            " AS given WHERE stored.id = given.id RETURNING statement_timestamp()",
            [msgspec.json.encode(given).decode()],
        )
        if now:
            ((at, *_), *_) = cursor.fetchall()
            for row in rows:
                setattr(row, now, at)


def _as_column(value: Any) -> Any:
    match value:
        case dict():
            return msgspec.json.encode(value).decode()
        case tuple():
            return list(value)
    return value


def _fields(kind: type[Model]) -> "list[Field[Any, Any]]":
    return [field for field in kind._meta.concrete_fields if not field.primary_key]


def _table(kind: type[Model]) -> str:
    return _quoted(kind._meta.db_table)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
