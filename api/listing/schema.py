"""Writes the tables of a list into the OpenAPI document."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers

from api.listing import columns
from api.v1.serializers import ErrorSerializer


class ListSchema(AutoSchema):
    """For GET of a TableView; its other methods describe themselves."""

    view: Any

    def get_operation_id(self) -> str:
        return str(self.view.operation_id) if self.method == "GET" else super().get_operation_id()

    def get_override_parameters(self) -> list[Any]:
        if self.method != "GET":
            return []
        filters = [
            OpenApiParameter(
                one.name,
                one.kind.openapi,
                description=one.meaning,
                required=one.required,
                deprecated=one.deprecated,
            )
            for one in self.view.filters
        ]
        return filters + [
            _PARAMETERS[name](self.view) for name in self.view.parameters() if name in _PARAMETERS
        ]

    def get_response_serializers(self) -> Any:
        if self.method != "GET":
            return super().get_response_serializers()
        name = f"{self.view.operation_id.title().replace('_', '')}Page"
        envelope = inline_serializer(
            name,
            {
                "results": self.view.shape(many=True),
                "next": serializers.URLField(allow_null=True, help_text="the next page; null on the last"),
            },
        )
        table = {"type": "string", "description": "the same rows with one column per field"}
        return {
            (200, "application/json"): envelope,
            (200, "text/csv"): table,
            (304, "application/json"): None,
            (400, "application/json"): ErrorSerializer,
            (404, "application/json"): ErrorSerializer,
        }


def _ordering(view: Any) -> OpenApiParameter:
    names = [one.name for one in view.orderings]
    kind = {"type": "string", "enum": [*names, *(f"-{name}" for name in names)], "default": view.order}
    return OpenApiParameter("ordering", kind, description="with - before it, the other way round")


def _fields(view: Any) -> OpenApiParameter:
    leaves = list(columns.leaves(view.shape()))
    parts = [leaf.rpartition(".")[0] for leaf in leaves if "." in leaf]
    names = {"type": "string", "enum": list(dict.fromkeys([*leaves, *parts]))}
    kind = {"type": "array", "items": names, "minItems": 1}
    words = "only these, with commas between; also parts of what has names of its own, as label.brand"
    return OpenApiParameter("fields", kind, style="form", explode=False, description=words)


_PARAMETERS = {
    "ordering": _ordering,
    "cursor": lambda _: OpenApiParameter("cursor", str, description="from `next` of the page before"),
    "limit": lambda _: OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
        description="rows on a page",
    ),
    "fields": _fields,
    "format": lambda _: OpenApiParameter("format", {"type": "string", "enum": ["json", "csv", ""]}),
}
