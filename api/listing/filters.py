"""Filters of a list: one row per query parameter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from django.db.models import QuerySet

from api.listing.kinds import Kind, read
from submissions.domain.errors import ReportError

Rows = QuerySet[Any, Any]
# Where it stands what may change.
POLICY = "/api/#what-stays-and-how-often-you-may-ask"


@dataclass(frozen=True, slots=True)
class Filter:
    """`choose` is a lookup such as "host__board__icontains", or makes of rows and a value the rows that are wanted;
    `deprecated`: since when another name is meant to be given."""

    name: str
    kind: Kind
    meaning: str
    choose: str | Callable[[Rows, Any], Rows]
    required: bool = False
    deprecated: date | None = None

    def apply(self, rows: Rows, value: Any) -> Rows:
        if isinstance(self.choose, str):
            return rows.filter(**{self.choose: value})
        return self.choose(rows, value)


def narrowed(rows: Rows, filters: Iterable[Filter], query: Mapping[str, str]) -> Rows:
    """Rows that every filter of the query lets through; an empty text asks nothing. Raises ReportError."""
    for row in filters:
        if row.name in query:
            value = read(row.kind, query[row.name], name=row.name)
            rows = rows if value == "" else row.apply(rows, value)
    return rows


def deprecation(filters: Iterable[Filter], query: Mapping[str, str]) -> dict[str, str]:
    """Headers for who still gives a former parameter (RFC 9745): since when the newest of them is one."""
    days = [row.deprecated for row in filters if row.deprecated and row.name in query]
    if not days:
        return {}
    since = datetime.combine(max(days), time(), UTC)
    return {"Deprecation": f"@{since.timestamp():.0f}", "Link": f'<{POLICY}>; rel="deprecation"'}


def refuse_unknown(query: Iterable[str], allowed: Sequence[str]) -> None:
    """A misspelled filter would silently give a wrong answer. Raises ReportError."""
    for name in query:
        if name not in allowed:
            raise ReportError(
                f"There is no parameter “{name[:60]}” here; known are {', '.join(allowed)}.",
                field=name[:60],
                code="unknown_parameter",
            )
