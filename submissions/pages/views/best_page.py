"""The best cards for a board and a purpose at an address made to be linked: page, JSON, plain text, Markdown, SVG."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localdate
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.wish import Wish
from submissions.evidence.picks import ENOUGH
from submissions.models import Score
from submissions.pages.content import finder_rows
from submissions.pages.content.pick_cards import Pick, picks

_NAMED, _EMBEDDED, _LINE_PX = 25, 5, 18


def best(request: HttpRequest, board: str, profile: str) -> HttpResponse:
    """The page."""
    return render(request, "submissions/best.html", _context(request, board, profile))


@cache_control(public=True, max_age=3600)
def best_as(request: HttpRequest, board: str, profile: str, form: str) -> HttpResponse:
    """The same for programs, documents and forums; anybody's page may read it. Raises Http404 for another form."""
    if form not in _FORMS:
        raise Http404
    answer = _FORMS[form](request, _context(request, board, profile))
    answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer


# As every page (flashdb/headers.py), but any page may hold it in a frame, and it holds nothing but words and a style.
_FRAMED = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"


@xframe_options_exempt
@cache_control(public=True, max_age=3600)
def embed(request: HttpRequest, board: str, profile: str) -> HttpResponse:
    """A list to be set into the page of a shop or a magazine: without cookies and scripts, with date and evidence."""
    context = _context(request, board, profile)
    listed = finder_rows.ranked(context["first"][:_EMBEDDED], context["wish"])
    response = render(request, "submissions/embed.html", context | {"rows": listed})
    response.headers["Content-Security-Policy"] = _FRAMED
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def find_wish(board: str, profile: str) -> Wish:
    """Return the board and the purpose of these names; raise Http404 where the tables have no such pair."""
    slot, purpose = boards.all_boards().get(board), uses.all_profiles().get(profile)
    if slot is None or purpose is None or purpose.slot != slot.interface.slot:
        raise Http404
    return Wish(slot, purpose)


def _context(request: HttpRequest, board: str, profile: str) -> dict[str, Any]:
    wish = find_wish(board, profile)
    listed = Score.objects.wanted(wish)
    first = list(Score.objects.in_full(listed[:_NAMED], wish))
    address = reverse("best", args=[board, profile])
    return {
        "wish": wish,
        "picks": picks(first, listed, wish),
        "first": first,
        "day": localdate(),
        "own": request.build_absolute_uri(address),
        "framed": request.build_absolute_uri(reverse("embed", args=[board, profile])),
        "stem": address.rstrip("/"),
    }


def _json(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    wish, found = context["wish"], context["picks"]
    answers = [_answer(request, pick) for pick in found.cards]
    body = {"board": wish.board.slug, "profile": wish.profile.name, "date": context["day"], "picks": answers}
    return JsonResponse(body | {"links": {"page": context["own"]}})


def _answer(request: HttpRequest, pick: Pick) -> dict[str, Any]:
    score = pick.row.score
    return {
        "titles": pick.titles,
        "slug": pick.model.slug,
        "name": pick.model.name,
        "at_least": round(score.bound / ENOUGH, 3),
        "likely": round(score.value / ENOUGH, 3),
        "state": score.state,
        "cards": score.cards,
        "submitters": score.submitters,
        "price": pick.model.price,
        "currency": pick.model.currency or None,
        "page": request.build_absolute_uri(pick.model.get_absolute_url()),
    }


def _text(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return render(request, "submissions/best.txt", context, content_type="text/plain; charset=utf-8")


def _markdown(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return render(request, "submissions/best.md", context, content_type="text/markdown; charset=utf-8")


def _svg(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    cards = context["picks"].cards
    lines = [(_LINE_PX * number, pick) for number, pick in enumerate(cards, 2)]
    drawn = {"lines": lines, "height": _LINE_PX * (max(len(cards), 1) + 2) - _LINE_PX // 2}
    return render(request, "submissions/best.svg", context | drawn, content_type="image/svg+xml")


_FORMS = {"json": _json, "txt": _text, "md": _markdown, "svg": _svg}
