"""Rows of the page that explains an ability: the values behind it, by card, with the effect and the weight of each."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.evidence.reasons import ValueBehind
from submissions.pages import wording

_NO_EFFECT = 0.02  # of the value: too little to notice


class ReasonRow(NamedTuple):
    """A measured value with the effect of its host and method, and its weight, in words."""

    value: ValueBehind
    measured: str
    effect: str
    weight: str


class CardRows(NamedTuple):
    """The values of one card; `key` names it."""

    key: str
    rows: tuple[ReasonRow, ...]


def group_values(values: Iterable[ValueBehind]) -> list[CardRows]:
    """Group values by card, in their order."""
    by_card: dict[str, list[ReasonRow]] = {}
    for value in values:
        by_card.setdefault(value.run.card.key, []).append(_make_row(value))
    return [CardRows(key, tuple(rows)) for key, rows in by_card.items()]


def _make_row(value: ValueBehind) -> ReasonRow:
    measured = wording.localize(value.words)
    if value.at_least:
        measured = _("at least %(amount)s") % {"amount": measured}
    return ReasonRow(value, measured, describe_effect(value.ratio), _describe_weight(value))


def describe_effect(ratio: float) -> str:
    """Return the effect of a host and a method as words like "makes it 8 % faster", "" if it is too small to notice."""
    if abs(ratio - 1) < _NO_EFFECT:
        return ""
    if ratio >= 2:
        return _("makes it %(times)s times as fast") % {"times": wording.localize(f"{ratio:.2g}")}
    faster, slower = _("makes it %(share)s faster"), _("makes it %(share)s slower")
    return (faster if ratio > 1 else slower) % {"share": wording.percent(abs(ratio - 1))}


def _describe_weight(value: ValueBehind) -> str:
    if not value.counts:
        return _("left out: faster than the link, so the data came from the host’s memory")
    weight = wording.percent(min(value.weight, 1.0))
    return _("%(weight)s: far from all others") % {"weight": weight} if value.is_far else weight
