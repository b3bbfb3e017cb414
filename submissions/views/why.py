"""Why a model has the score it has."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from submissions.evidence import explanation
from submissions.evidence.flag_words import said
from submissions.models import CardModel
from submissions.pages.forms.why import WhyForm


def why(request: HttpRequest, slug: str) -> HttpResponse:
    """Cards, runs and weights behind one score of a model, what was left out, and what would help."""
    model = get_object_or_404(CardModel, slug=slug)
    form = WhyForm(request.GET)
    profile, interface = form.wanted()
    context = {
        "model": model,
        "form": form,
        "why": explanation.explain(model, profile=profile, interface=interface),
        "flags": [said(flag) for flag in model.variation_flags.order_by("kind", "figure")],
    }
    return render(request, "why/why.html", context)
