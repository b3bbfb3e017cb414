"""Serve the pages of the sources of published results."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.evidence import credits


def sources(request: HttpRequest) -> HttpResponse:
    """Show every source of published results with the numbers of its cards and values."""
    return render(request, "submissions/sources.html", {"credits": credits.list_credits()})


def source(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one source of published results: its method and the models that it measured."""
    credit = credits.find_credit(slug)
    if credit is None:
        raise Http404
    context = {"credit": credit, "models": credits.list_models(slug)}
    return render(request, "submissions/source.html", context)
