"""List the fields of a row by dotted path, such as leading.value, and reduce a row to the fields that are wanted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect
from rest_framework import serializers

from submissions.domain.errors import ReportError

Row = Mapping[str, Any]
# Name of a field -> its parts, or None. The names within a _FREE field are not declared.
Parts = Mapping[str, Any]
_FREE = object()
_FREE_FIELDS = (serializers.DictField, serializers.JSONField, serializers.SerializerMethodField)
_ABSENT = object()


@cache
def find_parts(shape: Any) -> Parts:
    """Return the fields that a struct or a serializer declares, by name.

    The value of each is the mapping of the fields within it, or None if there are none.
    """
    if issubclass(shape, msgspec.Struct):
        return _find_parts_of_struct(inspect.type_info(shape))
    return _find_parts_of_serializer(shape())


def _find_parts_of_struct(struct: Any) -> Parts:
    return {field.encode_name: _find_parts_of_type(field.type) for field in struct.fields}


def _find_parts_of_type(kind: Any) -> Any:
    # A list counts as a field without parts.
    match kind:
        case inspect.Metadata():
            return _find_parts_of_type(kind.type)
        case inspect.UnionType():
            return next(filter(None, map(_find_parts_of_type, kind.types)), None)
        case inspect.StructType():
            return _find_parts_of_struct(kind)
    return _FREE if isinstance(kind, inspect.DictType) else None


def _find_parts_of_serializer(serializer: serializers.Serializer[Any]) -> Parts:
    return {name: _find_parts_of_field(field) for name, field in serializer.fields.items()}


def _find_parts_of_field(field: Any) -> Any:
    if isinstance(field, serializers.Serializer):
        return _find_parts_of_serializer(field)
    return _FREE if isinstance(field, _FREE_FIELDS) else None


def list_leaves(fields: Parts) -> Iterator[str]:
    """Yield the path of every field that has no fields within it, such as "slug" or "leading.value"."""
    for name, inner in fields.items():
        if isinstance(inner, Mapping):
            yield from (f"{name}.{leaf}" for leaf in list_leaves(inner))
        else:
            yield name


def parse_fields(text: str, fields: Parts) -> tuple[str, ...]:
    """Parse "slug,leading,leading.value" to ("slug", "leading"): a field within a wanted field is left out.

    Raise ReportError for an unknown field.
    """
    paths = tuple(path.strip() for path in text.split(","))
    for path in paths:
        if not _exists(path.split("."), fields):
            names = ", ".join(list_leaves(fields))
            raise ReportError(
                f"There is no field “{path[:60]}”. Use one of {names}.", field="fields", code="unknown_field"
            )
    return tuple(path for path in paths if not any(path.startswith(f"{whole}.") for whole in paths))


def pick_fields(row: Row, paths: Iterable[str]) -> dict[str, Any]:
    """Return a row with only these fields, nested as before; a missing field is null."""
    picked: dict[str, Any] = {}
    for path in paths:
        *folders, name = path.split(".")
        place = picked
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = value_at(row, path)
    return picked


def list_columns(paths: Sequence[str], fields: Parts) -> list[str]:
    """Return the headings of a CSV table for the wanted fields, or for all.

    A field within a field has its own column.
    """
    everything = list(list_leaves(fields))
    if not paths:
        return everything
    return [
        column
        for path in paths
        for column in ([leaf for leaf in everything if leaf.startswith(f"{path}.")] or [path])
    ]


def value_at(row: Row, path: str) -> Any:
    """Return the value of a row at a dotted path, or None if it is missing."""
    value: Any = row
    for name in path.split("."):
        value = value.get(name, _ABSENT) if isinstance(value, Mapping) else _ABSENT
        if value is _ABSENT:
            return None
    return value


def _exists(names: Sequence[str], fields: Parts) -> bool:
    if names[0] not in fields or len(names) == 1:
        return names[0] in fields
    inner = fields[names[0]]
    return _exists(names[1:], inner) if isinstance(inner, Mapping) else inner is _FREE
