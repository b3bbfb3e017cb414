"""What a board can use, and which cards are wasted on it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity.suspicions import quirks
from submissions.domain.ranking import uses
from submissions.domain.ranking.boards import all_boards
from submissions.domain.ranking.wish import Wish
from submissions.models import Score
from submissions.pages.content import unused_speed

BEST = 5
_CHOOSY = ("raspberry-pi-5", "raspberry-pi-cm5-lite")  # their kernel has a list of cards that it trusts


def boards(request: HttpRequest) -> HttpResponse:
    """Every board with what its slot carries."""
    return render(request, "submissions/boards.html", {"boards": all_boards().values()})


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """One board: its slot, the best cards for each purpose, and the cards that can do more than it can use."""
    chosen = all_boards().get(slug)
    if chosen is None:
        raise Http404
    usual = uses.find(chosen.profile)
    purposes = sorted(uses.on(chosen.interface).values(), key=lambda purpose: purpose is not usual)
    context = {
        "board": chosen,
        "best": Score.objects.best_of_each(chosen, purposes, most=BEST),
        "wasted": unused_speed.on(Wish(chosen, usual)),
        "profile": usual,
        "trusted": quirks.trusted() if slug in _CHOOSY else (),
    }
    return render(request, "submissions/board.html", context)
