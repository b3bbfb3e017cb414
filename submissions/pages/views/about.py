"""Pages about the site: about, tour, statistics, newest submissions, privacy, methods, and robots.txt."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from submissions.domain import tables
from submissions.domain.geometry import QUANTITIES
from submissions.domain.identity.suspicions.rules import all_rules
from submissions.domain.judgement import composite, differences, estimates
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.measuring import metrics
from submissions.domain.privacy.published_text import KINDS
from submissions.domain.ranking import interfaces, scores
from submissions.models import Submission
from submissions.pages.content import census, guide
from submissions.pages.content.methods import figures, formula, parameters, rules, weights

SUBMISSIONS_PER_PAGE = 50


def about(request: HttpRequest) -> HttpResponse:
    return render(request, "submissions/about.html")


def tour(request: HttpRequest) -> HttpResponse:
    """What one real card tells, step by step."""
    return render(request, "submissions/tour.html", guide.tour())


def statistics(request: HttpRequest) -> HttpResponse:
    """How much is known."""
    return render(request, "submissions/statistics.html", census.numbers())


def recent(request: HttpRequest) -> HttpResponse:
    """Every submission, newest first."""
    page = Paginator(Submission.objects.recent(), SUBMISSIONS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "submissions/recent.html", {"page": page, "query": ""})


def privacy(request: HttpRequest) -> HttpResponse:
    """The kinds come from the table that removes them, the days from the settings."""
    context = {
        "kinds": list(dict.fromkeys(kind.name for kind in KINDS)),
        "session_days": settings.SESSION_COOKIE_AGE // 86_400,
    }
    return render(request, "submissions/privacy.html", context)


def methods(request: HttpRequest) -> HttpResponse:
    """Formulas with the numbers they are used with, all read from the code's own tables."""
    context = {
        "figures": figures(),
        "metrics": metrics.METRICS.values(),
        "rules": rules(),
        "interfaces": interfaces.all_interfaces().values(),
        "modes": tables.rows("bus_modes"),
        "estimate": formula(estimates),
        "composite": formula(composite),
        "difference": formula(differences),
        "weights": weights(),
        "quantities": [metrics.METRICS[name].title for name in QUANTITIES],
        "identity_rules": len(all_rules()),
        "states": scores,
        "given": DEFAULTS,
        "parameters": parameters(),
    }
    return render(request, "methods/methods.html", context)


def robots(request: HttpRequest) -> HttpResponse:
    """Everything may be read but what has no end: searches and comparisons."""
    lines = [
        "User-agent: *",
        f"Disallow: {reverse('compare')}",
        "Disallow: /*?q=",
        "Disallow: /admin/",
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain")
