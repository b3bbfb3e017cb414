"""Words of a model page beside its abilities: cards of one person that differ, what was felt, and what was read."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from submissions.domain.measuring.metrics import METRICS
from submissions.domain.ranking.aside import Seen, Told
from submissions.domain.ranking.summary import Summary
from submissions.domain.translation import translated
from submissions.models import Measurement
from submissions.pages import wording
from submissions.pages.content import figure_tables

# Kinds of readings (data/readings.csv), in the order of the page.
_TITLES = {
    "trouble": gettext_noop("Trouble in a host"),
    "compatibility": gettext_noop("How hosts talked to it"),
    "health": gettext_noop("Health, as cards report it"),
    "verdict": gettext_noop("Whole-card tests, in the words of their authors"),
}


class Line(NamedTuple):
    """`cards`: "2 cards"."""

    words: str
    value: str
    host: str
    cards: str


class Asides(NamedTuple):
    """`apart`: a sentence each; `told`: (title, lines) by kind of reading."""

    apart: tuple[str, ...]
    felt: tuple[Line, ...]
    told: tuple[tuple[str, tuple[Line, ...]], ...]


def of(summary: Summary) -> Asides:
    of_kind = {kind: tuple(_told(summary.told, kind)) for kind in _TITLES}
    return Asides(
        apart=tuple(_apart(seen) for seen in summary.apart),
        felt=tuple(
            Line(_pattern(seen), _range(seen), seen.pattern.host, _cards(seen.cards)) for seen in summary.felt
        ),
        told=tuple((_(_TITLES[kind]), lines) for kind, lines in of_kind.items() if lines),
    )


def _apart(seen: Seen) -> str:
    words = {
        "cards": seen.cards,
        "host": seen.pattern.host,
        "range": _range(seen),
        "ratio": wording.localized(f"{seen.ratio:.1f}"),
        "pattern": _pattern(seen),
    }
    return (
        _(
            "One person measured %(cards)s cards of this name in one host (%(host)s), and they are %(ratio)s times"
            " apart: %(range)s (%(pattern)s)."
        )
        % words
    )


def _told(told: Iterable[Told], kind: str) -> Iterable[Line]:
    for one in told:
        if one.kind == kind:
            value = " – ".join(_value(value, one.unit) for value in one.values)
            yield Line(f"{translated(one.title)}: {one.name}", value, one.host, _cards(one.cards))


def _value(value: float | str, unit: str) -> str:
    number = value if isinstance(value, str) else wording.localized(f"{value:,.10g}")
    return f"{number} {unit}".strip() if unit not in ("text", "verdict", "count", "flag") else number


def _pattern(seen: Seen) -> str:
    pattern = seen.pattern
    return figure_tables.in_words(
        Measurement(workload=pattern.workload, metric=pattern.metric, parameters=pattern.parameters)
    )


def _range(seen: Seen) -> str:
    unit = METRICS[seen.pattern.metric].base_unit
    ends = dict.fromkeys(wording.amount(value, unit) for value in (seen.low, seen.high))
    return " – ".join(ends)


def _cards(count: int) -> str:
    return ngettext("%(count)s card", "%(count)s cards", count) % {"count": count}
