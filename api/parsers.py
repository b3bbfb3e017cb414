"""Takes a report as it comes: the bytes are kept verbatim, so nothing here reads them."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from api.errors import UnsupportedMediaType
from submissions.domain.report import MAX_BYTES, ShapeError

# `curl -d @report.json` says it sends a form; what it sends is JSON all the same.
_JSON_TYPES = ("application/json", "application/x-www-form-urlencoded", "text/json", "")


class ReportParser(BaseParser):
    """Request body -> bytes. Refuses what is too large before reading it."""

    media_type = "*/*"

    def parse(  # type: ignore[override]
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if (media_type or "").split(";")[0].strip().lower() not in _JSON_TYPES:
            raise UnsupportedMediaType
        length = int(stream.META.get("CONTENT_LENGTH") or 0)  # type: ignore[attr-defined]
        if length > MAX_BYTES:
            raise ShapeError(
                f"The report has {length:,} bytes; at most {MAX_BYTES:,} are taken. Send it in parts.",
                code="too_large",
            )
        return stream.read(MAX_BYTES + 1)
