"""Handing in a report, or what another tool printed."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from submissions.domain.pasting import pasted
from submissions.pages.content.preview import Understanding, UnderstoodText, understand, understand_text
from submissions.pages.forms.report_form import FIRST_CARD, LabelForm, ReportForm, suggestions
from submissions.pages.views.parts import render_form
from submissions.sandbox import limited_call
from submissions.visitors import admitting, visitor
from submissions.writing import ingest


def submit(request: HttpRequest) -> HttpResponse:
    """Take a report, or what another tool printed; the receipt is the submission's page. Shown first, if asked."""
    form = ReportForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        with form.refusals():
            if "look" not in request.POST:
                return _show_receipts(request, _accept(request, form))
            context |= _look(form)
    context |= {"suggestions": suggestions(), "site": f"{request.scheme}://{request.get_host()}"}
    return render_form(request, "submissions/submit.html", context)


def _accept(request: HttpRequest, form: ReportForm) -> list[ingest.Receipt]:
    report, origin = form.handed_in(), visitor.origin(request)
    if pasted.looks_like_report(report):
        return [admitting.accept_report(report, channel="page", **origin)]
    parts = limited_call.call(pasted.list_parts, report, claims=form.claims_of_card(""))
    # Without a part the text is refused, with the reason.
    claims = [_claims_of_part(form, line, card) for line, card in parts or [(0, "")]]
    for one in claims if len(claims) > 1 else ():
        limited_call.call(pasted.take, report, claims=one)  # all of them are accepted, or none
    return [admitting.accept_text(report, claims=one, channel="page", **origin) for one in claims]


def _claims_of_part(form: ReportForm, line: int, card: str) -> pasted.Claims:
    return msgspec.structs.replace(form.claims_of_card(card), case=line)


def _look(form: ReportForm) -> dict[str, Any]:
    report = form.handed_in()
    form.keep_file_as_text()
    if pasted.looks_like_report(report):
        return {"parts": [(understand(report), None)], "questions": ()}
    understood = understand_text(report, form.claims_of_card)
    if len(understood.parts) == 1 and (problem := understood.parts[0].problem):
        form.refuse(problem)
    return {"parts": list(_with_labels(form, understood)), "questions": understood.questions}


def _with_labels(
    form: ReportForm, understood: UnderstoodText
) -> Iterator[tuple[Understanding, LabelForm | None]]:
    """Yield each part, with a label form where it is the first of a card that the main form is not about."""
    shown = {"", FIRST_CARD}
    for part in understood.parts:
        is_new = part.part.card not in shown
        shown.add(part.part.card)
        yield part, form.label_form(part.part.card) if is_new else None


def _show_receipts(request: HttpRequest, receipts: list[ingest.Receipt]) -> HttpResponse:
    """The page of the first submission; the delete keys are shown in the browser that handed them in only."""
    for receipt in receipts:
        if receipt.delete_key:
            request.session[receipt.submission.public_id] = receipt.delete_key
    first, *others = (receipt.submission for receipt in receipts)
    query = urlencode([("also", other.public_id) for other in others])
    return redirect(f"{first.get_absolute_url()}{'?' if query else ''}{query}")
