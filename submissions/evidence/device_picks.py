"""Find one card for each kind of device, for a visitor who names no device."""

from dataclasses import replace

from submissions.domain.ranking import boards
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.wishes import name_order
from submissions.models import Performance
from submissions.models.performance import ORDERS
from submissions.models.ranking import match_form
from submissions.sql.snapshot import keep_results

# A device of each kind, by how often people ask.
KINDS = ("raspberry-pi-5", "dashcam", "uhs-i-camera", "nintendo-switch", "steam-deck", "uhs-i-slot")
_PRICE_ORDERS = ("price", "price-per-gb", "dearest")
_MOST_KEPT = 100


@keep_results(Performance, most=_MOST_KEPT)
def pick_for_devices(wish: Wish, superlative: str = "") -> list[tuple[Wish, Performance | None]]:
    """Return, for each kind of device, the wish (search conditions) and the best card that meets it, or None.

    With a superlative such as “cheapest”, the best card is the first in that order. One or two queries for each kind
    of device, and none if nothing was written since the last call.
    """
    every = (boards.find(slug) for slug in KINDS)
    wishes = [replace(wish, board=board, use=board.use) for board in every]
    return [(one, _find_best(one, name_order(superlative, one.use))) for one in wishes]


def _find_best(wish: Wish, order: str) -> Performance | None:
    # As in picks.choose_picks: a proven model, else a product that fails no need; only models with a price are cheap.
    wanted = Performance.objects.wanted(wish).filter(match_form(wish.board))
    priced = wanted.with_usual_currency() if order in _PRICE_ORDERS else wanted
    listed = priced.with_models().order_by(*ORDERS[order])
    if order == "worst":
        return listed.placed().first()
    return listed.proven(wish.use).first() or listed.of_products().failing_nothing().first()
