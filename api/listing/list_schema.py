"""Describe list views in the OpenAPI document by the filters, orderings and fields that the views declare."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiParameter

from api.errors import Error
from api.listing import row_columns
from api.listing.filters import Filter


def describe_filter(row: Filter) -> OpenApiParameter:
    """Return the description of a filter as a query parameter."""
    return OpenApiParameter(
        row.name,
        row.kind.openapi,
        description=row.meaning,
        required=row.required,
        deprecated=row.deprecated is not None,
    )


class ListSchema(AutoSchema):
    """Schema of drf-spectacular that describes GET of a TableView by its filters, orderings and fields.

    Other methods are described by `extend_schema`.
    """

    view: Any

    def get_operation_id(self) -> str:
        return str(self.view.operation_id) if self.method == "GET" else super().get_operation_id()

    def is_deprecated(self) -> bool:
        return self.view.deprecated is not None

    def get_override_parameters(self) -> list[Any]:
        if self.method != "GET":
            return []
        filters = [describe_filter(row) for row in self.view.filters]
        return filters + [
            _PARAMETERS[name](self.view) for name in self.view.parameters() if name in _PARAMETERS
        ]

    def get_response_serializers(self) -> Any:
        if self.method != "GET":
            return super().get_response_serializers()
        table = {"type": "string", "description": "the same rows with one column per field"}
        return {
            (200, "application/json"): self._describe_page(),
            (200, "text/csv"): table,
            (304, "application/json"): None,
            (400, "application/json"): Error,
            (404, "application/json"): Error,
        }

    def _describe_page(self) -> dict[str, Any]:
        # With the parameter `fields` a row has fewer fields, hence "anyOf".
        row = {"anyOf": [self.resolve_serializer(self.view.shape, "response").ref, {"type": "object"}]}
        following = {"type": ["string", "null"], "format": "uri"}
        schema = {
            "type": "object",
            "properties": {
                "results": {"type": "array", "items": row},
                "next": following | {"description": "the next page; null on the last"},
            },
            "required": ["next", "results"],
        }
        name = f"{self.view.operation_id.title().replace('_', '')}Page"
        page = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=schema)
        self.registry.register_on_missing(page)
        return page.ref


def _describe_ordering(view: Any) -> OpenApiParameter:
    names = [ordering.name for ordering in view.orderings]
    kind = {"type": "string", "enum": [*names, *(f"-{name}" for name in names)], "default": view.order}
    return OpenApiParameter("ordering", kind, description="the sort order; put - before it to reverse it")


def _describe_fields(view: Any) -> OpenApiParameter:
    leaves = list(row_columns.list_leaves(row_columns.find_parts(view.shape)))
    parts = [leaf.rpartition(".")[0] for leaf in leaves if "." in leaf]
    names = {"type": "string", "enum": list(dict.fromkeys([*leaves, *parts]))}
    kind = {"type": "array", "items": names, "minItems": 1}
    words = "only these fields, separated by commas; parts of fields work too, such as label.brand"
    return OpenApiParameter("fields", kind, style="form", explode=False, description=words)


_PARAMETERS = {
    "ordering": _describe_ordering,
    "cursor": lambda _: OpenApiParameter(
        "cursor", str, description="the cursor in `next` of the previous page"
    ),
    "limit": lambda _: OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
        description="number of rows on a page",
    ),
    "fields": _describe_fields,
    "format": lambda _: OpenApiParameter("format", {"type": "string", "enum": ["json", "csv", ""]}),
}
