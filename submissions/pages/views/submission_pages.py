"""Serve the pages of a submission: its state and result, its pasted text, its report."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from submissions.domain.intake.cases import MOST_CASES
from submissions.domain.privacy import published_report
from submissions.models import AuditEntry, Run, Submission
from submissions.pages.content import finding_lines, receipt
from submissions.pages.views.parts import is_part, varies


@varies
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the state and the result of a submission; for htmx only the part of the page that changes."""
    submission = get_object_or_404(Submission.objects.with_text(), public_id=public_id)
    context = {
        "submission": submission,
        "delete_key": request.session.get(submission.public_id),
        "audit": AuditEntry.objects.of(submission),
        "others": Submission.objects.filter(public_id__in=request.GET.getlist("also")[:MOST_CASES]),
    }
    if submission.is_filed:
        context |= _outcome(submission.run, request.build_absolute_uri(submission.get_absolute_url()))
    template = "submissions/_outcome.html" if is_part(request) else "submissions/submission.html"
    return render(request, template, context)


def text(request: HttpRequest, public_id: str) -> HttpResponse:
    """Send the whole pasted text of a submission, without private parts."""
    submission = get_object_or_404(
        Submission.objects.only("published").filter(state=Submission.State.PROCESSED).exclude(published=""),
        public_id=public_id,
    )
    return HttpResponse(submission.published, content_type="text/plain; charset=utf-8")


def report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Send the report of a submission as JSON, without private parts."""
    submission = get_object_or_404(
        Submission.objects.only("body", "amendments", "channel").filter(state=Submission.State.PROCESSED),
        public_id=public_id,
    )
    document = published_report.format_public_report(
        bytes(submission.body), submission.amendments, taken_over=submission.is_taken_over
    )
    return HttpResponse(document, content_type="application/json; charset=utf-8")


def _outcome(run: Run, address: str) -> dict[str, Any]:
    why_unranked, model = run.why_unranked, run.card.variant.card_model
    board = receipt.find_board(run.host)
    advice, findings = receipt.list_advice(model, board), finding_lines.list_findings(run.findings)
    return {
        "run": run,
        "findings": findings,
        "why_unranked": why_unranked,
        "model": model,
        "board": board,
        "standings": []
        if why_unranked
        else [receipt.describe_standing(one) for one in advice if one.leading],
        "siblings": [] if why_unranked else list(receipt.list_siblings(run, advice[0])),
        "forum": receipt.write_forum_texts(run, findings[:1], advice[0], address).items(),
        "measurements": run.measurements.count(),
    }
