"""Define base classes of list views: a subclass only declares tables of filters, orderings and fields."""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, ClassVar

import msgspec
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from api.fresh_view import CachedView
from api.listing import filters, kinds, row_columns
from api.listing.cursors import Ordering, read_page
from api.listing.filters import Filter, Query
from api.listing.list_schema import ListSchema
from api.listing.renderers import CsvRenderer, Negotiation
from api.listing.row_columns import Row
from submissions.domain.errors import ReportError

LIMIT = 50
MOST = 200  # takes 70 ms of processor time for the slowest list; dumps have all rows
LIMITS = kinds.whole_number(1, MOST)


class TableView(CachedView):
    """A view of a list that is no queryset, with all rows on one page."""

    renderer_classes = [JSONRenderer, CsvRenderer]
    content_negotiation_class = Negotiation
    schema = ListSchema()
    operation_id: ClassVar[str]
    shape: ClassVar[type[msgspec.Struct] | type[serializers.BaseSerializer[Any]]]
    filters: ClassVar[tuple[Filter, ...]] = ()
    orderings: ClassVar[tuple[Ordering, ...]] = ()
    deprecated: ClassVar[date | None] = None  # the day since when visitors should use another address
    everything: ClassVar[Callable[[], Iterable[Any]]]
    columns: list[str]  # of the answer as CSV

    def get(self, request: Request) -> Response:
        query = request.query_params.dict()
        filters.refuse_unknown(query, self.parameters())
        shape: Any = self.shape
        parts = row_columns.find_parts(shape)
        paths = row_columns.parse_fields(query["fields"], parts) if "fields" in query else ()
        self.columns = row_columns.list_columns(paths, parts)
        rows, following = self.page(request, query)
        if paths:
            rows = [row_columns.pick_fields(row, paths) for row in rows]
        headers = filters.deprecation_headers(self.filters, query, since=self.deprecated)
        return self._respond(request, rows, following, headers)

    def get_renderers(self) -> list[BaseRenderer]:
        """Return all renderers (JSON, CSV) if the request reads, but only JSON if it writes."""
        return super().get_renderers() if self.request.method in SAFE_METHODS else [JSONRenderer()]

    @classmethod
    def parameters(cls) -> list[str]:
        """Return the names of all query parameters of this view, in the order of the documentation."""
        paged = ["ordering", "cursor", "limit"] if cls.orderings else []
        return [*(row.name for row in cls.filters), *paged, "fields", "format"]

    def page(self, request: Request, query: Query) -> tuple[Iterable[Row], str | None]:
        """Return the rows of the response, and the cursor of the next page or None."""
        return self.shape_rows(self.table(request, query), request), None

    def table(self, request: Request, query: Query) -> Any:
        """Return the rows of the list: those of `everything`, unless a subclass makes them depend on the query."""
        return type(self).everything()

    def shape_rows(self, rows: Iterable[Any], request: Request) -> Iterable[Row]:
        shape: Any = self.shape
        if issubclass(shape, msgspec.Struct):
            return msgspec.to_builtins([self.answer(row, request) for row in rows])
        return shape(rows, many=True, context={"request": request}).data

    def answer(self, row: Any, request: Request) -> msgspec.Struct:
        """Return the struct of a row in the response, made of the row's attributes of the same names."""
        return msgspec.convert(row, self.shape, from_attributes=True)

    @staticmethod
    def _respond(
        request: Request, rows: Iterable[Row], following: str | None, headers: dict[str, str]
    ) -> Response:
        # The header Link is for CSV, which has no place for `next`.
        if following is None:
            return Response({"results": rows, "next": None}, headers=headers)
        query = request.query_params.copy()
        query["cursor"] = following
        url = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
        links = filter(None, (f'<{url}>; rel="next"', headers.get("Link")))
        return Response({"results": rows, "next": url}, headers=headers | {"Link": ", ".join(links)})


class ListView(TableView):
    """A view of the rows of a queryset: filtered, ordered, page by page. `order` is the default ordering.

    The method `table` returns a queryset that loads all relations that `shape` needs.
    """

    orderings: ClassVar[tuple[Ordering, ...]]
    order: ClassVar[str]

    def page(self, request: Request, query: Query) -> tuple[Iterable[Row], str | None]:
        rows = filters.filter_rows(self.table(request, query), self.filters, query)
        ordering = self.ordering(query.get("ordering", self.order))
        limit = kinds.read(LIMITS, query.get("limit", str(LIMIT)), name="limit")
        listed, following = read_page(
            rows, ordering, cursor=query.get("cursor", ""), limit=limit, salt=self.operation_id
        )
        return self.shape_rows(listed, request), following

    @classmethod
    def ordering(cls, text: str) -> Ordering:
        """Return the ordering of this name, reversed if the name begins with "-". Raise ReportError if unknown."""
        for ordering in cls.orderings:
            if text == ordering.name:
                return ordering
            if text == f"-{ordering.name}":
                return ordering.reverse()
        names = ", ".join(ordering.name for ordering in cls.orderings)
        raise ReportError(
            f"There is no ordering “{text[:60]}”. Use one of {names}, or put - before it to reverse it.",
            field="ordering",
            code="wrong_parameter",
        )
