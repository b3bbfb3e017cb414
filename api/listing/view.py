"""The view of a list. A list is a class with a few tables; the rest is here."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import msgspec
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fresh_view import Fresh
from api.listing import columns, filters, kinds
from api.listing.cursors import Ordering, Page, page
from api.listing.filters import Filter, Rows
from api.listing.renderers import CsvRenderer, Negotiation
from api.listing.schema import ListSchema
from submissions.domain.errors import ReportError

LIMIT = 50
MOST = 200  # of the dearest rows, 70 ms of processor; dumps hold everything
LIMITS = kinds.whole(1, MOST)


class TableView(Fresh, APIView):
    """GET a table the code knows: all rows at once."""

    renderer_classes = [JSONRenderer, CsvRenderer]
    content_negotiation_class = Negotiation
    schema = ListSchema()
    operation_id: ClassVar[str]
    shape: ClassVar[type[msgspec.Struct] | type[serializers.BaseSerializer[Any]]]
    filters: ClassVar[tuple[Filter, ...]] = ()
    orderings: ClassVar[tuple[Ordering, ...]] = ()
    everything: ClassVar[Callable[[], Iterable[Any]]]
    columns: list[str]  # of the answer as CSV

    def get(self, request: Request, **where: str) -> Response:
        query = request.query_params.dict()
        filters.refuse_unknown(query, self.parameters())
        shape: Any = self.shape
        parts = columns.parts(shape)
        paths = columns.wanted(query["fields"], parts) if "fields" in query else ()
        self.columns = columns.columns(paths, parts)
        rows, following = self.page(request, query, **where)
        if paths:
            rows = [columns.chosen(row, paths) for row in rows]
        return self._linked(request, rows, following, filters.deprecation(self.filters, query))

    def get_renderers(self) -> list[BaseRenderer]:
        """Rows are given as a table, too; a receipt is not."""
        return super().get_renderers() if self.request.method in SAFE_METHODS else [JSONRenderer()]

    @classmethod
    def parameters(cls) -> list[str]:
        """Names of every query parameter, in the order in which they are told."""
        paged = ["ordering", "cursor", "limit"] if cls.orderings else []
        return [*(row.name for row in cls.filters), *paged, "fields", "format"]

    def page(
        self, request: Request, query: Mapping[str, str], **where: str
    ) -> tuple[Iterable[Mapping[str, Any]], str | None]:
        """Rows as they are answered, and the cursor of the next page."""
        return self.shaped(self.table(request, query), request), None

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[Any]:
        """`everything`, unless the query chooses."""
        return type(self).everything()

    def shaped(self, rows: Iterable[Any], request: Request) -> Iterable[Mapping[str, Any]]:
        shape: Any = self.shape
        if issubclass(shape, msgspec.Struct):
            return msgspec.to_builtins([self.answer(row, request) for row in rows])
        return shape(rows, many=True, context={"request": request}).data

    def answer(self, row: Any, request: Request) -> msgspec.Struct:
        """A row as its struct, from attributes of the same names."""
        return msgspec.convert(row, self.shape, from_attributes=True)

    @staticmethod
    def _linked(
        request: Request, rows: Iterable[Mapping[str, Any]], following: str | None, headers: dict[str, str]
    ) -> Response:
        """`next` stands in the body, and for CSV in the header Link."""
        if following is None:
            return Response({"results": rows, "next": None}, headers=headers)
        query = request.query_params.copy()
        query["cursor"] = following
        url = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
        links = filter(None, (f'<{url}>; rel="next"', headers.get("Link")))
        return Response({"results": rows, "next": url}, headers=headers | {"Link": ", ".join(links)})


class ListView(TableView):
    """GET rows of the database: filtered, ordered, page by page. `order`: the ordering by default."""

    orderings: ClassVar[tuple[Ordering, ...]]
    order: ClassVar[str]

    def rows(self, query: Mapping[str, str], **where: str) -> Rows:
        """Every row there is, with all that its shape reads."""
        raise NotImplementedError

    def page(
        self, request: Request, query: Mapping[str, str], **where: str
    ) -> tuple[Iterable[Mapping[str, Any]], str | None]:
        rows = filters.narrowed(self.rows(query, **where), self.filters, query)
        ordering = self.ordering(query.get("ordering", self.order))
        limit = kinds.read(LIMITS, query.get("limit", str(LIMIT)), name="limit")
        cursor = query.get("cursor", "")
        listed = page(rows, ordering, cursor=cursor, limit=limit, salt=self.operation_id)
        self.finish(rows, ordering, listed, first=not cursor)
        return self.shaped(listed.rows, request), listed.following

    def finish(self, rows: Rows, ordering: Ordering, listed: Page, *, first: bool) -> None:
        """What else a shape reads, added to the rows of the page."""

    @classmethod
    def ordering(cls, text: str) -> Ordering:
        """The ordering of this name; with "-" before it, the other way round."""
        for ordering in cls.orderings:
            if text == ordering.name:
                return ordering
            if text == f"-{ordering.name}":
                return ordering.reversed()
        names = ", ".join(ordering.name for ordering in cls.orderings)
        raise ReportError(
            f"There is no ordering “{text[:60]}”; known are {names}, each also with - before it.",
            field="ordering",
            code="wrong_parameter",
        )
