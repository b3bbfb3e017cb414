"""Rows of a query as columns of numbers, a hundred times as fast as row by row."""

from typing import Any

import numpy as np
from django.db import connections, models
from numpy.typing import NDArray

_HEADER = 19  # signature, flags, and the length of an extension that PostgreSQL leaves empty
_TRAILER = 2


def columns(rows: models.QuerySet[Any, Any], types: dict[str, str]) -> dict[str, NDArray[Any]]:
    """Column -> values, in the order of `types`: name -> "i8" for bigint, "f8" for double precision.

    The query must select just these columns, of these types and never null. PostgreSQL's binary COPY format: each row
    is the number of its fields (int16), and for each field its length (int32) and its bytes, all big-endian.
    """
    raw = _copied(rows)
    layout = [("fields", ">i2")]
    for name, kind in types.items():
        layout += [(f"length of {name}", ">i4"), (name, f">{kind}")]
    table = np.frombuffer(raw, dtype=np.dtype(layout), offset=_HEADER, count=_number(raw, layout))
    assert (table["fields"] == len(types)).all(), "a null, or a column of another type"
    return {name: table[name].astype(kind) for name, kind in types.items()}


def _number(raw: bytearray, layout: list[tuple[str, str]]) -> int:
    width = np.dtype(layout).itemsize
    count, rest = divmod(len(raw) - _HEADER - _TRAILER, width)
    assert rest == 0, "a null, or a column of another type"
    return count


def _copied(rows: models.QuerySet[Any, Any]) -> bytearray:
    sql, parameters = rows.query.sql_with_params()
    raw = bytearray()
    with (
        connections[rows.db].cursor() as wrapped,
        wrapped.cursor.copy(f"COPY ({sql}) TO STDOUT (FORMAT BINARY)", parameters) as copy,
    ):
        for block in copy:
            raw += block
    return raw
