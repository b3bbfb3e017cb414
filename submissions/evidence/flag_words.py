"""Describe flags of variation in words that a buyer understands, with numbers, for pages and the API."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from submissions.domain import geometry
from submissions.domain.geometry.differing import GeometryDiffers
from submissions.domain.measuring.metrics import ABILITIES, FIGURES, METRICS
from submissions.domain.ranking.advice import AbilityValue
from submissions.models import CardModel, VariationFlag


class FlagWords(NamedTuple):
    """A flag of a model with cards that differ, in words: a `sentence` with numbers, and the `meaning` for buyers."""

    kind: str
    heading: str
    sentence: str
    meaning: str
    flag: VariationFlag


# So many cards say something of the spread within a model.
LEAST_CARDS = 3


def describe_spread(model: CardModel, value: AbilityValue | None) -> str:
    """Say how far the cards of a model lie apart in an ability, and which tests would flag the model as varying.

    Return "" if the model is flagged already, or if fewer than three cards were tested.
    """
    spread = find_spread(value)
    if value is None or spread is None or model.varies:
        return ""
    words = {
        "cards": value.cards,
        "ratio": number_format(spread, 1),
        "ability": gettext(value.row.english).lower(),
    }
    return (
        gettext(
            "%(cards)s cards were tested: 95 of 100 lie within a factor of %(ratio)s of the middle "
            "(%(ability)s). Nothing proves that different cards are sold under this name. For "
            "such a proof, two people would have to test each of two versions."
        )
        % words
    )


def find_spread(value: AbilityValue | None) -> float | None:
    """Return the factor within which 95 of 100 cards of a model lie around the middle value.

    Return None for fewer than three cards, and if the buses of hosts were the limit, so that the value is only a lower
    bound.
    """
    if value is None or value.at_least or value.cards < LEAST_CARDS:
        return None
    return max(value.upper / value.value, value.value / value.lower)


def describe_flag(flag: VariationFlag) -> FlagWords:
    """Describe a flag of a model with cards that differ, in the active language."""
    heading, meaning, sentence, find_numbers = _KINDS[flag.kind]
    numbers = find_numbers(flag.evidence | {"quantity": flag.figure}) | {"figure": _title(flag.figure)}
    return FlagWords(flag.kind, gettext(heading), gettext(sentence) % numbers, gettext(meaning), flag)


def _difference(evidence: Mapping[str, Any]) -> dict[str, Any]:
    (faster, slower), (cards, slower_cards) = evidence["names"], evidence["cards"]
    people, slower_people = evidence.get("people") or evidence["submitters"]  # as older releases stored it
    ratios = {
        "ratio": evidence["ratio"],
        "lower": evidence["lower_ratio"],
        "upper": evidence["upper_ratio"],
    }
    return {
        **{"faster": faster, "cards": cards, "submitters": people},
        **{"slower": slower, "slower_cards": slower_cards, "slower_submitters": slower_people},
        **{name: number_format(ratio, 2) for name, ratio in ratios.items()},
    }


def _scatter(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "cards": evidence["cards"],
        "ratio": number_format(evidence["span_ratio"], 1),
        "strength": number_format(evidence["strength"], 1),
    }


def _geometry(evidence: Mapping[str, Any]) -> dict[str, Any]:
    differs = msgspec.convert(evidence, GeometryDiffers)
    values = [geometry.value_in_words(differs.quantity, value, "") for value in differs.values]
    shares = [
        gettext("%(value)s in %(cards)s") % {"value": value, "cards": cards}
        for value, cards in zip(values, differs.cards_with, strict=True)
    ]
    return {"shares": ", ".join(shares), "cards": differs.cards}


# Kind of flag -> its heading, its meaning for buyers, its sentence, and the function that returns the numbers for that.
_KINDS: dict[str, tuple[str, str, str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "varies": (
        _("Same name, different cards"),
        _(
            "You learn which version you got only after you have bought it, so we rank the model by its "
            "worst version."
        ),
        _(
            "%(figure)s: %(cards)s cards with %(faster)s are %(ratio)s times as fast as %(slower_cards)s cards with "
            "%(slower)s (95 %% sure: %(lower)s to %(upper)s); %(submitters)s and %(slower_submitters)s people "
            "measured them."
        ),
        _difference,
    ),
    "suspected": (
        _("Cards differ although they look alike"),
        _(
            "Nothing is proven yet: faulty cards, faulty readers or an unannounced change may be the "
            "cause. More tests would show which."
        ),
        _(
            "%(figure)s: of %(cards)s cards that look alike, the fast ones are %(ratio)s times as fast "
            "as the slow ones (90th and 10th percentile). Over all abilities, the variance is "
            "%(strength)s times as large as usual."
        ),
        _scatter,
    ),
    "geometry_differs": (
        _("Different flash under one name"),
        _("Cards that are built differently inside may also differ in speed and lifetime."),
        _("%(figure)s: %(shares)s of %(cards)s cards. One name, different flash."),
        _geometry,
    ),
}


def _title(figure: str) -> str:
    described = ABILITIES.get(figure) or FIGURES.get(figure) or METRICS.get(figure)
    return described.title if described else figure
