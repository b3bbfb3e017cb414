"""The first page: models ranked for a purpose."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from submissions.domain import metrics
from submissions.forms.finder import FinderForm
from submissions.models import Score, Submission

RECENT = 8


@vary_on_headers("HX-Request")
def finder(request: HttpRequest) -> HttpResponse:
    """Models ranked for a purpose; the same page and, for htmx, only its ranking."""
    form = FinderForm(request.GET)
    wanted = form.wanted()
    context = {
        "form": form,
        "profile": wanted.profile,
        "figures": metrics.FIGURES,
        "scores": Score.objects.ranking(profile=wanted.profile.name, interface=wanted.interface).matching(
            wanted.words
        ),
        "simulated": Score.objects.ranking(
            profile=wanted.profile.name, interface=wanted.interface, simulated=True
        ),
        "recent": Submission.objects.recent()[:RECENT],
    }
    template = "submissions/_ranking.html" if request.htmx else "submissions/finder.html"  # type: ignore[attr-defined]
    return render(request, template, context)
