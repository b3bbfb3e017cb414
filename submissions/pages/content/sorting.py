"""In which order a ranking can be read: a row for each."""

from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

# As `models.ranking.ORDERS` names them.
_TITLES = {
    "": gettext_noop("at least"),
    "price": gettext_noop("price"),
    "price-per-gb": gettext_noop("price per GB"),
    "name": gettext_noop("name"),
}


class Order(NamedTuple):
    """`query`: what asks for it, with everything else that was asked."""

    name: str
    title: str
    query: str
    chosen: bool


def chosen(query: QueryDict) -> str:
    """The order an address asks for; the usual one where it asks for none that we have."""
    name = query.get("sort", "")
    return name if name in _TITLES else ""


def orders(query: QueryDict) -> list[Order]:
    """Each with its link; a new order begins on the first page."""
    return [
        Order(name, _(title), _with(query, name), name == chosen(query)) for name, title in _TITLES.items()
    ]


def _with(query: QueryDict, name: str) -> str:
    asked = query.copy()
    asked.pop("page", None)
    asked["sort"] = name
    if not name:
        del asked["sort"]
    return asked.urlencode()
