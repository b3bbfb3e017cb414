"""Which models a wish asks for, and which of their scores."""

from typing import Final

from django.db.models import Q

from submissions.domain.ranking.wish import Wish
from submissions.models.card import CardModel

# Field of the wish -> what must hold of a model when it is given. A new choice of the finder is one row here.
_LOOKUPS: Final = {
    "min_gb": "capacity_gb__gte",
    "max_gb": "capacity_gb__lte",
    "budget": "price__lte",
    "brand": "brand__iexact",
    "maker": "makers__contains",
    "oem": "oems__contains",
    "app_class": "app_perf_class__gte",
    "video_class": "video_speed_class__gte",
    "uhs_grade": "uhs_speed_grade__gte",
    "bus_mode": "bus_modes__contains",
    "since": "manufactured_last__gte",
}


def of_models(wish: Wish, *, of: str = "") -> Q:
    """On models, or with `of` on what leads to one. The number of cards is asked of a score, which counts them."""
    asked = Q()
    for name, lookup in _LOOKUPS.items():
        if (value := getattr(wish, name)) not in (None, ""):
            asked &= Q(**{of + lookup: [value] if lookup.endswith("contains") else value})
    if wish.budget is not None:
        asked &= Q(**{f"{of}currency": wish.currency})
    if wish.words:
        asked &= Q(**{f"{of}pk__in": CardModel.objects.matching(wish.words)})
    if wish.flagged is not None:
        flagged = Q(**{f"{of}varies": True}) | Q(**{f"{of}suspicious_cards__gt": 0})
        asked &= flagged if wish.flagged else ~flagged
    return asked


def conditions(wish: Wish) -> Q:
    """On scores of real models, for the purpose and the slot of the board."""
    asked = Q(profile=wish.profile.name, interface=wish.board.interface.name, simulated=False)
    if wish.min_cards is not None:
        asked &= Q(cards__gte=wish.min_cards)
    return asked & of_models(wish, of="card_model__")
