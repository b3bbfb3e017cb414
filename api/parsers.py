"""Define parsers of DRF that return the request body as bytes, because a report is stored verbatim."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from api.errors import UnsupportedMediaType
from submissions.domain import amendment, json_shape, report
from submissions.domain.identity import decode_question

# `curl -d @report.json` declares JSON as a form.
_JSON_TYPES = ("application/json", "application/x-www-form-urlencoded", "text/json", "")


def media_type_of(header: str | None) -> str:
    """Return the media type of a Content-Type header, without its parameters."""
    return (header or "").split(";")[0].strip().lower()


def raw_body(request: Request) -> bytes:
    """Return the body as it was sent; b"" for an empty body, which DRF passes to no parser."""
    return request.data if isinstance(request.data, bytes) else b""


class JsonBytesParser(BaseParser):
    """A parser that returns the request body as bytes, and refuses a body that is too large before reading it."""

    media_type = "*/*"
    media_types: tuple[str, ...] = _JSON_TYPES
    noun = "body"
    most_bytes = 0

    def parse(  # type: ignore[override]
        self,
        stream: HttpRequest,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if media_type_of(media_type) not in self.media_types:
            raise UnsupportedMediaType(f"Send the {self.noun} as JSON (Content-Type: application/json).")
        length = int(stream.META.get("CONTENT_LENGTH") or 0)
        if length > self.most_bytes:
            raise json_shape.ShapeError(
                f"The {self.noun} has {length:,} bytes, but the limit is {self.most_bytes:,}. Send it in parts.",
                code="too_large",
            )
        return stream.read(self.most_bytes + 1)


class ReportParser(JsonBytesParser):
    """A parser for a report as JSON, or the output of another tool as text/plain."""

    media_types = (*_JSON_TYPES, "text/plain")
    noun = "report"
    most_bytes = report.MAX_BYTES


class BatchParser(JsonBytesParser):
    """A parser for reports as JSON Lines."""

    media_types = ("application/jsonl", "application/x-ndjson", "text/plain", *_JSON_TYPES)
    noun = "batch"
    most_bytes = 2 * report.MAX_BYTES


class AmendmentParser(JsonBytesParser):
    noun = "amendment"
    most_bytes = amendment.MAX_BYTES


class QuestionParser(JsonBytesParser):
    noun = "question"
    most_bytes = decode_question.MAX_BYTES
