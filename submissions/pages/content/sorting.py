"""List the orders in which a list of cards can be sorted, with links, and read the chosen order."""

from collections.abc import Mapping
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.wishes import name_order

# As models.performance.ORDERS names them; besides, each ability of the slot is an order.
_TITLES = {
    "": gettext_noop("place"),
    "price": gettext_noop("price"),
    "price-per-gb": gettext_noop("price per GB"),
    "name": gettext_noop("name"),
    "capacity": gettext_noop("size"),
    "reliable": gettext_noop("no doubts first, then most tested"),
    "lasting": gettext_noop("promised endurance"),
    "dearest": gettext_noop("most expensive first"),
    "smallest": gettext_noop("smallest first"),
    "worst": gettext_noop("worst first"),
}
# Offered only on request.
_UNUSUAL = ("capacity", "reliable", "lasting", "dearest", "smallest", "worst")
# Orders of superlatives: besides these the fastest, which is the leading ability of the use.
TITLES = _TITLES | {"speed": gettext_noop("fastest first")}


class Order(NamedTuple):
    """An order of a list. `query`: the present URL query, but with this order."""

    name: str
    title: str
    query: str
    chosen: bool


class Orders(NamedTuple):
    """The usual orders of a list, and `others` by abilities that the use does not ask for."""

    usual: tuple[Order, ...]
    others: tuple[Order, ...]

    @property
    def title(self) -> str:
        """Return the title of the present order."""
        return next((order.title for order in (*self.usual, *self.others) if order.chosen), "")

    @property
    def is_other_chosen(self) -> bool:
        return any(order.chosen for order in self.others)


def read_order(query: Mapping[str, str], wish: Wish, superlative: str = "") -> str:
    """Return the order that the URL, or else a superlative in the text, asks for; "" if the slot has no such order."""
    name = query.get("sort") or name_order(superlative, wish.use)
    return name if name in _TITLES or name in wish.board.slot.abilities else ""


def orders(query: QueryDict, wish: Wish, asked: str) -> Orders:
    """Return the orders of a list with links; `asked`: the present order. A new order starts at the first page."""
    titles = {name: _(title) for name, title in _TITLES.items()}
    needed = [need.ability for need in wish.use.needs if need.ability not in wish.use.leads]
    others = [name for name in wish.board.slot.abilities if name not in wish.use.abilities]

    def offer(name: str) -> Order:
        title = titles[name] if name in titles else ABILITIES[name].title
        return Order(name, title, _write_query(query, name), name == asked)

    usual = [name for name in titles if name not in _UNUSUAL or name == asked]
    return Orders(tuple(map(offer, (*usual, *needed))), tuple(map(offer, others)))


def _write_query(query: QueryDict, name: str) -> str:
    asked = query.copy()
    asked.pop("page", None)
    asked["sort"] = name or "place"
    return asked.urlencode()
