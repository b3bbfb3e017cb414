"""Serve the page on which visitors submit reports and outputs of tools."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import urlencode

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from submissions.domain.errors import ReportError
from submissions.domain.pasting import pasted
from submissions.dumps import store
from submissions.pages.content.preview import Understanding, UnderstoodText, understand, understand_text
from submissions.pages.forms.report_form import FIRST_CARD, LabelForm, ReportForm, suggestions
from submissions.pages.views.parts import render_form
from submissions.sandbox import limited_call
from submissions.visitors import admitting, visitor
from submissions.writing import ingest

# A part of a text, with a label form if it is the first part about a further card.
ShownPart: TypeAlias = tuple[Understanding, LabelForm | None]


def submit(request: HttpRequest) -> HttpResponse:
    """Store a report or the output of a tool and redirect to its page; or show a preview, and store nothing."""
    form = ReportForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        try:
            if "look" not in request.POST:
                return _show_receipts(request, _accept(request, form))
            context |= _look(form)
            _raise_only_problem(context["parts"])
        except ReportError as error:
            if "look" not in request.POST:
                context |= _look_again(form)
            form.refuse(error)
    context |= {"suggestions": suggestions(), "site": f"{request.scheme}://{request.get_host()}"}
    context["client"] = store.newest("client")
    return render_form(request, "submissions/submit.html", context)


def _accept(request: HttpRequest, form: ReportForm) -> list[ingest.Receipt]:
    report, origin = form.read_content(), visitor.origin(request, "page")
    if pasted.looks_like_report(report):
        return [admitting.accept_report(report, **origin)]
    parts = limited_call.call(pasted.list_parts, report, claims=form.claims_of_card(""))
    # Without a part the text is refused, with the reason.
    claims = [
        msgspec.structs.replace(form.claims_of_card(card), case=line) for line, card in parts or [(0, "")]
    ]
    return admitting.accept_parts(report, claims, **origin)


def _look(form: ReportForm) -> dict[str, Any]:
    report = form.read_content()
    form.keep_file_as_text()
    if pasted.looks_like_report(report):
        return {"parts": [(understand(report), None)], "questions": ()}
    understood = understand_text(report, form.claims_of_card)
    return {"parts": list(_with_labels(form, understood)), "questions": understood.questions}


def _look_again(form: ReportForm) -> dict[str, Any]:
    # The questions about a text that was refused, with the answers so far; they would be lost otherwise.
    if pasted.looks_like_report(form.read_content()):
        return {}
    with suppress(ReportError):  # of a text that cannot be read, which the form will show
        return _look(form)
    return {}


def _raise_only_problem(parts: list[ShownPart]) -> None:
    problems = [understood.problem for understood, _ in parts]
    if len(problems) == 1 and problems[0]:
        raise problems[0]


def _with_labels(form: ReportForm, understood: UnderstoodText) -> Iterator[ShownPart]:
    shown = {"", FIRST_CARD}
    for part in understood.parts:
        is_new = part.part.card not in shown
        shown.add(part.part.card)
        yield part, form.label_form(part.part.card) if is_new else None


def _show_receipts(request: HttpRequest, receipts: list[ingest.Receipt]) -> HttpResponse:
    # The delete keys are shown only in the browser that handed them in.
    for receipt in receipts:
        if receipt.delete_key:
            request.session[receipt.submission.public_id] = receipt.delete_key
    first, *others = (receipt.submission for receipt in receipts)
    query = urlencode([("also", other.public_id) for other in others])
    return redirect(f"{first.get_absolute_url()}{'?' if query else ''}{query}")
