"""Serve submissions, decoding and the OpenAPI document of version 1 of the API."""

from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import REFUSALS
from api.fresh_view import CachedView, StrictView
from api.listing.cursors import Ordering
from api.listing.filters import Filter
from api.listing.kinds import MOMENT, one_of
from api.listing.view import ListView
from api.parsers import QuestionParser, ReportParser, media_type_of, raw_body
from api.structs import reply
from api.v1 import answers
from api.v1.decode_answer import Decoded, build_decoded
from api.v1.openapi import (
    CLAIMS_SCHEMA,
    LOG_SCHEMA,
    LONGEST_NOTE,
    QUESTION_SCHEMA,
    RECEIPT_SECRET,
    REPORT_SCHEMA,
)
from submissions import freshness
from submissions.domain.errors import ReportError
from submissions.domain.identity import decode_question
from submissions.domain.pasting import pasted
from submissions.models import Submission
from submissions.visitors import admitting, visitor

_LABEL = OpenApiParameter(
    "label",
    CLAIMS_SCHEMA,
    style="form",
    explode=True,
    description="parameters such as ?brand=Kingston&capacity_gb=4, with the label of the card that a pasted text is"
    " about. A report has a label of its own. `answer.KEY` answers the question KEY of POST /api/v1/parse/.",
)


class SubmissionsView(ListView):
    """Submissions and their states, the newest first."""

    parser_classes = [ReportParser]
    limit = "submit"
    operation_id = "submissions"
    shape = answers.Submission
    filters = (
        Filter("state", one_of(Submission.State.values), "", "state"),
        Filter("since", MOMENT, "received at this time or later", "received_at__gte"),
    )
    orderings = (Ordering("received_at", ("received_at", "pk")),)
    order = "-received_at"
    everything = Submission.objects.recent

    def answer(self, row: Submission, request: Request) -> answers.Submission:
        return answers.submission(row, request)

    @extend_schema(
        operation_id="submit",
        request={"application/json": REPORT_SCHEMA, "text/plain": LOG_SCHEMA},
        parameters=[_LABEL, RECEIPT_SECRET],
        responses={202: answers.Receipt, 200: answers.Receipt, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Submit a report. The answer is a receipt; the report is processed later."""
        body = raw_body(request)
        origin = visitor.origin(request, "api")
        claims = _read_claims(request.query_params)
        if media_type_of(request.content_type) == "text/plain":
            (receipt,) = admitting.accept_parts(body, [claims], **origin)
        else:
            receipt = admitting.accept_report(body, **origin)
        return reply(answers.receipt(receipt, request), status=202 if receipt.created else 200)


def _read_claims(query: QueryDict) -> pasted.Claims:
    """Return the claims about a pasted text, such as its label, in the query. Raise ReportError for a wrong claim."""
    for name, values in query.lists():
        if len(values) > 1:
            raise _wrong_label(name, f"“{name[:60]}” is given {len(values)} times")
    if len(query.get("note", "")) > LONGEST_NOTE:
        raise _wrong_label(
            "note", f"A note in an address has at most {LONGEST_NOTE} letters; amend the submission"
        )
    return pasted.claims_of({name: query[name] for name in query})


def _wrong_label(name: str, detail: str) -> ReportError:
    return ReportError(f"{detail}.", field=name[:60], code="wrong_label")


class DecodeView(StrictView):
    parser_classes = [QuestionParser]
    limit = "look"

    @extend_schema(
        operation_id="decode",
        request={"application/json": QUESTION_SCHEMA},
        responses={200: Decoded, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Decode registers and return fields, maker, products and suspicions. Nothing is stored."""
        asked = decode_question.parse(raw_body(request))
        card = decode_question.answer(asked, received_on=timezone.now().date())
        return reply(build_decoded(card, serial=asked.serial, explain=asked.explain))


# Two threads must not generate the document at once, because drf-spectacular keeps state in the view classes.
_document_lock = Lock()
_documents: dict[str, str | bytes] = {}  # by format


class SchemaView(CachedView, StrictView, SpectacularAPIView):
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        renderer = request.accepted_renderer
        with _document_lock:
            if renderer.format not in _documents:
                document = super().get(request, *args, **kwargs)
                _documents[renderer.format] = renderer.render(document.data, renderer.media_type, {})
        return HttpResponse(_documents[renderer.format], content_type=renderer.media_type)

    def stamp(self, request: HttpRequest) -> str:
        """Return the release, because the document only changes with the code."""
        return freshness.release()
