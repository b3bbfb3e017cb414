"""Figures of firmware revisions side by side, in words."""

from collections.abc import Iterable
from typing import NamedTuple

from submissions.domain.measuring.metrics import FIGURES, METRICS
from submissions.evidence.families import Revision
from submissions.pages import wording


class Row(NamedTuple):
    """`spread`: the lowest and the highest card."""

    figure: str
    revision: str
    cards: int
    people: int
    median: str
    spread: str


def rows(figures: Iterable[Revision]) -> list[Row]:
    return [_row(figure) for figure in figures]


def _row(row: Revision) -> Row:
    figure = FIGURES[row.figure]
    unit = METRICS[figure.metric].base_unit
    median, lowest, highest = (wording.amount(value, unit) for value in (row.median, row.lowest, row.highest))
    spread = "–" if row.cards < 2 else f"{lowest} – {highest}"
    return Row(figure.title, row.revision or "–", row.cards, row.people, median, spread)
