"""Make the rows of the page that explains an ability: values by card, each with its effect and weight in words."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.intake.structures import group_by
from submissions.evidence.reasons import ValueBehind
from submissions.pages import wording

_NO_EFFECT = 0.02  # of the value: too little to notice


class ReasonRow(NamedTuple):
    """A measured value in words, with the effect of its host and method, and its weight in the estimate."""

    value: ValueBehind
    measured: str
    effect: str
    weight: str


def group_values(values: Iterable[ValueBehind]) -> list[tuple[str, list[ReasonRow]]]:
    """Return the key of each card with its values as rows, in the order of the values."""
    by_card = group_by(values, lambda value: value.run.card.key)
    return [(key, [_make_row(value) for value in some]) for key, some in by_card.items()]


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
