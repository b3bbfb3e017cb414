"""Serve the best cards for a board and a use at a permanent URL, as page, JSON, plain text, Markdown or SVG."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localdate
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.wish import Wish
from submissions.models import Performance
from submissions.pages.content.advice_rows import Row
from submissions.pages.content.card_list import make_list_with_picks

_NAMED, _EMBEDDED, _LINE_PX = 25, 5, 18


def best(request: HttpRequest, board: str, use: str) -> HttpResponse:
    """Show the page of the best cards for a board and a use."""
    return render(request, "submissions/best.html", _context(request, board, use))


@cache_control(public=True, max_age=3600)
def best_as(request: HttpRequest, board: str, use: str, form: str) -> HttpResponse:
    """Return the best cards in the format `form`, for pages of other sites, too. Raise Http404 if it is unknown."""
    if form not in _FORMS:
        raise Http404
    answer = _FORMS[form](request, _context(request, board, use))
    answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer


# As every page (flashdb/headers.py), but any page may hold it in a frame, and it holds nothing but words and a style.
_FRAMED = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"


@xframe_options_exempt
@cache_control(public=True, max_age=3600)
def embed(request: HttpRequest, board: str, use: str) -> HttpResponse:
    """Show a list of the best cards for frames in pages of other sites, with date and evidence, without scripts."""
    context = _context(request, board, use)
    rows = [row for row in context["list"].rows if row.place][:_EMBEDDED]
    response = render(request, "submissions/embed.html", context | {"rows": rows})
    response.headers["Content-Security-Policy"] = _FRAMED
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def find_wish(board: str, use: str) -> Wish:
    """Return the search conditions for a board and a use. Raise Http404 if either is unknown, or they do not fit."""
    device, wanted = boards.all_boards().get(board), uses.all_uses().get(use)
    if device is None or wanted is None or wanted.slot != device.interface.slot:
        raise Http404
    return Wish(device, wanted)


def _context(request: HttpRequest, board: str, use: str) -> dict[str, Any]:
    wish = find_wish(board, use)
    listed = Performance.objects.wanted(wish)
    address = reverse("best", args=[board, use])
    return {
        "wish": wish,
        "list": make_list_with_picks(listed.with_models()[:_NAMED], wish),
        "day": localdate(),
        "own": request.build_absolute_uri(address),
        "framed": request.build_absolute_uri(reverse("embed", args=[board, use])),
        "stem": address.rstrip("/"),
    }


def _json(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    wish = context["wish"]
    answers = [
        {"titles": pick.titles, **_answer_row(request, pick.row)} for pick in context["list"].picks.cards
    ]
    asked = {"board": wish.board.slug, "use": wish.use.name, "date": context["day"]}
    known = [_answer_row(request, row) for row in context["list"].picks.candidates]
    return JsonResponse({**asked, "picks": answers, "best_known": known, "links": {"page": context["own"]}})


def _answer_row(request: HttpRequest, row: Row) -> dict[str, Any]:
    advice, model = row.advice, row.model
    return {
        "slug": model.slug,
        "name": model.name,
        "gates": advice.gates,
        "place": advice.place and advice.place.number,
        "shared": advice.place is not None and advice.place.shared,
        "leading": advice.leading and advice.leading.published_columns,
        "needs": {result.need.ability: result.state for result in advice.needs},
        "offer": advice.offer and asdict(advice.offer),
        "page": request.build_absolute_uri(model.get_absolute_url()),
    }


def _render_as(form: str, media_type: str) -> Callable[[HttpRequest, dict[str, Any]], HttpResponse]:
    return lambda request, context: render(
        request, f"submissions/best.{form}", context, content_type=f"{media_type}; charset=utf-8"
    )


def _svg(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    cards = context["list"].picks.cards
    lines = [(_LINE_PX * number, pick) for number, pick in enumerate(cards, 2)]
    drawn = {"lines": lines, "height": _LINE_PX * (max(len(cards), 1) + 2) - _LINE_PX // 2}
    return render(request, "submissions/best.svg", context | drawn, content_type="image/svg+xml")


_FORMS = {
    "json": _json,
    "txt": _render_as("txt", "text/plain"),
    "md": _render_as("md", "text/markdown"),
    "svg": _svg,
}
