"""Find the models that a question compares: one for each name, or for each of its sizes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Case, When

from submissions.domain.ranking.wish import Wish
from submissions.domain.search import catalogue_names as names
from submissions.domain.search.question import Side, match_size
from submissions.evidence.model_search import SIZES, drop_facets
from submissions.evidence.places import load_places
from submissions.models import CardModel
from submissions.models.ranking import match_wish

_MOST_LOOKED_AT = 20


def find_sides(wish: Wish, sides: Iterable[Side]) -> list[CardModel]:
    """Return the tested model that each side of “or” in a search text most likely means, in the order of the sides.

    If all sides have a model of one size, the models are of that size. One query per side, or two if no model of the
    name and the size was tested.
    """
    ways = (way for side in sides for way in _list_ways(drop_facets(wish, SIZES), side))
    found = [models for way in ways if (models := next(filter(None, map(_list_likely, way)), None))]
    size_gb = _find_shared_size(found)
    chosen = (next((one for one in models if one.capacity_gb == size_gb), models[0]) for models in found)
    return list({model.pk: model for model in chosen}.values())


def _find_shared_size(found: Sequence[Sequence[CardModel]]) -> float | None:
    sizes = [[model.capacity_gb for model in models] for models in found]
    return next((size for size in sizes[0] if all(size in own for own in sizes)), None) if sizes else None


def _list_ways(wish: Wish, side: Side) -> Iterator[list[Wish]]:
    # One size is dropped if it was not tested; several are compared with each other.
    named = replace(wish, chosen={**wish.chosen, "q": side.name})
    of_size = [replace(named, chosen={**named.chosen, **match_size(size_gb)}) for size_gb in side.sizes_gb]
    if len(of_size) > 1:
        yield from ([one] for one in of_size)
    else:
        yield [*of_size, named]


def _list_likely(wish: Wish) -> list[CardModel]:
    # Of exactly this line, if there are any; those with most tests first.
    line = wish.words.removeprefix(names.find_brand(wish.words)).strip()
    named = CardModel.objects.real().filter(match_wish(wish), lost_data=False)
    exact = Case(When(line__iexact=line, line__gt="", then=True), default=False)
    listed = set(load_places(wish.board, wish.use).listed)
    likely = named.annotate(is_exact=exact).order_by("-is_exact", "-known_cards", "name")[:_MOST_LOOKED_AT]
    models: list[Any] = [model for model in likely if model.pk in listed]
    return [model for model in models if model.is_exact] or models
