"""Read pages by cursor: a page begins after the last row of the page before, even if rows were inserted since."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.core import signing
from django.db.models import Q

from api.listing.filters import Rows
from submissions.domain.errors import ReportError


class Ordering(NamedTuple):
    """An order of rows by `keys`, columns as for Django's order_by, which are never null, and unique together."""

    name: str
    keys: tuple[str, ...]

    def reverse(self) -> "Ordering":
        return Ordering(self.name, tuple(key[1:] if key.startswith("-") else f"-{key}" for key in self.keys))


def read_page(
    rows: Rows, ordering: Ordering, *, cursor: str, limit: int, salt: str
) -> tuple[list[Any], str | None]:
    """Return at most `limit` rows after `cursor`, and the cursor of the next page, or None if there is none; one query.

    The cursor "" is the beginning. Raise ReportError for a wrong cursor.
    """
    if cursor:
        rows = rows.filter(rows_after(ordering.keys, _open_cursor(cursor, ordering, salt=salt)))
    listed = list(rows.order_by(*ordering.keys)[: limit + 1])
    if len(listed) <= limit:
        return listed, None
    last = [_value(listed[limit - 1], key) for key in ordering.keys]
    return listed[:limit], signing.dumps([*ordering.keys, *last], salt=salt)


def rows_after(keys: Sequence[str], values: Sequence[Any]) -> Q:
    """Return the condition for rows that come after the row with these `values` of the `keys`.

    The first part of the condition restricts only the first key, so that PostgreSQL can use an index.
    """
    name, value = keys[0].removeprefix("-"), values[0]
    beyond = "lt" if keys[0].startswith("-") else "gt"
    if len(keys) == 1:
        return Q(**{f"{name}__{beyond}": value})
    same = Q(**{name: value}) & rows_after(keys[1:], values[1:])
    return Q(**{f"{name}__{beyond}e": value}) & (Q(**{f"{name}__{beyond}": value}) | same)


def _open_cursor(cursor: str, ordering: Ordering, *, salt: str) -> list[Any]:
    # A cursor is signed, so that visitors cannot put values of their own into the query.
    try:
        opened = signing.loads(cursor, salt=salt)
    except signing.BadSignature:
        opened = None
    keys, values = (opened[: len(ordering.keys)], opened[len(ordering.keys) :]) if opened else ([], [])
    if tuple(keys) != ordering.keys:
        raise ReportError(
            "This cursor does not belong to this list in this order. Follow `next`, or begin without a cursor.",
            field="cursor",
            code="wrong_cursor",
        )
    return values


def _value(row: Any, key: str) -> Any:
    for name in key.removeprefix("-").split("__"):
        row = getattr(row, name)
    return row.isoformat() if isinstance(row, datetime) else row
