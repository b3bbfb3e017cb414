"""A submission: its state, and what became of it."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.vary import vary_on_headers

from submissions.domain.privacy import published_report
from submissions.domain.ranking import interfaces
from submissions.models import AuditEntry, Run, Score, Submission


@vary_on_headers("HX-Request")
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """State of a submission and what became of it; for htmx only the part that changes."""
    submission = get_object_or_404(Submission.objects.with_text(), public_id=public_id)
    context = {
        "submission": submission,
        "delete_key": request.session.get(submission.public_id),
        "audit": AuditEntry.objects.of(submission),
    }
    if submission.is_filed:
        context |= _outcome(submission.run)
    template = "submissions/_outcome.html" if request.htmx else "submissions/submission.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def text(request: HttpRequest, public_id: str) -> HttpResponse:
    """What readers may see of a pasted text, whole."""
    submission = get_object_or_404(
        Submission.objects.only("published").filter(state=Submission.State.PROCESSED).exclude(published=""),
        public_id=public_id,
    )
    return HttpResponse(submission.published, content_type="text/plain; charset=utf-8")


def report(request: HttpRequest, public_id: str) -> HttpResponse:
    """What readers may see of a report, as JSON."""
    submission = get_object_or_404(
        Submission.objects.only("body", "amendments").filter(state=Submission.State.PROCESSED),
        public_id=public_id,
    )
    document = published_report.published(bytes(submission.body), submission.amendments)
    return HttpResponse(document, content_type="application/json; charset=utf-8")


def _outcome(run: Run) -> dict[str, Any]:
    card_model = run.card.variant.card_model
    here = Q(interface=interfaces.DEFAULT)
    return {
        "run": run,
        "model": card_model,
        "standings": Score.objects.filter(here).standings(card_model, here),
        "measurements": run.measurements.count(),
    }
