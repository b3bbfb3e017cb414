"""Fetch columns of numbers as NumPy arrays, which is a hundred times as fast as row by row."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.db import DEFAULT_DB_ALIAS, connections, models
from numpy.typing import NDArray

from submissions.sql import bulk

# COPY sends a message for each row, so each row is made of the arrays of so many rows.
_AT_ONCE = 10_000
_HEADER = 19  # signature, flags, and the length of an extension that PostgreSQL leaves empty
_TRAILER = 2
_HEAD = np.dtype([(name, ">i4") for name in ("dimensions", "nulls", "type", "count", "first")])
_TYPES = {"i8": 20, "f8": 701}  # bigint, double precision, as PostgreSQL numbers them


def copy_queryset(rows: models.QuerySet[Any, Any], types: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Fetch the columns of a query by name; `types` are "i8" for bigint and "f8" for double precision.

    The query must select just these columns, of these types and never null; rows come in no order. In PostgreSQL's
    binary COPY format a row is the number of its fields (int16), then the length (int32) and the bytes of each field,
    all big-endian; an array has a head, and before each value its length.
    """
    return _parse(_copy_binary(rows.db, *rows.query.sql_with_params(), len(types)), types)


def copy_sql(sql: str, parameters: Sequence[Any], types: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Fetch the columns of an SQL query, by the same rules as `copy_queryset`."""
    return _parse(_copy_binary(DEFAULT_DB_ALIAS, sql, parameters, len(types)), types)


def fetch(sql: str, parameters: Sequence[Any], types: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Fetch the columns of a prepared statement; with few rows this is faster than `copy_sql`."""
    names, arrays = _name_columns(len(types))
    statement = f"SELECT {arrays} FROM ({sql}) AS rows ({names})"
    answer = bulk.execute_prepared(statement, parameters, binary=True).pgresult
    assert answer
    raw = [answer.get_value(0, column) for column in range(len(types))]
    return {
        name: _array(column, 0, kind) if column else np.zeros(0, kind)
        for column, (name, kind) in zip(raw, types.items(), strict=True)
    }


def _parse(raw: bytearray, types: dict[str, str]) -> dict[str, NDArray[Any]]:
    parts = list(_split_parts(raw, types))
    return {
        name: np.concatenate([np.zeros(0, kind), *(part[at] for part in parts)])
        for at, (name, kind) in enumerate(types.items())
    }


def _split_parts(raw: bytearray, types: dict[str, str]) -> Iterator[list[NDArray[Any]]]:
    at = _HEADER
    while at < len(raw) - _TRAILER:
        at += 2
        columns = []
        for kind in types.values():
            (bytes_in_field,) = np.frombuffer(raw, ">i4", count=1, offset=at)
            columns.append(_array(raw, at + 4, kind))
            at += 4 + int(bytes_in_field)
        yield columns


def _array(raw: bytes | bytearray, at: int, kind: str) -> NDArray[Any]:
    (head,) = np.frombuffer(raw, _HEAD, count=1, offset=at)
    right = head["nulls"] == 0 and head["type"] == _TYPES[kind]
    assert right, "a null, or a column of another type"
    layout = [("bytes", ">i4"), ("value", f">{kind}")]
    values = np.frombuffer(raw, layout, count=head["count"], offset=at + _HEAD.itemsize)
    return values["value"].astype(kind)


def _name_columns(columns: int) -> tuple[str, str]:
    names = [f"c{number}" for number in range(columns)]
    return ", ".join(names), ", ".join(f"array_agg({name})" for name in names)


def _copy_binary(database: str, sql: str, parameters: Sequence[Any], columns: int) -> bytearray:
    names, arrays = _name_columns(columns)
    numbered = f"SELECT *, (row_number() OVER () - 1) / {_AT_ONCE} FROM ({sql}) AS rows ({names})"
    together = f"SELECT {arrays} FROM ({numbered}) AS rows ({names}, part) GROUP BY part"
    raw = bytearray()
    with (
        connections[database].cursor() as wrapped,
        wrapped.cursor.copy(f"COPY ({together}) TO STDOUT (FORMAT BINARY)", parameters) as copy,
    ):
        for block in copy:
            raw += block
    return raw
