"""Serve the home page: the search, the best card for a board and a use, and the list of cards."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from submissions.domain.ranking.wish import Wish
from submissions.evidence import model_search
from submissions.models import CardModel, Performance, Submission
from submissions.models.performance import ORDERS
from submissions.pages.content import card_list, device_names, sorting
from submissions.pages.content.chips import Chip, chips, find_wider
from submissions.pages.content.product_answer import answer_product
from submissions.pages.content.question_answer import answer_question
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.views.parts import is_part, varies

MODELS_PER_PAGE = 20
RECENT, SIMULATED = 5, 5


@varies
def finder(request: HttpRequest) -> HttpResponse:
    """Answer a search: a question, or a list of models for a board and a use; for htmx only the part that changes."""
    form = FinderForm(request.GET)
    finding = model_search.find(form.wish(), ignored=form.question.possible_names)
    asked = answer_question(form.question, finding, _query(request)) if form.question.text else None
    chosen = chips(form)
    context: dict[str, Any] = {
        "form": form,
        "finding": finding,
        "wish": finding.wish,
        "asked": asked,
        "query": _query(request),
        "here": _toggle_here(request),
        "is_device": set(form.query) == {"board"},
        "is_listed": form.question.intent == "choose" or not form.question.text,
        "chips": chosen,
        "understood": any(chip.is_used for chip in chosen),
    }
    if context["is_listed"] and (asked is None or finding.wish.is_narrowed):
        context |= _list(request, finding, form.question.order, chosen)
    if not form.question.text:
        context["simulated"] = _list_simulated(finding.wish)
    if is_part(request):
        response = render(request, "submissions/_answer.html", context)
        response.headers["HX-Push-Url"] = f"{request.path}?{context['query']}".rstrip("?")
        return response
    surroundings = {
        "devices": device_names.devices(),
        "brands": CardModel.objects.brands,
        "recent": Submission.objects.headlines()[:RECENT],
    }
    return render(request, "submissions/finder.html", context | surroundings)


def _list(
    request: HttpRequest, finding: model_search.Finding, superlative: str, chosen: list[Chip]
) -> dict[str, Any]:
    sort = sorting.read_order(request.GET, finding.wish, superlative)
    page = _page(request, finding, sort)
    is_empty = not page.object_list
    return {
        "has_list": True,
        "is_loading": is_empty and _is_loading(),
        "wider": find_wider(chosen) if is_empty and not finding.untested else [],
        "page": page,
        "fitting": model_search.count_fitting(finding),
        "list": _make_list(page, finding, sort),
        "sort": sort,
        "orders": sorting.orders(request.GET, finding.wish, sort),
        "answer": answer_product(finding.products, finding.wish) if is_empty else None,
        "unlisted": 0
        if finding.wish.is_narrowed
        else CardModel.objects.real().count() - page.paginator.count,
    }


@varies
def choices(request: HttpRequest) -> HttpResponse:
    """Show all filters of the search: for htmx the part of the page below the search box, otherwise a page."""
    name = "_filter" if is_part(request) else "filter"
    context = {"form": FinderForm(request.GET), "brands": CardModel.objects.brands()}
    return render(request, f"submissions/{name}.html", context)


def _page(request: HttpRequest, finding: model_search.Finding, sort: str) -> Page[Performance]:
    """Return the page of a list with the number in the URL, or the last page if there are fewer; two queries."""
    has_ids = finding.ids is not None
    listed = (
        model_search.order_ids(finding, sort)
        if has_ids
        else finding.listed.with_models().order_by(*ORDERS[sort])
    )
    page: Page[Any] = Paginator(listed, MODELS_PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    page.object_list = model_search.load_rows(finding, shown) if has_ids else shown
    return page


def _make_list(page: Page[Performance], finding: model_search.Finding, sort: str) -> card_list.CardList:
    if page.number == 1 and not sort:
        return card_list.make_list_with_picks(page.object_list, finding.wish)
    return card_list.make_list(page.object_list, finding.wish, sort=sort)


def _toggle_here(request: HttpRequest) -> str:
    """Return the URL query with the filter “measured on this device” added, but without it if it is set already."""
    query = QueryDict(_query(request), mutable=True)
    if query.pop("origin", None) is None:
        query["origin"] = "here"
    return query.urlencode()


def _is_loading() -> bool:
    """Return whether no model is ranked yet although reports were received; at most three queries."""
    if Performance.objects.exists():
        return False
    is_unjudged = CardModel.objects.filter(summary=None).exists()
    return is_unjudged or Submission.objects.waiting().exists()


def _query(request: HttpRequest) -> str:
    """Return the query of the request's URL, without the page number and without empty values."""
    chosen = QueryDict(mutable=True)
    for name, value in request.GET.items():
        if value and name != "page":
            chosen.appendlist(name, str(value))
    return chosen.urlencode()


def _list_simulated(wish: Wish) -> card_list.CardList:
    simulated = Performance.objects.list_measured(wish.board, wish.use, simulated=True).with_models()
    return card_list.make_list(simulated[:SIMULATED], wish)
