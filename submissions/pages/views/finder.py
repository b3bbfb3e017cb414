"""The first page: the best card for a board and a purpose, and everything that may be asked besides."""

from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from submissions.domain.identity import makers
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score, Submission
from submissions.pages.content import rows
from submissions.pages.content.answer import answer
from submissions.pages.forms.finder import FinderForm

MODELS_PER_PAGE = 25
MOST_COUNTED = 1000
RECENT, SIMULATED = 5, 5


@vary_on_headers("HX-Request")
def finder(request: HttpRequest) -> HttpResponse:
    """Models ranked for a board and a purpose; the same page and, for htmx, only its ranking."""
    form = FinderForm(request.GET)
    wish = form.wish()
    page = _page(request, wish)
    scores = list(page.object_list)
    context: dict[str, Any] = {
        "form": form,
        "wish": wish,
        "page": page,
        "rows": rows.ranked(scores, wish),
        "query": _query(request),
        "answer": answer(scores, wish) if page.number == 1 else None,
    }
    if request.htmx:  # type: ignore[attr-defined]
        response = render(request, "submissions/_ranking.html", context)
        response.headers["HX-Push-Url"] = f"{request.path}?{context['query']}".rstrip("?")
        return response
    return render(request, "submissions/finder.html", context | _around(wish))


class _CountedUpTo(Paginator):
    """What words find is counted up to `MOST_COUNTED`: to count all of it takes longer than to show a page of it."""

    @cached_property
    def count(self) -> int:
        return self.object_list[:MOST_COUNTED].count()  # type: ignore[attr-defined]

    @property
    def is_cut(self) -> bool:
        return self.count == MOST_COUNTED


def _page(request: HttpRequest, wish: Wish) -> Page[Score]:
    """What the address asks for; beyond the last page is the last. Two queries."""
    paginator = _CountedUpTo if wish.words else Paginator
    page = paginator(Score.objects.wanted(wish), MODELS_PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = Score.objects.in_full(page.object_list, wish)  # type: ignore[arg-type]
    return page


def _query(request: HttpRequest) -> str:
    """The choices of the address without the page and what was left empty."""
    chosen = QueryDict(mutable=True)
    for name, value in request.GET.items():
        if value and name != "page":
            chosen.appendlist(name, str(value))
    return chosen.urlencode()


def _around(wish: Wish) -> dict[str, Any]:
    """What stands around the ranking and does not change with it."""
    return {
        "brands": CardModel.objects.brands(),
        "makers": sorted({maker.short_name for maker in makers.all_makers() if maker.known}),
        "simulated": rows.ranked(Score.objects.simulated(wish)[:SIMULATED], wish),
        "recent": Submission.objects.headlines()[:RECENT],
    }
