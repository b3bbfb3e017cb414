"""Serve the page that compares models."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.ranking import boards, uses
from submissions.evidence.questions import read_question
from submissions.models import CardModel
from submissions.pages.content import comparing
from submissions.pages.forms.finder_form import FinderForm

MOST_OFFERED = 12


def compare(request: HttpRequest) -> HttpResponse:
    """Compare two to six models (?m=slug&m=slug) for a board and a use; `add` searches for one more."""
    wish = FinderForm(request.GET).wish()
    slugs = list(dict.fromkeys(request.GET.getlist("m")))
    by_slug = CardModel.objects.by_slug(slugs[: comparing.MOST])
    models = [by_slug[slug] for slug in slugs if slug in by_slug]
    words = request.GET.get("add", "").strip()[:100]
    context = {
        "wish": wish,
        "boards": boards.all_boards().values(),
        "uses": uses.all_uses().values(),
        "models": models,
        "left_out": [slug for slug in slugs if slug not in by_slug],
        "comparison": comparing.compare(models, wish) if models else None,
        "words": words,
        "found": CardModel.objects.real()
        .matching(read_question(words).words or words)
        .exclude(slug__in=slugs)
        .order_by("name")[:MOST_OFFERED]
        if words
        else [],
        "is_full": len(models) >= comparing.MOST,
    }
    return render(request, "submissions/compare.html", context)
