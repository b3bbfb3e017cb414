"""Write numbers, prices and dates in words, in the language of the visitor."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.formats import date_format, get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from submissions.domain.measuring import metrics
from submissions.domain.measuring.periods import Period
from submissions.models import Run

_SIGNS = {"EUR": "€", "USD": "US$", "GBP": "£"}
_CONDITIONS = {
    "load_average": gettext_noop("load %(value)s"),
    "processors": gettext_noop("%(value)s processors"),
    "governor": gettext_noop("governor %(value)s"),
    "cpu_clock_hz": gettext_noop("%(value)s MHz"),
    "temperature_celsius": gettext_noop("%(value)s °C"),
}
# The search takes milliseconds; larger factors say nothing about an erase block.
_LARGEST_FACTOR = 100_000
_DATE_FORMATS = {"day": "DATE_FORMAT", "month": "YEAR_MONTH_FORMAT", "year": "Y"}
_ENGLISH_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def localize(words: str) -> str:
    """Return an English text with the decimal and thousands separators of the active language in its numbers."""
    point, comma = str(get_format("DECIMAL_SEPARATOR")), str(get_format("THOUSAND_SEPARATOR"))
    if (point, comma) == (".", ","):
        return words
    swapped = str.maketrans({".": point, ",": comma})
    return _ENGLISH_NUMBER.sub(lambda number: number[0].translate(swapped), words)


def amount(value: float, base_unit: str) -> str:
    """Return a value with its unit, such as "5.19 MB/s"."""
    return localize(metrics.amount_in_words(value, base_unit))


def percent(ratio: float) -> str:
    """Return a ratio such as 0.042 as "4 %", with a space that does not break."""
    return f"{100 * ratio:.0f}\u00a0%"


def volts(millivolts: int) -> str:
    """Return a voltage such as "1.8 V"."""
    return localize(f"{millivolts / 1000:g} V")


def factorize(number: int) -> str:
    """Return the prime factors of a size, such as "2^25 × 3 × 79"; the power of two limits the erase block."""
    counts, rest, prime = dict[int, int](), number, 2
    while prime * prime <= rest and prime < _LARGEST_FACTOR:
        while rest % prime == 0:
            rest, counts[prime] = rest // prime, counts.get(prime, 0) + 1
        prime += 1
    if rest > 1:
        counts[rest] = counts.get(rest, 0) + 1
    return " × ".join(f"{prime}^{count}" if count > 1 else f"{prime}" for prime, count in counts.items())


def conditions(state: Mapping[str, Any]) -> str:
    """Return the state of a host, such as "load 0.5, 4 processors, governor ondemand, 1,500 MHz, 55 °C, throttled"."""
    words = [
        _(_CONDITIONS[name]) % {"value": _condition(name, state[name])}
        for name in _CONDITIONS
        if name in state
    ]
    return localize(", ".join([*words, _("throttled")] if state.get("throttled") else words))


def _condition(name: str, value: Any) -> str:
    if name == "cpu_clock_hz":
        return f"{value / 1e6:,.0f}"
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def money(amount: float, currency: str) -> str:
    """Return a price such as "12.50 €", with the sign of a well-known currency, in every language after the number."""
    return localize(f"{amount:.2f}") + "\u00a0" + _SIGNS.get(currency, currency)


def cards(count: int) -> str:
    """Return a number of cards, such as "2 cards"."""
    return ngettext("%(count)s card", "%(count)s cards", count) % {"count": count}


def size(size_bytes: float) -> str:
    """Return a size such as "4 MiB"."""
    return localize(metrics.size_in_words(round(size_bytes)))


def month(manufactured: str) -> str:
    """Return "March 2013" for "2013-03"; return any other text unchanged."""
    year, _, number = manufactured.partition("-")
    return date_format(date(int(year), int(number), 1), "YEAR_MONTH_FORMAT") if number else manufactured


def when_measured(run: Run) -> str:
    """Return the time of a run as exactly as it is known: a day, "March 2019", "2016" or "by May 2014"."""
    period, day = Period(run.started_at, run.started_by), date_format(run.ran_at)
    if run.started_by is None:
        return day if run.started_at else _("received %(day)s") % {"day": day}
    if period.start and period.precision:
        return date_format(period.start, _DATE_FORMATS[period.precision])
    if period.start is None:
        return _("by %(date)s") % {"date": _last_day(run.started_by)}
    first = date_format(period.start, "YEAR_MONTH_FORMAT")
    if run.started_by == run.submission.received_at:
        return _("%(date)s or later") % {"date": first}
    return _("%(first)s to %(last)s") % {"first": first, "last": _last_day(run.started_by)}


def _last_day(end: datetime) -> str:
    last = end - timedelta(days=1)
    return date_format(last, "YEAR_MONTH_FORMAT" if end.day == 1 else "DATE_FORMAT")
