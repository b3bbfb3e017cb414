"""Describe flags of variation in words that a buyer understands, with numbers, for pages and the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from submissions.domain import geometry
from submissions.domain.geometry.differing import GeometryDiffers
from submissions.domain.judgement.flags import Changed, Difference, Scatter
from submissions.domain.measuring.metrics import FIGURES, METRICS
from submissions.models import VariationFlag

_HEADINGS = {
    "varies": _("Same name, different cards"),
    "suspected": _("Cards that look alike differ"),
    "geometry_differs": _("Different flash under one name"),
    "changed": _("It changed over time"),
}
_MEANINGS = {
    "varies": _(
        "You learn which one you got only after you bought it, so we rank the model by its worst version."
    ),
    "suspected": _(
        "Nothing is proven: bad cards, bad readers or a hidden change may be the cause. More tests would tell."
    ),
    "geometry_differs": _("Cards that are built differently inside may differ in speed and life, too."),
    "changed": _("A newer card may not be like the one in old reviews."),
}


_SENTENCES = {
    "varies": _(
        "%(figure)s: %(cards)s cards with %(faster)s are %(ratio)s times as fast as %(slower_cards)s cards with "
        "%(slower)s (95 %% sure: %(lower)s to %(upper)s); %(submitters)s and %(slower_submitters)s people measured "
        "them."
    ),
    "suspected": _(
        "%(figure)s: of %(cards)s cards that look alike, the fast ones are %(ratio)s times as fast as the slow ones "
        "(90th and 10th percentile); that is %(strength)s times the usual variance. More tests would tell."
    ),
    "geometry_differs": _("%(figure)s: %(shares)s of %(cards)s cards. One name, different flash."),
    "changed": _(
        "It changed between %(before)s and %(after)s, by the date in %(cards)s cards (%(exceptions)s of them do not "
        "fit)."
    ),
}


@dataclass(frozen=True, slots=True)
class FlagWords:
    """A flag in words: a `sentence` with the numbers, and its `meaning` for buyers."""

    kind: str
    heading: str
    sentence: str
    meaning: str
    flag: VariationFlag


def describe_flag(flag: VariationFlag) -> FlagWords:
    """Describe one flag in the active language."""
    numbers = _NUMBERS[flag.kind](flag.evidence | {"figure": flag.figure, "quantity": flag.figure})
    sentence = gettext(_SENTENCES[flag.kind]) % (numbers | {"figure": _title(flag.figure)})
    return FlagWords(flag.kind, gettext(_HEADINGS[flag.kind]), sentence, gettext(_MEANINGS[flag.kind]), flag)


def _difference(evidence: Mapping[str, Any]) -> dict[str, Any]:
    difference = msgspec.convert(evidence, Difference)
    faster, slower = evidence["names"]
    return {
        **{"faster": faster, "cards": difference.cards[0], "submitters": difference.submitters[0]},
        **{
            "slower": slower,
            "slower_cards": difference.cards[1],
            "slower_submitters": difference.submitters[1],
        },
        "ratio": number_format(difference.ratio, 2),
        "lower": number_format(difference.lower_ratio, 2),
        "upper": number_format(difference.upper_ratio, 2),
    }


def _scatter(evidence: Mapping[str, Any]) -> dict[str, Any]:
    scatter = msgspec.convert(evidence, Scatter)
    return {
        "cards": scatter.cards,
        "ratio": number_format(scatter.span_ratio, 1),
        "strength": number_format(scatter.strength, 1),
    }


def _describe_change(evidence: Mapping[str, Any]) -> dict[str, Any]:
    changed = msgspec.convert(evidence, Changed)
    return {
        "before": _month(changed.last_before),
        "after": _month(changed.first_after),
        "cards": changed.cards,
        "exceptions": changed.exceptions,
    }


def _geometry(evidence: Mapping[str, Any]) -> dict[str, Any]:
    differs = msgspec.convert(evidence, GeometryDiffers)
    values = [geometry.value_in_words(differs.quantity, value, "") for value in differs.values]
    shares = [
        gettext("%(value)s in %(cards)s") % {"value": value, "cards": cards}
        for value, cards in zip(values, differs.cards_with, strict=True)
    ]
    return {"shares": ", ".join(shares), "cards": differs.cards}


_NUMBERS = {
    "varies": _difference,
    "suspected": _scatter,
    "geometry_differs": _geometry,
    "changed": _describe_change,
}


def _title(figure: str) -> str:
    described = FIGURES.get(figure) or METRICS.get(figure)
    return described.title if described else figure


def _month(number: int) -> str:
    return date_format(date(number // 12, number % 12 + 1, 1), "YEAR_MONTH_FORMAT")
