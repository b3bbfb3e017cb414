"""A model, and one specimen of it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from submissions import drawing, presentation
from submissions.domain import geometry, profiles
from submissions.models import Card, CardModel, Geometry, Measurement, Run


def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything about one model: scores, variants, figures and the runs behind them. Old addresses lead on."""
    card_model = CardModel.objects.with_variants().filter(slug=slug).first()
    if card_model is None:
        return _moved(slug)
    runs = Run.objects.of_model(card_model)
    context = {
        "model": card_model,
        "scores": card_model.scores.order_by("interface", "profile"),
        "profiles": profiles.all_profiles(),
        "runs": runs,
        "doubts": presentation.doubts(runs),
        "figures": Measurement.objects.figures_of(card_model),
        "inside": geometry.consensus(one.reading for one in Geometry.objects.of_model(card_model)),
    }
    return render(request, "submissions/model.html", context)


def card(request: HttpRequest, key: str) -> HttpResponse:
    """One specimen: its registers, every run of it, and what has changed from one to the next."""
    specimen = get_object_or_404(Card.objects.select_related("variant__card_model"), key=key)
    figures = list(Measurement.objects.figures_of_card(specimen))
    context = {
        "card": specimen,
        "model": specimen.variant.card_model,
        "runs": Run.objects.of_card(specimen),
        "figures": figures,
        "plots": drawing.ageing(figures),
    }
    return render(request, "submissions/card.html", context)


def _moved(slug: str) -> HttpResponse:
    """The page to which the cards of a vanished model have gone."""
    successor = CardModel.objects.successor(slug)
    if successor is None:
        raise Http404
    return redirect(successor, permanent=True)
