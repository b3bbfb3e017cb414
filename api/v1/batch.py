"""POST /api/v1/submissions/batch/: many reports at once, each taken or refused on its own."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import shape, status_of
from api.parsers import BatchParser
from api.throttling import charge
from api.v1.schema import TEXT_SCHEMA
from api.v1.serializers import ErrorBodySerializer, ErrorSerializer, ReceiptSerializer
from submissions import tasks
from submissions.domain.errors import ReportError
from submissions.visitors import visitor

MOST_LINES = 1000
_LINES = TEXT_SCHEMA | {"description": "one report per line"}


class BatchLineSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="of the body, from 1")
    status = serializers.IntegerField(help_text="what this report alone would have been answered with")
    receipt = ReceiptSerializer(required=False, help_text="of a report that was taken")
    error = ErrorBodySerializer(required=False, help_text="why a report was refused")


class BatchSerializer(serializers.Serializer[Any]):
    results = BatchLineSerializer(many=True)


class BatchView(APIView):
    parser_classes = [BatchParser]
    scope = "submit"

    @extend_schema(
        operation_id="submit_batch",
        request=dict.fromkeys(("application/jsonl", "text/plain"), _LINES),
        responses={200: BatchSerializer, 400: ErrorSerializer, 413: ErrorSerializer, 415: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Hand in up to 1000 reports, one per line. Sent again, what was there counts once."""
        origin = visitor.origin(request)
        lines = _lines(request.data if isinstance(request.data, bytes) else b"")
        charge(request, "submit", len(lines))
        return Response({"results": [_outcome(*line, origin, request) for line in lines]})


def _lines(body: bytes) -> list[tuple[int, bytes]]:
    """Numbered lines that are not blank. Raises ReportError when there is none, or too many."""
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    if not lines:
        raise ReportError("Nothing was sent. Send one report per line.", code="empty_body")
    if len(lines) > MOST_LINES:
        raise ReportError(
            f"The batch has {len(lines):,} reports; at most {MOST_LINES:,} are taken. Send it in parts.",
            code="too_large",
        )
    return lines


def _outcome(number: int, line: bytes, origin: visitor.Origin, request: Request) -> dict[str, Any]:
    try:
        receipt = tasks.accept(line.strip(), channel="api", **origin)
    except ReportError as error:
        return {"line": number, "status": status_of(error), **shape(error.code, error.detail, error.field)}
    told = ReceiptSerializer(receipt.submission, context={"request": request, "receipt": receipt})
    return {"line": number, "status": 202 if receipt.created else 200, "receipt": told.data}
