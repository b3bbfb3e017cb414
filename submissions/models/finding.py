"""Which scores a wish asks for."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q

from submissions.domain.wish import Wish
from submissions.models.card import CardModel

_FLAGGED = Q(card_model__varies=True) | Q(card_model__suspicious_cards__gt=0)

# Field of the wish -> what must hold when it is given. A new choice of the finder is one row here.
_CONDITIONS: dict[str, Callable[[Any], Q]] = {
    "words": lambda words: Q(card_model__in=CardModel.objects.matching(words)),
    "min_gb": lambda least: Q(card_model__capacity_gb__gte=least),
    "max_gb": lambda most: Q(card_model__capacity_gb__lte=most),
    "budget": lambda most: Q(card_model__price__lte=most),
    "brand": lambda brand: Q(card_model__brand__iexact=brand),
    "maker": lambda maker: Q(card_model__makers__contains=[maker]),
    "oem": lambda oem: Q(card_model__oems__contains=[oem]),
    "app_class": lambda least: Q(card_model__app_perf_class__gte=least),
    "video_class": lambda least: Q(card_model__video_speed_class__gte=least),
    "uhs_grade": lambda least: Q(card_model__uhs_speed_grade__gte=least),
    "bus_mode": lambda mode: Q(card_model__bus_modes__contains=[mode]),
    "since": lambda month: Q(card_model__manufactured_last__gte=month),
    "flagged": lambda wanted: _FLAGGED if wanted else ~_FLAGGED,
    "min_cards": lambda least: Q(cards__gte=least),
}


def conditions(wish: Wish) -> Q:
    """On scores of real models, for the purpose and the slot of the board."""
    asked = Q(profile=wish.profile.name, interface=wish.board.interface.name, simulated=False)
    if wish.budget is not None:
        asked &= Q(card_model__currency=wish.currency)
    for name, condition in _CONDITIONS.items():
        value = getattr(wish, name)
        if value is not None and value != "":
            asked &= condition(value)
    return asked
