"""Make the rows of the page that explains an ability: values by card, each with its effect and weight in words."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.evidence.reasons import ValueBehind
from submissions.pages import wording

_NO_EFFECT = 0.02  # of the value: too little to notice


class ReasonRow(NamedTuple):
    """A measured value in words, with the effect of its host and method, and its weight in the estimate."""

    value: ValueBehind
    measured: str
    effect: str
    weight: str


class CardRows(NamedTuple):
    """The measured values of one card, which `key` identifies."""

    key: str
    rows: tuple[ReasonRow, ...]


def group_values(values: Iterable[ValueBehind]) -> list[CardRows]:
    """Return the values of each card as rows, in the order of the values."""
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
    """Return the effect of a host and a method in words: "makes it 8 % faster", "" if it is below 2 %."""
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
