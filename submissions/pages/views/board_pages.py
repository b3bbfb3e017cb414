"""Serve the pages of boards (devices): the rate of the slot, and the best cards for each use."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity.suspicions import quirks
from submissions.domain.ranking import uses
from submissions.domain.ranking.boards import all_boards
from submissions.domain.ranking.wish import Wish
from submissions.models import Performance
from submissions.pages.content.advice_rows import Row
from submissions.pages.content.card_list import make_list

BEST = 5
_CHOOSY = ("raspberry-pi-5", "raspberry-pi-cm5-lite")  # their kernel has a list of cards that it trusts


def boards(request: HttpRequest) -> HttpResponse:
    """Show the list of boards (devices) with the rates of their slots."""
    return render(request, "submissions/boards.html", {"boards": all_boards().values()})


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one board: its slot, and the best cards for each use, the usual use first."""
    chosen = all_boards().get(slug)
    if chosen is None:
        raise Http404
    every = sorted(uses.uses_in(chosen.interface).values(), key=lambda use: use != chosen.use)
    context = {
        "board": chosen,
        "best": [(use, _list_best(Wish(chosen, use))) for use in every],
        "trusted": quirks.trusted_cards() if slug in _CHOOSY else (),
    }
    return render(request, "submissions/board.html", context)


def _list_best(wish: Wish) -> list[Row]:
    """Return rows of the best models that have a place in the ranking; two queries."""
    placed = Performance.objects.wanted(wish).placed()
    return list(make_list(placed.with_models()[:BEST], wish).rows)
