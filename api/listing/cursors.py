"""Pages by cursor: a page begins behind the last row of the one before, however many rows came in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import Q

from api.listing.filters import Rows
from submissions.domain.errors import ReportError


@dataclass(frozen=True, slots=True)
class Ordering:
    """`keys` as Django writes them, "-" for descending: never null, and together unique."""

    name: str
    keys: tuple[str, ...]

    def reversed(self) -> "Ordering":
        return Ordering(self.name, tuple(key[1:] if key.startswith("-") else f"-{key}" for key in self.keys))


@dataclass(frozen=True, slots=True)
class Page:
    """`following` is the cursor of the next page, None on the last."""

    rows: list[Any]
    following: str | None


def page(rows: Rows, ordering: Ordering, *, cursor: str, limit: int, salt: str) -> Page:
    """At most `limit` rows behind `cursor` ("" is the beginning); one query. Raises ReportError for a wrong cursor."""
    if cursor:
        rows = rows.filter(behind(ordering.keys, _opened(cursor, ordering, salt=salt)))
    listed = list(rows.order_by(*ordering.keys)[: limit + 1])
    if len(listed) <= limit:
        return Page(listed, None)
    last = [_value(listed[limit - 1], key) for key in ordering.keys]
    return Page(listed[:limit], signing.dumps([*ordering.keys, *last], salt=salt))


def ahead(ordering: Ordering, row: Any) -> Q:
    """Rows that stand before this one."""
    keys = ordering.reversed().keys
    return behind(keys, [_value(row, key) for key in keys])


def behind(keys: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows after the one with these values. The outer condition, on the first key alone, is what an index serves."""
    name, value = keys[0].removeprefix("-"), values[0]
    beyond = "lt" if keys[0].startswith("-") else "gt"
    if len(keys) == 1:
        return Q(**{f"{name}__{beyond}": value})
    same = Q(**{name: value}) & behind(keys[1:], values[1:])
    return Q(**{f"{name}__{beyond}e": value}) & (Q(**{f"{name}__{beyond}": value}) | same)


def _opened(cursor: str, ordering: Ordering, *, salt: str) -> list[Any]:
    """Values of the keys. A cursor is signed: the database is asked only with values it gave out."""
    try:
        opened = signing.loads(cursor, salt=salt)
    except signing.BadSignature:
        opened = None
    keys, values = (opened[: len(ordering.keys)], opened[len(ordering.keys) :]) if opened else ([], [])
    if tuple(keys) != ordering.keys:
        raise ReportError(
            "This cursor is not of this list in this order. Follow `next`, or begin without a cursor.",
            field="cursor",
            code="wrong_cursor",
        )
    return values


def _value(row: Any, key: str) -> Any:
    for name in key.removeprefix("-").split("__"):
        row = getattr(row, name)
    return row.isoformat() if isinstance(row, datetime) else row
