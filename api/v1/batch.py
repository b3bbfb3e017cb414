"""Accept batches of reports to store, or of registers to decode: one per line, each accepted or refused by itself."""

from datetime import date
from typing import Annotated, Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from msgspec.json import encode
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import REFUSALS, ErrorBody, http_status
from api.fresh_view import StrictView
from api.parsers import BatchParser, raw_body
from api.structs import reply
from api.throttling import count_batch
from api.v1 import answers
from api.v1.decode_answer import Decoded, build_decoded
from api.v1.openapi import RECEIPT_SECRET, TEXT_SCHEMA
from submissions.domain.errors import ReportError
from submissions.domain.identity import decode_question
from submissions.visitors import admitting, visitor
from submissions.writing.ingest import Receipt

MOST_LINES = 1000
_LINES = TEXT_SCHEMA | {"description": "one report per line"}
_CIDS = TEXT_SCHEMA | {"description": "one CID in hex per line, or one question"}
# So many lines count as one request: a line takes 0.1 ms, a request with a single one 5 ms.
_LINES_FOR_ONE = 50


class BatchLine(Struct, frozen=True, kw_only=True):
    line: Annotated[int, Meta(description="number of the line in the body, from 1")]
    status: Annotated[int, Meta(description="HTTP status that this report would have got on its own")]
    error: Annotated[ErrorBody | UnsetType, Meta(description="why a report was refused")] = UNSET
    receipt: Annotated[answers.Receipt | UnsetType, Meta(description="receipt of an accepted report")] = UNSET


class Batch(Struct, frozen=True):
    results: list[BatchLine]


class BatchView(StrictView):
    parser_classes = [BatchParser]

    @extend_schema(
        operation_id="submit_batch",
        parameters=[RECEIPT_SECRET],
        request=dict.fromkeys(("application/jsonl", "text/plain"), _LINES),
        responses={200: Batch, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Submit up to 1000 reports, one per line. A duplicate is not stored again."""
        lines = _split_lines(raw_body(request))
        origin = visitor.origin(request, "api")
        count_batch(request, "submit", len(lines))
        numbers, bodies = zip(*lines, strict=True)
        outcomes = admitting.accept_batch(bodies, **origin)
        return reply(
            Batch([_describe_outcome(*pair, request) for pair in zip(numbers, outcomes, strict=True)])
        )


class DecodedLine(Struct, frozen=True, kw_only=True):
    line: Annotated[int, Meta(description="number of the line in the body, from 1")]
    error: Annotated[ErrorBody | UnsetType, Meta(description="why the line was refused")] = UNSET
    card: Annotated[Decoded | UnsetType, Meta(description="contents of the registers")] = UNSET


class DecodedBatch(Struct, frozen=True):
    results: list[DecodedLine]


class DecodeBatchView(StrictView):
    parser_classes = [BatchParser]
    limit = "look"

    @extend_schema(
        operation_id="decode_batch",
        request=dict.fromkeys(("text/plain", "application/jsonl"), _CIDS),
        responses={200: DecodedBatch, **REFUSALS},
    )
    def post(self, request: Request) -> HttpResponse:
        """Decode up to 1000 lines, each a CID or a request to decode registers as JSON, and store nothing."""
        lines = _split_lines(raw_body(request))
        count_batch(request, "look", len(lines) // _LINES_FOR_ONE)
        today = timezone.now().date()
        # Encode one by one, because a thousand objects at a time would keep the garbage collector busy.
        encoded: Any = [Raw(encode(_decode_line(*line, today))) for line in lines]
        return HttpResponse(encode(DecodedBatch(encoded)), content_type="application/json")


def _decode_line(number: int, line: bytes, today: date) -> DecodedLine:
    # A line that is not JSON is a CID.
    body = line if line.startswith(b"{") else encode({"cid": line.decode(errors="replace").strip()})
    try:
        asked = decode_question.parse(body)
        card = build_decoded(
            decode_question.answer(asked, received_on=today), serial=asked.serial, explain=asked.explain
        )
    except ReportError as error:
        return DecodedLine(line=number, error=ErrorBody(error.code, error.detail, error.field))
    return DecodedLine(line=number, card=card)


def _split_lines(body: bytes) -> list[tuple[int, bytes]]:
    """Return the lines that are not blank, numbered from 1. Raise ReportError for no line, or too many."""
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    if not lines:
        raise ReportError("The request has no body. Send one per line.", code="empty_body")
    if len(lines) > MOST_LINES:
        raise ReportError(
            f"The batch has {len(lines):,} lines, but the limit is {MOST_LINES:,}. Send it in parts.",
            code="too_large",
        )
    return lines


def _describe_outcome(number: int, outcome: Receipt | ReportError, request: Request) -> BatchLine:
    if isinstance(outcome, ReportError):
        reason = ErrorBody(outcome.code, outcome.detail, outcome.field)
        return BatchLine(line=number, status=http_status(outcome), error=reason)
    status = 202 if outcome.created else 200
    return BatchLine(line=number, status=status, receipt=answers.receipt(outcome, request))
