"""POST /api/v1/parse/: what a text would become, before anybody sends it in."""

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import UnsupportedMediaType
from api.v1.schema import TEXT_SCHEMA
from api.v1.serializers import ErrorBodySerializer, ErrorSerializer
from submissions.domain.intake import pasted
from submissions.domain.intake.dry_run import preview
from submissions.domain.intake.lines import MAX_BYTES, TextError, decode


class TextParser(BaseParser):
    """The body as it comes, whatever type it names: what fio prints is JSON, and `curl -d` says it sends a form."""

    media_type = "*/*"

    def parse(  # type: ignore[override]
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if (media_type or "").startswith("multipart/"):
            raise UnsupportedMediaType("Send the text itself as the body: curl --data-binary @log.txt …")
        return stream.read(MAX_BYTES + 1)


class NumbersSerializer(serializers.Serializer[Any]):
    understood = serializers.IntegerField()
    not_understood = serializers.IntegerField()


class QuestionSerializer(serializers.Serializer[Any]):
    """What the text leaves open. The numbers it is about are in no measurement."""

    line = serializers.IntegerField(help_text="from 1")
    tool = serializers.CharField()
    about = serializers.CharField()
    detail = serializers.CharField()
    key = serializers.CharField(help_text="answer it with ?answer.KEY=… in the address")
    choices = serializers.DictField(
        child=serializers.CharField(),
        help_text="answers with their meaning; none where only the text can tell",
    )
    answer = serializers.CharField(allow_null=True, help_text="the answer that was given")


class LeftOverSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    text = serializers.CharField()


class ParsedSerializer(serializers.Serializer[Any]):
    """The report goes to whoever sent the text and nowhere else; it holds the registers that were in it."""

    report = serializers.DictField(allow_null=True, help_text="as POST /api/v1/submissions/ takes it")
    problem = ErrorBodySerializer(allow_null=True, help_text="why it makes no report")
    needs = serializers.ListField(
        child=serializers.CharField(), help_text="fields of the report to be filled in before it is sent"
    )
    tools = serializers.ListField(child=serializers.CharField())
    lines = serializers.IntegerField()
    numbers = NumbersSerializer()
    questions = QuestionSerializer(many=True)
    not_understood = LeftOverSerializer(many=True, help_text="the first 500 lines with such numbers")
    not_understood_lines = serializers.IntegerField(help_text="how many there are in all")


class ParseView(APIView):
    parser_classes = [TextParser]
    limit = "look"

    @extend_schema(
        operation_id="parse",
        request={"text/plain": TEXT_SCHEMA},
        responses={200: ParsedSerializer, 400: ErrorSerializer, 413: ErrorSerializer, 415: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Say what other tools' output would become as a report, and what was not understood. Stores nothing."""
        body = request.data if isinstance(request.data, bytes) else b""
        if not body.strip():
            raise TextError(
                "The request has no body. Send the text as it is.", field="text", code="empty_body"
            )
        if len(body) > MAX_BYTES:
            detail = f"The text has more than {MAX_BYTES:,} bytes; send it in parts."
            raise TextError(detail, field="text", code="too_large")
        return Response(preview(decode(body), answers=pasted.answers_in(request.query_params.dict())))
