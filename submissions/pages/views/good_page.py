"""“Is my card good?”: type what the label says, get one answer and an address to send."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.ranking import boards
from submissions.evidence import model_search, places
from submissions.models import CardModel
from submissions.pages.content import device_names
from submissions.pages.content.device_answers import answer_wish
from submissions.pages.content.product_answer import answer_product
from submissions.pages.forms.finder_form import FinderForm

_OFFERED = 10
_EXAMPLES = {
    "raspberry-pi-4": "SanDisk Extreme 32 GB",
    "dashcam": "Samsung PRO Endurance 128 GB",
    "nintendo-switch": "Samsung PRO Plus 128 GB",
}


def good(request: HttpRequest) -> HttpResponse:
    """The verdict for the one model that answers, or for `m`; otherwise the models to choose from."""
    form = FinderForm(request.GET)
    finding = model_search.find(form.wish())
    models = _models(request.GET.get("m", ""), finding)
    context: dict[str, Any] = {"form": form, "finding": finding, "wish": finding.wish, "models": models}
    context["examples"] = [(boards.find(slug), card) for slug, card in _EXAMPLES.items()]
    if not models:
        context["answer"] = answer_product(finding.products, finding.wish)
    if len(models) == 1:
        (model,) = models
        advised = places.load_answers(model, [finding.wish, *device_names.devices()])
        own, *elsewhere = (answer_wish(wish, advice) for wish, advice in advised)
        context |= {"model": model, "own": own, "elsewhere": elsewhere}
    return render(request, "submissions/good.html", context)


def _models(slug: str, finding: model_search.Finding) -> list[CardModel]:
    """Return the one model that was named exactly, else at most `_OFFERED`; none while nothing is asked."""
    if slug:
        return list(CardModel.objects.by_slug([slug]).values())
    if not finding.wish.words:
        return []
    listed = [row.card_model for row in finding.listed.select_related("card_model")[:_OFFERED]]
    found = [*listed, *finding.untested][:_OFFERED]
    exact = [
        model for model in found if f"{model.brand} {model.line}".casefold() == finding.wish.words.casefold()
    ]
    return exact if len(exact) == 1 else found
