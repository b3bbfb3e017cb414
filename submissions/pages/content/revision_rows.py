"""Figures of firmware revisions side by side, in words."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.judgement.revisions import ALIKE, DIFFERS, Difference
from submissions.domain.measuring.metrics import FIGURES, METRICS
from submissions.evidence.families import Revision
from submissions.pages import wording


class Row(NamedTuple):
    """`spread`: the lowest and the highest card; `difference`: to the revision with most cards."""

    figure: str
    revision: str
    cards: int
    people: int
    median: str
    spread: str
    difference: str


def rows(figures: Iterable[Revision]) -> list[Row]:
    return [_row(figure) for figure in figures]


def _row(row: Revision) -> Row:
    figure = FIGURES[row.figure]
    unit = METRICS[figure.metric].base_unit
    median, lowest, highest = (wording.amount(value, unit) for value in (row.median, row.lowest, row.highest))
    spread = "–" if row.cards < 2 else f"{lowest} – {highest}"
    words = _difference(row.difference) if row.difference else "–"
    return Row(figure.title, row.revision or "–", row.cards, row.people, median, spread, words)


def _difference(told: Difference) -> str:
    if told.ratio is None or told.low is None or told.high is None:
        return _("cannot tell: it takes three cards of two people on both sides")
    words = {
        DIFFERS: _("%(ratio)s as good (95 %% sure: %(low)s to %(high)s)"),
        ALIKE: _("alike: %(ratio)s (95 %% sure: %(low)s to %(high)s)"),
    }.get(told.state, _("cannot tell: %(low)s to %(high)s"))
    return words % {name: wording.times(getattr(told, name)) for name in ("ratio", "low", "high")}
