"""Who measured what: the sources of published results, the credit they deserve and the check they need."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.evidence import credits


def sources(request: HttpRequest) -> HttpResponse:
    """Every source with how many cards and values it brought."""
    return render(request, "submissions/sources.html", {"credits": credits.all_credits()})


def source(request: HttpRequest, slug: str) -> HttpResponse:
    """One source: its method, its cards, and how far it agrees with everybody else."""
    found = credits.of_source(slug)
    if found is None:
        raise Http404
    context = {
        "credit": found.credit,
        "models": credits.models_of(slug),
        "agreement": found.agreement,
    }
    return render(request, "submissions/source.html", context)
