"""Pages about the site: who and why, a tour on a real card, the database in numbers, what came in, and for robots."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from submissions.models import Submission
from submissions.pages.content import census, guide

PER_PAGE = 50


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
    page = Paginator(Submission.objects.recent(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "submissions/recent.html", {"page": page, "query": ""})


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
