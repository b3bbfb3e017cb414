"""How figures change with time, in sentences: of the cards of a model, and of one card."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import ngettext

from submissions.domain.judgement.drift import Drift, drift
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking.summary import Summary
from submissions.models import Measurement

_MOST = 8
_LEAST_YEARS, _LEAST_TESTS = 0.25, 4
_YEAR_S = 365.25 * 86_400


class Ageing(NamedTuple):
    """A sentence for each figure: of cards in use, and of cards by when they were made."""

    use: tuple[str, ...]
    production: tuple[str, ...]


def of_model(summary: Summary) -> Ageing:
    lines = {
        kind: tuple(_by_cards(row.figure, row.drift) for row in summary.ageing if row.kind == kind)[:_MOST]
        for kind in Ageing._fields
    }
    return Ageing(**lines)


def of_card(figures: Iterable[Measurement]) -> tuple[str, ...]:
    """Of one card by its own tests, where there are enough of them in one host."""
    by_figure: dict[str, list[Measurement]] = {}
    for row in figures:
        if row.value and row.value > 0 and row.verdict not in HELD_OUT:
            by_figure.setdefault(row.figure, []).append(row)
    told = ((name, rows, _of_tests(rows)) for name, rows in by_figure.items() if len(rows) >= _LEAST_TESTS)
    return tuple(_by_tests(name, found, len(rows)) for name, rows, found in told if found)[:_MOST]


def _of_tests(rows: Sequence[Measurement]) -> Drift | None:
    years = np.array([row.run.ran_at.timestamp() / _YEAR_S for row in rows])
    hosts = np.array([row.run.host_id for row in rows])
    logs = np.log([row.value or 1.0 for row in rows])
    tests = np.arange(len(rows))
    return drift(years, logs, group=hosts, card=tests, least_years=_LEAST_YEARS)


def _by_cards(figure: str, told: Drift) -> str:
    words = ngettext(
        "%(figure)s: %(change)s a year (95 %% sure: %(low)s to %(high)s), by %(count)s card over %(years)s years",
        "%(figure)s: %(change)s a year (95 %% sure: %(low)s to %(high)s), by %(count)s cards over %(years)s years",
        told.cards,
    )
    return words % _words(figure, told, told.cards)


def _by_tests(figure: str, told: Drift, tests: int) -> str:
    words = ngettext(
        "%(figure)s: %(change)s a year (95 %% sure: %(low)s to %(high)s), by %(count)s test over %(years)s years",
        "%(figure)s: %(change)s a year (95 %% sure: %(low)s to %(high)s), by %(count)s tests over %(years)s years",
        tests,
    )
    return words % _words(figure, told, tests)


def _words(figure: str, told: Drift, count: int) -> dict[str, object]:
    ends = {name: _change(getattr(told, name)) for name in ("low", "high")}
    years = number_format(told.years, 1)
    return ends | {
        "figure": FIGURES[figure].title,
        "change": _change(told.ratio),
        "count": count,
        "years": years,
    }


def _change(ratio: float) -> str:
    """.92 -> "−8 %"; one that rounds to nothing has no sign."""
    percent = round(100 * (ratio - 1))
    sign = {-1: "\u2212", 0: "\u00b1", 1: "+"}[(percent > 0) - (percent < 0)]
    return f"{sign}{number_format(abs(percent))}\u00a0%"
