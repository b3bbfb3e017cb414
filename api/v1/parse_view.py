"""POST /api/v1/parse/: show the report that a text would become, before it is submitted."""

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import REFUSALS, UnsupportedMediaType
from api.listing.filters import refuse_unknown
from api.parsers import raw_body
from api.structs import reply
from api.v1.openapi import TEXT_SCHEMA
from submissions.domain.intake.lines import MAX_BYTES, TextError, decode
from submissions.domain.pasting import dry_run, pasted
from submissions.sandbox import limited_call


class TextParser(BaseParser):
    """A parser that accepts any Content-Type, because the output of fio is JSON, and `curl -d` declares a form."""

    media_type = "*/*"

    def parse(  # type: ignore[override]
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if (media_type or "").startswith("multipart/"):
            raise UnsupportedMediaType("Send the text itself as the body: curl --data-binary @log.txt …")
        return stream.read(MAX_BYTES + 1)


class ParseView(APIView):
    parser_classes = [TextParser]
    limit = "look"

    @extend_schema(
        operation_id="parse",
        request={"text/plain": TEXT_SCHEMA},
        responses={200: dry_run.Preview, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Show the reports that would be made of another tool's output, and store nothing."""
        refuse_unknown((name for name in request.query_params if not name.startswith("answer.")), ["format"])
        body = raw_body(request)
        if not body.strip():
            raise TextError(
                "The request has no body. Send the text as it is.", field="text", code="empty_body"
            )
        if len(body) > MAX_BYTES:
            detail = f"The text has more than {MAX_BYTES:,} bytes. Send it in parts."
            raise TextError(detail, field="text", code="too_large")
        answers = pasted.answers_in(request.query_params.dict())
        return reply(limited_call.call(dry_run.preview, decode(body), answers=answers))
