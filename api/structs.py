"""Declare responses as msgspec structs: one declaration gives both the JSON and its schema in the OpenAPI document."""

import json
from typing import Any, TypeVar

import msgspec
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework.response import Response

Shape = TypeVar("Shape", bound=msgspec.Struct)
Schema = dict[str, Any]  # of JSON, or another part of the OpenAPI document
_COMPONENTS = "#/components/schemas/"


def reply(answer: msgspec.Struct, *, status: int = 200) -> Response:
    """Return a response with a struct. DRF renders it, so that numbers and letters look as in all other answers."""
    return Response(msgspec.to_builtins(answer), status=status)


def build_struct(shape: type[Shape], row: object, **others: Any) -> Shape:
    """Return a struct with the fields `others`, and for all other fields the attributes of `row` of the same name."""
    names = (name for name in shape.__struct_fields__ if name not in others)
    return shape(**{name: getattr(row, name) for name in names}, **others)


def describe_list(struct: type) -> Schema:
    """Return the schema of a list of a struct or dataclass that is a component of the OpenAPI document."""
    return {"type": "array", "items": {"$ref": f"{_COMPONENTS}{struct.__name__}"}}


def components(structs: list[type[msgspec.Struct]], *, prefix: str = "") -> Schema:
    """Return the schemas of these structs and of all structs within them, by component name."""
    _, schemas = msgspec.json.schema_components(structs, ref_template=f"{_COMPONENTS}{prefix}{{name}}")
    return schemas


def translate_patterns(schema: Any) -> Any:
    r"""Translate the regular expressions of a schema from Python's syntax to ECMAScript's: `\Z` to `$`."""
    return json.loads(json.dumps(schema).replace("\\\\Z", "$"))


class StructExtension(OpenApiSerializerExtension):
    """An extension by which drf-spectacular describes a struct like a serializer, as a component of the same name."""

    target_class = "msgspec.Struct"
    match_subclasses = True

    def get_name(self, *_args: Any, **_options: Any) -> str:
        return str(self.target.__name__)

    get_identity = get_name

    def map_serializer(self, auto_schema: Any, direction: object) -> Any:
        schemas = translate_patterns(components([self.target]))
        own = schemas.pop(self.target.__name__)
        for name, schema in schemas.items():
            part = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=schema)
            auto_schema.registry.register_on_missing(part)
        return own
