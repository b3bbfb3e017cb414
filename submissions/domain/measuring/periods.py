"""Parse when a published result was measured: "2016-03", "2017 to 2021-01", "by 2014-05", "2022 or later".

Sources rarely state a moment, so a date becomes a period, in UTC, that begins at `start` and ends before `end`. An end
that the source leaves open is None.
"""

import datetime as dt
import re
from contextlib import suppress
from functools import reduce
from typing import NamedTuple

from submissions.domain.report import YEARS

# Formats of a day, of a month and of a year.
_FORMATS = (
    *(
        ("%Y-%m-%d", "day"),
        ("%d %B %Y", "day"),
        ("%d %b %Y", "day"),
        ("%B %d, %Y", "day"),
        ("%b %d, %Y", "day"),
    ),
    *(("%Y-%m", "month"), ("%B %Y", "month"), ("%b %Y", "month"), ("%Y", "year")),
)
_REMARK = re.compile(r"\s*\(.*\)\s*")
_UNTIL = re.compile(r"(?:by|until|before) (.+)|(.+) or earlier")
_SINCE = re.compile(r"(?:since|from|after) (.+)|(.+) or later")
_RANGE = re.compile(r"(?:between )?(.+?) (?:to|and|-|–) (.+)|(\d{4})[-–](\d{4})")


class Period(NamedTuple):
    """The time in which something happened, from `start` to before `end`; None for an open end."""

    start: dt.datetime | None = None
    end: dt.datetime | None = None

    @property
    def precision(self) -> str:
        """Return "day", "month" or "year" if the period is exactly one of them, or ""."""
        return next(
            (unit for unit in ("day", "month", "year") if self.start and self == _whole(self.start, unit)), ""
        )


UNKNOWN = Period()


def parse_period(words: str) -> Period:
    """Return the period that a source names, UNKNOWN if it names none.

    If there are several dates, separated by semicolons, it is the time that is part of all of them, or else the time
    from the first to the last date.
    """
    periods = [_parse_part(_REMARK.sub("", part.strip())) for part in words.split(";")]
    known = [period for period in periods if period != UNKNOWN]
    return reduce(_join, known) if known else UNKNOWN


def _parse_part(words: str) -> Period:
    if found := _UNTIL.fullmatch(words):
        return Period(end=_parse_date(found[1] or found[2]).end)
    if found := _SINCE.fullmatch(words):
        return Period(start=_parse_date(found[1] or found[2]).start)
    if found := _RANGE.fullmatch(words):
        first, last = _parse_date(found[1] or found[3]), _parse_date(found[2] or found[4])
        return (
            Period(first.start, last.end) if first.start and last.end and first.start < last.end else UNKNOWN
        )
    return _parse_date(words)


def _parse_date(words: str) -> Period:
    for form, unit in _FORMATS:
        with suppress(ValueError):
            start = dt.datetime.strptime(words, form).replace(tzinfo=dt.UTC)
            return _whole(start, unit) if start.year in YEARS else UNKNOWN
    return UNKNOWN


def _whole(start: dt.datetime, unit: str) -> Period:
    match unit:
        case "day":
            return Period(start, start + dt.timedelta(days=1))
        case "month":
            first = start.replace(day=1)
            return Period(first, (first + dt.timedelta(days=31)).replace(day=1))
    first = start.replace(month=1, day=1)
    return Period(first, first.replace(year=first.year + 1))


def _join(one: Period, other: Period) -> Period:
    starts, ends = _both(one.start, other.start), _both(one.end, other.end)
    start, end = max(starts, default=None), min(ends, default=None)
    if start and end and start >= end:
        return Period(min(starts), max(ends))
    return Period(start, end)


def _both(*moments: dt.datetime | None) -> list[dt.datetime]:
    return [moment for moment in moments if moment]
