"""A ranking by the reader's own weights, worked out on request."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.ranking.wish import Wish
from submissions.evidence import own_weights
from submissions.evidence.own_weights import OwnRow
from submissions.models import CardModel
from submissions.models.ranking import of_models
from submissions.pages.content import rows
from submissions.pages.forms.finder import FinderForm
from submissions.pages.forms.weights import WeightsForm

PER_PAGE = 25


def weights(request: HttpRequest) -> HttpResponse:
    """Models by what the address says each figure weighs, as far as the finder's choices in it leave them in."""
    form, facets = WeightsForm(request.GET.dict()), FinderForm(request.GET)
    weighed = form.weights()
    found = own_weights.ranking_for(weighed, form.interface()) if weighed else []
    page = Paginator(_wanted(found, facets.wish()), PER_PAGE).get_page(request.GET.get("page"))
    models = CardModel.objects.in_bulk([one.card_model_id for one in page])
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "facets": facets,
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


def _wanted(found: list[OwnRow], wish: Wish) -> list[OwnRow]:
    """At most two queries, none without a choice."""
    if not wish.is_narrowed:
        return found
    wanted = set(CardModel.objects.filter(of_models(wish)).values_list("pk", flat=True))
    least = wish.min_cards or 0
    return [one for one in found if one.card_model_id in wanted and one.cards >= least]
