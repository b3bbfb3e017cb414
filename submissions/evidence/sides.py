"""Find the models that a question compares: one for each name on both sides of “or”."""

from dataclasses import replace

from django.db.models import Case, Value, When

from submissions.domain.ranking.wish import Wish
from submissions.domain.search import catalogue_names as names
from submissions.evidence.places import load_places
from submissions.models import CardModel
from submissions.models.ranking import match_wish

_MOST_LOOKED_AT = 20


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
    exact = Case(When(line__iexact=line, then=Value(0)), default=Value(1))
    named = CardModel.objects.real().filter(match_wish(sought), lost_data=False)
    listed = set(load_places(wish.board, wish.use).listed)
    likely = named.order_by(exact, "-known_cards", "name")[:_MOST_LOOKED_AT]
    return next((model for model in likely if model.pk in listed), None)
