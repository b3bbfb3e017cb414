"""Render lists as CSV for clients that ask for it. Errors are always JSON."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from api.listing.row_columns import value_at
from submissions.domain.errors import ReportError

# A spreadsheet would take a text with such a beginning for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Negotiation(DefaultContentNegotiation):
    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer that the Accept header of a GET request asks for, but for other methods that of JSON."""
        if request.method in SAFE_METHODS:
            return super().select_renderer(request, renderers, format_suffix)
        json_renderer = next(iter(renderers))
        return json_renderer, str(json_renderer.media_type)

    def filter_renderers(self, renderers: Iterable[BaseRenderer], format: str) -> list[BaseRenderer]:
        offered = list(renderers)
        matching = [renderer for renderer in offered if renderer.format == format]
        if not matching:
            formats = ", ".join(str(renderer.format) for renderer in offered)
            raise ReportError(
                f"There is no format “{format[:60]}” here. Use one of {formats}.",
                field="format",
                code="wrong_parameter",
            )
        return matching


class CsvRenderer(BaseRenderer):
    """A renderer that writes a page of a list as CSV, with the view's columns; lists and objects in cells are JSON."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        columns = (renderer_context or {})["view"].columns
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(value_at(row, column)) for column in columns] for row in data["results"])
        return table.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | tuple) else value
