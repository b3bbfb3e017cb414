"""Find the models that a search text compares with “or”: one for each name, or one for each size of one name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from django.db.models import Case, When

from submissions.domain.ranking.wish import Wish
from submissions.domain.search import catalogue_names as names
from submissions.domain.search.question import match_size
from submissions.evidence.model_search import SIZES, drop_facets
from submissions.evidence.places import load_places
from submissions.models import CardModel
from submissions.models.ranking import match_wish

_MOST_LOOKED_AT = 20


def find_sides(wish: Wish, sizes_gb: Sequence[float] = ()) -> list[CardModel]:
    """Return the tested model that each side of “or” most likely means; `sizes_gb`: the sides, if they are only sizes.

    One query per side, or two if no model of the name and the size was tested.
    """
    sides = _list_sizes(wish, sizes_gb) if sizes_gb else _list_names(wish)
    found = (next(filter(None, map(_find_side, ways)), None) for ways in sides)
    return list({model.pk: model for model in found if model}.values())


def _list_sizes(wish: Wish, sizes_gb: Iterable[float]) -> Iterator[list[Wish]]:
    for size_gb in sizes_gb:
        yield [replace(wish, chosen={**wish.chosen, **match_size(size_gb)})]


def _list_names(wish: Wish) -> Iterator[list[Wish]]:
    # Each name first with the size that is asked for, then with any size.
    of_any_size = drop_facets(wish, SIZES)
    ways = [wish] if of_any_size == wish else [wish, of_any_size]
    brand = ""
    for words in filter(None, map(str.strip, wish.words.split("|"))):
        own = next((word for word in _list_brands(words) if words.startswith(word)), "")
        brand = own or brand
        name = f"{brand} {words.removeprefix(own).strip()}".strip()
        yield [replace(way, chosen={**way.chosen, "q": name}) for way in ways]


def _list_brands(words: str) -> list[str]:
    every = words.split()
    return [name for end in range(len(every), 0, -1) if names.is_brand(name := " ".join(every[:end]))]


def _find_side(wish: Wish) -> CardModel | None:
    # A model of exactly this line comes first; a brand without a line means its model with most tests.
    brand = next(iter(_list_brands(wish.words)), "")
    exact = Case(When(line__iexact=wish.words.removeprefix(brand).strip(), line__gt="", then=0), default=1)
    named = CardModel.objects.real().filter(match_wish(wish), lost_data=False)
    listed = set(load_places(wish.board, wish.use).listed)
    likely = named.order_by(exact, "-known_cards", "name")[:_MOST_LOOKED_AT]
    return next((model for model in likely if model.pk in listed), None)
