"""Many rows in one statement, where Django would write them one by one or take several times as long."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.db import connection
from django.db.models import Model


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
    fields = [field for field in kind._meta.concrete_fields if not field.primary_key]
    values = ([getattr(row, field.attname) for field in fields] for row in rows)
    copy(kind, [str(field.column) for field in fields], values)


def update(rows: Sequence[Model], names: Iterable[str]) -> None:
    """Write these columns of rows that are there; one statement, none without rows. All of one kind.

    Whoever calls holds the rows: the statement takes them in any order.
    """
    if not rows:
        return
    table, names = _table(type(rows[0])), list(names)
    given = [{"id": row.pk} | {name: getattr(row, name) for name in names} for row in rows]
    changes = ", ".join(f"{_quoted(name)} = given.{_quoted(name)}" for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} AS stored SET {changes}"
            f" FROM json_populate_recordset(NULL::{table}, %s) AS given WHERE stored.id = given.id",
            [msgspec.json.encode(given).decode()],
        )


def _as_column(value: Any) -> Any:
    match value:
        case dict():
            return msgspec.json.encode(value).decode()
        case tuple():
            return list(value)
    return value


def _table(kind: type[Model]) -> str:
    return _quoted(kind._meta.db_table)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
