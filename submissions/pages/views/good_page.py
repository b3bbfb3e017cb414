"""Serve the page “Is my card good?”: one answer for the name on a card, at a URL that can be shared."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.ranking import boards
from submissions.domain.search.wishes import fix_size
from submissions.evidence import model_search
from submissions.pages.content.good_answer import answer_good
from submissions.pages.content.product_answer import answer_product
from submissions.pages.forms.finder_form import FinderForm

_EXAMPLES = {
    "raspberry-pi-4": "SanDisk Extreme 32 GB",
    "dashcam": "Samsung PRO Endurance 128 GB",
    "nintendo-switch": "Samsung PRO Plus 128 GB",
}


def good(request: HttpRequest) -> HttpResponse:
    """Show the verdict on the model ?m=SLUG, or on the one model that fits the search; otherwise models to choose."""
    form = FinderForm(request.GET)
    finding = model_search.find(fix_size(form.wish()))
    answer = answer_good(request.GET.get("m", ""), finding)
    context: dict[str, Any] = {
        "form": form,
        "finding": finding,
        "wish": finding.wish,
        "good": answer,
        "has_list": True,
    }
    context["examples"] = [(boards.find(slug), card) for slug, card in _EXAMPLES.items()]
    if not answer.models:
        context["answer"] = answer_product(finding.products, finding.wish)
    return render(request, "submissions/good.html", context)
