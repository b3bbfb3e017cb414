"""Find the models that a question compares: one for each name on both sides of “or”."""

from dataclasses import replace

from django.db.models import Case, Q, Value, When

from submissions.domain.ranking.wish import Wish
from submissions.domain.search import catalogue_names as names
from submissions.models import CardModel, Performance
from submissions.models.performance import BEST_FIRST


def find_sides(wish: Wish) -> list[CardModel]:
    """Return the tested model that each side most likely means, in their order; a query a side."""
    found: dict[int, CardModel] = {}
    brand = ""
    for words in filter(None, map(str.strip, wish.words.split("|"))):
        own = next((word for word in _list_brands(words) if words.startswith(word)), "")
        brand = own or brand
        model = _find_side(wish, brand, words.removeprefix(own).strip())
        if model:
            found.setdefault(model.pk, model)
    return list(found.values())


def _list_brands(words: str) -> list[str]:
    every = words.split()
    return [name for end in range(len(every), 0, -1) if names.is_brand(name := " ".join(every[:end]))]


def _find_side(wish: Wish, brand: str, line: str) -> CardModel | None:
    # One of exactly this line, if there is one.
    sought = replace(wish, chosen={**wish.chosen, "q": f"{brand} {line}".strip()})
    exact = Q(card_model__line__iexact=line)
    order = Case(When(exact, then=Value(0)), default=Value(1))
    listed = Performance.objects.wanted(sought).filter(card_model__lost_data=False).with_models()
    row = listed.order_by(order, "-card_model__known_cards", *BEST_FIRST).first()
    return row.card_model if row else None
