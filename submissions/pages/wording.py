"""Numbers and months as people write them, in the visitor's language."""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache, wraps
from typing import TypeVarTuple

from django.utils.formats import date_format, get_format
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from submissions.domain.measuring import metrics
from submissions.domain.ranking import scores

Given = TypeVarTuple("Given")
_forget: list[Callable[[], None]] = []

# How much stands behind a score: a word, and what it means by the numbers of the core.
_STATES = {
    "early": (
        gettext_noop("early"),
        gettext_noop(
            "early: fewer than %(ranked)s cards or %(submitters)s submitters, or nothing measured as in this slot"
        ),
    ),
    "ranked": (
        gettext_noop("ranked"),
        gettext_noop("ranked: %(ranked)s cards or more, from %(submitters)s submitters or more"),
    ),
    "solid": (
        gettext_noop("solid"),
        gettext_noop("solid: %(solid)s cards or more, from %(submitters)s submitters or more"),
    ),
}
_FROM = {
    "ranked": scores.RANKED_FROM_CARDS,
    "submitters": scores.RANKED_FROM_SUBMITTERS,
    "solid": scores.SOLID_FROM_CARDS,
}
_ENGLISH_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def localized(words: str) -> str:
    """Numbers written the English way -> with the separators of the active language."""
    point, comma = str(get_format("DECIMAL_SEPARATOR")), str(get_format("THOUSAND_SEPARATOR"))
    if (point, comma) == (".", ","):
        return words
    swapped = str.maketrans({".": point, ",": comma})
    return _ENGLISH_NUMBER.sub(lambda number: number[0].translate(swapped), words)


def amount(value: float, base_unit: str) -> str:
    """ "5.19 MB/s"."""
    return localized(metrics.in_words(value, base_unit))


def size(size_bytes: float) -> str:
    """ "4 MiB"."""
    return localized(metrics.size_in_words(round(size_bytes)))


def month(manufactured: str) -> str:
    """ "2013-03" -> "March 2013"; what is no month stays as it is."""
    year, _, number = manufactured.partition("-")
    return date_format(date(int(year), int(number), 1), "YEAR_MONTH_FORMAT") if number else manufactured


def kept(words: Callable[[*Given], str]) -> Callable[[*Given], str]:
    """Words that follow from what is given and from the language alone are put together once."""

    @lru_cache(maxsize=10_000)
    def put(_language: str | None, *values: *Given) -> str:
        return words(*values)

    _forget.append(put.cache_clear)

    @wraps(words)
    def tell(*values: *Given) -> str:
        return put(get_language(), *values)

    return tell


def forget() -> None:
    """Put everything together anew: a catalogue has changed."""
    for drop in _forget:
        drop()


@kept
def state(state: str) -> str:
    """How much stands behind a score, in a word."""
    return _(_STATES[state][0])


@kept
def state_told(state: str) -> str:
    """How many cards and submitters that word stands for."""
    return _(_STATES[state][1]) % _FROM
