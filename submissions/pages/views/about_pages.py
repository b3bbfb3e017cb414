"""Serve pages about the site: tour, glossary, statistics, newest submissions, privacy, methods, llms.txt and others."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from submissions.domain import estimation, tables
from submissions.domain.estimation import learn, people, variation
from submissions.domain.estimation.parameters import DEFAULTS
from submissions.domain.geometry import QUANTITIES
from submissions.domain.identity.suspicions.rules import all_rules
from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces, order, uses
from submissions.evidence import census
from submissions.models import Run, Submission
from submissions.pages.content import contact, glossary, register_rows
from submissions.pages.content.figure_tables import draw_tables
from submissions.pages.content.methods import formula, list_abilities, rules

SUBMISSIONS_PER_PAGE = 50
_SECURITY_TXT_DAYS = 180
# The product name of Andrew Bradford's card ("Flashbenching"), part of the starter data.
_EXAMPLE = "SA04G"


def tour(request: HttpRequest) -> HttpResponse:
    """Show a tour: the results of one real card, step by step; two queries."""
    run = Run.objects.example(_EXAMPLE)
    if run is None:
        return render(request, "submissions/tour.html")
    pictures, _rest = draw_tables(run.measurements.order_by("position"))
    context = {
        "run": run,
        "model": run.card.variant.card_model,
        "portraits": register_rows.explain_report(bytes(run.submission.body)),
        "plots": [plot for plot, _table in pictures[:3]],
    }
    return render(request, "submissions/tour.html", context)


def words(request: HttpRequest) -> HttpResponse:
    """Show the glossary."""
    return render(request, "submissions/glossary.html", {"words": glossary.list_words()})


def statistics(request: HttpRequest) -> HttpResponse:
    """Show statistics: numbers of runs, cards and models at the last full fit, or now before the first fit."""
    fit = census.load_fit_with_census()
    context = {
        "counted_at": fit.made_at if fit else None,
        "counted": fit.census if fit else census.count_all(),
    }
    return render(request, "submissions/statistics.html", context)


def recent(request: HttpRequest) -> HttpResponse:
    """Show submissions, the newest first; with ?before=ID, only those received before that submission."""
    rows = Submission.objects.recent().received_before(request.GET.get("before", ""))
    shown = list(rows[: SUBMISSIONS_PER_PAGE + 1])
    last = shown[SUBMISSIONS_PER_PAGE - 1] if len(shown) > SUBMISSIONS_PER_PAGE else None
    context = {"submissions": shown[:SUBMISSIONS_PER_PAGE], "last": last}
    return render(request, "submissions/recent.html", context)


def privacy(request: HttpRequest) -> HttpResponse:
    """Show the page about privacy, with the lifetimes of cookies from the settings, and the contact."""
    context = {
        "session_days": settings.SESSION_COOKIE_AGE // 86_400,
        "form_days": settings.CSRF_COOKIE_AGE // 86_400,
        "contact": contact.contact_address(),
    }
    return render(request, "submissions/privacy.html", context)


def security(request: HttpRequest) -> HttpResponse:
    """Show security.txt (RFC 9116): the contact for security problems, valid for 180 days from each request."""
    if not (address := contact.security_address()):
        raise Http404
    expires = timezone.now().replace(microsecond=0) + timedelta(days=_SECURITY_TXT_DAYS)
    context = {"contact": address, "expires": expires.isoformat()}
    return render(request, "submissions/security.txt", context, content_type="text/plain; charset=utf-8")


def methods(request: HttpRequest) -> HttpResponse:
    """Show the methods: formulas and numbers, from the docstrings and tables of the code itself."""
    context = {
        "abilities": list_abilities(),
        "metrics": metrics.METRICS.values(),
        "rules": rules(),
        "interfaces": interfaces.all_interfaces().values(),
        "modes": tables.rows("bus_modes"),
        "model": formula(estimation),
        "spreads": formula(learn),
        "record": formula(people),
        "order": formula(order),
        "difference": formula(variation),
        "uses": uses.all_uses().values(),
        "quantities": [metrics.METRICS[name].title for name in QUANTITIES],
        "identity_rules": len(all_rules()),
        "variation": variation,
        "given": DEFAULTS,
    }
    return render(request, "methods/methods.html", context)


def llms(request: HttpRequest) -> HttpResponse:
    """Show llms.txt, which lists URLs that answer questions, for language models and other programs."""
    context = {
        "root": request.build_absolute_uri("/").rstrip("/"),
        "best": [
            (board, use)
            for board in boards.all_boards().values()
            for use in uses.uses_in(board.interface).values()
        ],
    }
    return render(request, "submissions/llms.txt", context, content_type="text/plain; charset=utf-8")
