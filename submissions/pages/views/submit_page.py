"""Handing in a report, or what another tool printed."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from submissions.domain.pasting import pasted
from submissions.pages.content.preview import Understanding, understand, understand_text
from submissions.pages.forms.report_form import ReportForm, suggestions
from submissions.pages.views.parts import render_form
from submissions.visitors import admitting, visitor
from submissions.writing import ingest


def submit(request: HttpRequest) -> HttpResponse:
    """Take a report, or what another tool printed; the receipt is the submission's page. Shown first, if asked."""
    form = ReportForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        with form.refusals():
            if "look" not in request.POST:
                return _receipt(request, _accept(request, form))
            context["understood"] = _look(form)
    context |= {"suggestions": suggestions(), "site": f"{request.scheme}://{request.get_host()}"}
    return render_form(request, "submissions/submit.html", context)


def _accept(request: HttpRequest, form: ReportForm) -> ingest.Receipt:
    report, origin = form.handed_in(), visitor.origin(request)
    if pasted.looks_like_report(report):
        return admitting.accept_report(report, channel="page", **origin)
    return admitting.accept_text(report, claims=form.claims(), channel="page", **origin)


def _look(form: ReportForm) -> Understanding:
    report = form.handed_in()
    form.keep_file_as_text()
    if pasted.looks_like_report(report):
        return understand(report)
    understood = understand_text(report, form.claims())
    if understood.problem:
        form.refuse(understood.problem)
    return understood


def _receipt(request: HttpRequest, receipt: ingest.Receipt) -> HttpResponse:
    """The page of the submission; the delete key is shown there in the browser that handed it in only."""
    if receipt.delete_key:
        request.session[receipt.submission.public_id] = receipt.delete_key
    return redirect(receipt.submission)
