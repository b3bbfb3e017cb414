"""Filter the rows of a list by query parameters; a `Filter` describes one parameter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from django.db.models import QuerySet

from api.listing.kinds import Kind, read
from submissions.domain.errors import ReportError

Rows = QuerySet[Any, Any]
Query = Mapping[str, str]  # the parameters of a request
# The section of the page about changes of the API and its limits.
POLICY = "/api/#what-stays-and-how-often-you-may-ask"


class Filter(NamedTuple):
    """A query parameter and the rows that it chooses.

    `choose` is a lookup such as "host__board__icontains", or a function of rows and a value; "" if the method `table`
    of the view uses the parameter itself. `deprecated` is the day since when visitors should use another parameter.
    """

    name: str
    kind: Kind
    meaning: str
    choose: str | Callable[[Rows, Any], Rows] = ""
    required: bool = False
    deprecated: date | None = None

    def apply(self, rows: Rows, value: Any) -> Rows:
        if isinstance(self.choose, str):
            return rows.filter(**{self.choose: value}) if self.choose else rows
        return self.choose(rows, value)


def filter_rows(rows: Rows, filters: Iterable[Filter], query: Query) -> Rows:
    """Return the rows that match every filter in the query; an empty value matches all rows.

    Raise ReportError if a value is wrong.
    """
    for row in filters:
        if row.name in query:
            value = read(row.kind, query[row.name], name=row.name)
            rows = rows if value == "" else row.apply(rows, value)
    return rows


def deprecation_headers(
    filters: Iterable[Filter], query: Query, *, since: date | None = None
) -> dict[str, str]:
    """Return headers that warn of deprecated parameters in the query (RFC 9745), with the latest of their days.

    `since` is the day since when the URL itself is deprecated.
    """
    days = [row.deprecated for row in filters if row.deprecated and row.name in query]
    days += [since] if since else []
    if not days:
        return {}
    since = datetime.combine(max(days), time(), UTC)
    return {"Deprecation": f"@{since.timestamp():.0f}", "Link": f'<{POLICY}>; rel="deprecation"'}


def refuse_unknown(query: Iterable[str], allowed: Sequence[str]) -> None:
    """Raise ReportError for an unknown parameter, because ignoring a misspelled filter would give a wrong answer."""
    for name in query:
        if name not in allowed:
            raise ReportError(
                f"There is no parameter “{name[:60]}” here. Use one of {', '.join(allowed)}.",
                field=name[:60],
                code="unknown_parameter",
            )
