"""A ranking by the reader's own weights, worked out on request."""

import operator
from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.facets import FACETS
from submissions.evidence import own_weights
from submissions.evidence.own_weights import OwnRow
from submissions.models import CardModel
from submissions.models.ranking import of_models
from submissions.pages.content import rows
from submissions.pages.forms.finder import FinderForm
from submissions.pages.forms.weights import WeightsForm
from submissions.pages.views.finder import MODELS_PER_PAGE

_COMPARED = {"gte": operator.ge, "exact": operator.eq}


def weights(request: HttpRequest) -> HttpResponse:
    """Models by what the address says each figure weighs, as far as the finder's choices in it leave them in."""
    form, facets = WeightsForm(request.GET.dict()), FinderForm(request.GET)
    weighed = form.weights()
    standings = own_weights.ranking_for(weighed, form.interface()) if weighed else []
    wanted = _wanted(standings, facets.wish().chosen, form.board_chosen)
    page = Paginator(wanted, MODELS_PER_PAGE).get_page(request.GET.get("page"))
    models = CardModel.objects.in_bulk([standing.card_model_id for standing in page])
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "facets": facets,
        "board": form.board_chosen,
        "page": page,
        "rows": [
            rows.row(models[standing.card_model_id], standing, asked=f"?board={form.board_chosen.slug}")
            for standing in page
            if standing.card_model_id in models
        ],
        "query": query.urlencode(),
    }
    return render(request, "submissions/weights.html", context)


def _wanted(standings: list[OwnRow], chosen: Mapping[str, Any], board: Board) -> list[OwnRow]:
    """With what is chosen and, where no form is, in a form that goes into the slot; at most three queries."""
    if "form" not in chosen:
        unfit = set(CardModel.objects.of_other_form(board).values_list("pk", flat=True))
        standings = [row for row in standings if row.card_model_id not in unfit]
    if not chosen:
        return standings
    wanted = set(CardModel.objects.filter(of_models(chosen)).values_list("pk", flat=True))
    return [row for row in standings if row.card_model_id in wanted and _has(row, chosen)]


def _has(row: OwnRow, chosen: Mapping[str, Any]) -> bool:
    """Whether it has what the chosen facets ask of a score."""
    asked = [FACETS[name] for name in chosen if FACETS[name].of_score]
    return all(
        _COMPARED[facet.lookup](getattr(row, facet.column.removeprefix("score.")), chosen[facet.name])
        for facet in asked
    )
