"""A submission: its state, and what became of it."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from submissions.domain.privacy import published_report
from submissions.domain.ranking import interfaces, uses
from submissions.models import AuditEntry, Run, Score, Submission
from submissions.pages.content import receipt
from submissions.pages.views.parts import is_part, varies


@varies
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """State of a submission and what became of it; for htmx only the part that changes."""
    submission = get_object_or_404(Submission.objects.with_text(), public_id=public_id)
    context = {
        "submission": submission,
        "delete_key": request.session.get(submission.public_id),
        "audit": AuditEntry.objects.of(submission),
    }
    if submission.is_filed:
        context |= _outcome(submission.run, request.build_absolute_uri(submission.get_absolute_url()))
    template = "submissions/_outcome.html" if is_part(request) else "submissions/submission.html"
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
        Submission.objects.only("body", "amendments", "channel").filter(state=Submission.State.PROCESSED),
        public_id=public_id,
    )
    document = published_report.published(
        bytes(submission.body), submission.amendments, taken_over=submission.is_taken_over
    )
    return HttpResponse(document, content_type="application/json; charset=utf-8")


def _outcome(run: Run, address: str) -> dict[str, Any]:
    why_unranked = run.why_unranked
    standings = [] if why_unranked else _standings(run)
    first = next((score for score in standings if score.profile == uses.DEFAULT), None)
    return {
        "run": run,
        "why_unranked": why_unranked,
        "model": run.card.variant.card_model,
        "standings": standings,
        "siblings": list(receipt.siblings(run, first)),
        "forum": receipt.forum(run, first, address).items(),
        "measurements": run.measurements.count(),
    }


def _standings(run: Run) -> list[Score]:
    """Where its model stands in the slot that pages take unless asked for another."""
    scores = Score.objects.standings(run.card.variant.card_model, Q(interface=interfaces.DEFAULT))
    return [score for score in scores if score.interface == interfaces.DEFAULT]
