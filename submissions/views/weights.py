"""A ranking by the reader's own weights, worked out on request."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.forms.weights import WeightsForm
from submissions.judging import reading
from submissions.models import CardModel
from submissions.showing import rows

PER_PAGE = 25


def weights(request: HttpRequest) -> HttpResponse:
    """Models by what the address says each figure weighs."""
    form = WeightsForm(request.GET.dict())
    weighed = form.weights()
    found = reading.ranking_for(weighed, form.interface()) if weighed else []
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    models = CardModel.objects.in_bulk([one.card_model_id for one in page])
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "board": form.board_chosen,
        "page": page,
        "rows": [
            rows.row(models[one.card_model_id], one, asked=f"?board={form.board_chosen.slug}")
            for one in page
            if one.card_model_id in models
        ],
        "query": query.urlencode(),
    }
    return render(request, "submissions/weights.html", context)
