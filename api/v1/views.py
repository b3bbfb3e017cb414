"""API v1. Each view says one verb."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import Error
from api.listing.cursors import Ordering
from api.listing.filters import Filter, Rows
from api.listing.kinds import MOMENT, one_of
from api.listing.view import ListView
from api.parsers import QuestionParser, ReportParser
from api.plain import PlainPost, answered
from api.structs import reply
from api.v1 import address, answers
from api.v1.decoded import Decoded, decoded
from api.v1.schema import LOG_SCHEMA, QUESTION_SCHEMA, RECEIPT_SECRET, REPORT_SCHEMA
from submissions import tasks
from submissions.domain.identity import decode_question
from submissions.models import Submission
from submissions.visitors import visitor

_REFUSALS = {code: Error for code in (400, 413, 415)}


class SubmissionsView(PlainPost, ListView):
    """Submissions and what became of them, those received last first."""

    parser_classes = [ReportParser]
    scope = limit = "submit"
    operation_id = "submissions"
    shape = answers.Submission
    filters = (
        Filter("state", one_of(Submission.State.values), "", "state"),
        Filter("since", MOMENT, "received then or later", "received_at__gte"),
    )
    orderings = (Ordering("received_at", ("received_at", "pk")),)
    order = "-received_at"

    def rows(self, query: object, **where: str) -> Rows:
        return Submission.objects.recent()

    def answer(self, row: Submission, request: Request) -> answers.Submission:
        return answers.submission(row, request)

    @extend_schema(
        operation_id="submit",
        request={"application/json": REPORT_SCHEMA, "text/plain": LOG_SCHEMA},
        parameters=[address.LABEL, RECEIPT_SECRET],
        responses={202: answers.Receipt, 200: answers.Receipt, **_REFUSALS},
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        """Hand in a report. The answer is a receipt; working the report out follows."""
        body = ReportParser().parse(request, request.content_type)
        origin, claims = visitor.origin(request), address.claims(request.GET)
        if request.content_type == "text/plain":
            receipt = tasks.accept_text(body, claims=claims, channel="api", **origin)
        else:
            receipt = tasks.accept(body, channel="api", **origin)
        return answered(answers.receipt(receipt, request), status=202 if receipt.created else 200)


class DecodeView(APIView):
    parser_classes = [QuestionParser]
    limit = "look"

    @extend_schema(
        operation_id="decode",
        request={"application/json": QUESTION_SCHEMA},
        responses={200: Decoded, **_REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Say what registers tell: fields, maker, products, suspicions. Stores nothing."""
        asked = decode_question.parse(request.data if isinstance(request.data, bytes) else b"")
        card = decode_question.answer(asked, received_on=timezone.now().date())
        return reply(decoded(card, serial=asked.serial, explain=asked.explain))
