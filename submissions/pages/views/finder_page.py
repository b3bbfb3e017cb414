"""The first page: the best card for a board and a purpose, and everything that may be asked besides."""

from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from submissions.domain.ranking.wish import Wish
from submissions.evidence import model_search
from submissions.models import CardModel, Score, Submission
from submissions.models.ranking import ORDERS
from submissions.pages.content import finder_rows, sorting, suitability
from submissions.pages.content.chips import chips, wider
from submissions.pages.content.pick_cards import peers, picks
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.views.parts import is_part, varies

MODELS_PER_PAGE = 20
MOST_COUNTED = 1000
RECENT, SIMULATED, CLAIMS = 5, 5, 5


@varies
def finder(request: HttpRequest) -> HttpResponse:
    """Models ranked for a board and a purpose; the same page and, for htmx, only its answer."""
    form = FinderForm(request.GET)
    finding = model_search.find(form.wish())
    order = sorting.chosen(request.GET)
    page = _page(request, finding, order)
    scores = list(page.object_list)
    is_first = page.number == 1 and not order
    chosen = chips(form, unknown=finding.unknown)
    context: dict[str, Any] = {
        "form": form,
        "finding": finding,
        "is_loading": not scores and _is_loading(),
        "wish": finding.wish,
        "chips": chosen,
        "wider": [] if scores or finding.untested else wider(chosen),
        "page": page,
        "rows": finder_rows.ranked(scores, finding.wish),
        "query": _query(request),
        "order": order,
        "orders": sorting.orders(request.GET),
        "is_device": set(form.query) == {"board"},
        "picks": picks(scores, finding.listed, finding.wish) if is_first else None,
        "peers": peers(scores) if is_first else [],
        "claims": finder_rows.ranked(Score.objects.claimed(finding.wish)[:CLAIMS], finding.wish)
        if is_first
        else [],
    }
    if is_part(request):
        response = render(request, "submissions/_answer.html", context)
        response.headers["HX-Push-Url"] = f"{request.path}?{context['query']}".rstrip("?")
        return response
    return render(request, "submissions/finder.html", context | _around(form, finding.wish))


@varies
def choices(request: HttpRequest) -> HttpResponse:
    """Everything that cards may be chosen by: unfolded below the search, and without script a page."""
    name = "_filter" if is_part(request) else "filter"
    context = {"form": FinderForm(request.GET), "brands": CardModel.objects.brands()}
    return render(request, f"submissions/{name}.html", context)


class _CountedUpTo(Paginator):
    """What words find is counted up to `MOST_COUNTED`: to count all of it takes longer than to show a page of it."""

    @cached_property
    def count(self) -> int:
        return self.object_list[:MOST_COUNTED].count()  # type: ignore[attr-defined]

    @property
    def is_cut(self) -> bool:
        return self.count == MOST_COUNTED


def _page(request: HttpRequest, finding: model_search.Finding, order: str) -> Page[Score]:
    """What the address asks for; beyond the last page is the last. Two queries."""
    paginator = _CountedUpTo if finding.wish.words else Paginator
    listed = finding.listed.order_by(*ORDERS[order])
    page = paginator(listed, MODELS_PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = Score.objects.in_full(page.object_list, finding.wish, order=order)  # type: ignore[arg-type]
    return page


def _is_loading() -> bool:
    """Return whether nothing is ranked yet although reports were received; at most three queries."""
    if Score.objects.exists():
        return False
    is_unjudged = CardModel.objects.filter(summary=None).exists()
    return is_unjudged or Submission.objects.waiting().exists()


def _query(request: HttpRequest) -> str:
    """The choices of the address without the page and what was left empty."""
    chosen = QueryDict(mutable=True)
    for name, value in request.GET.items():
        if value and name != "page":
            chosen.appendlist(name, str(value))
    return chosen.urlencode()


def _around(form: FinderForm, wish: Wish) -> dict[str, Any]:
    """What stands around the ranking and does not change with it."""
    return {
        "devices": suitability.devices(),
        "brands": CardModel.objects.brands,
        "simulated": finder_rows.ranked(Score.objects.simulated(wish)[:SIMULATED], wish),
        "recent": Submission.objects.headlines()[:RECENT],
    }
