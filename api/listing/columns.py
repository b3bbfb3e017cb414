"""Fields of a row by dotted path: which there are, which are wanted, and a row with those alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect
from rest_framework import serializers

from submissions.domain.errors import ReportError

# Name of a field -> its parts, of one that has some. What a FREE one holds has names of its own.
Parts = Mapping[str, Any]
_FREE = object()
_FREE_FIELDS = (serializers.DictField, serializers.JSONField, serializers.SerializerMethodField)
_ABSENT = object()


@cache
def parts(shape: Any) -> Parts:
    """Fields of a row, by the struct or the serializer that declares it."""
    if issubclass(shape, msgspec.Struct):
        return _parts_of_struct(inspect.type_info(shape))
    return _parts_of_serializer(shape())


def _parts_of_struct(struct: Any) -> Parts:
    return {field.encode_name: _part_of(field.type) for field in struct.fields}


def _part_of(kind: Any) -> Any:
    """None for a field without parts, as a list is."""
    match kind:
        case inspect.Metadata():
            return _part_of(kind.type)
        case inspect.UnionType():
            return next(filter(None, map(_part_of, kind.types)), None)
        case inspect.StructType():
            return _parts_of_struct(kind)
    return _FREE if isinstance(kind, inspect.DictType) else None


def _parts_of_serializer(serializer: serializers.Serializer[Any]) -> Parts:
    return {name: _part_of_field(field) for name, field in serializer.fields.items()}


def _part_of_field(field: Any) -> Any:
    if isinstance(field, serializers.Serializer):
        return _parts_of_serializer(field)
    return _FREE if isinstance(field, _FREE_FIELDS) else None


def leaves(fields: Parts) -> Iterator[str]:
    """Every field of a row, as "slug", "score.value"; a list is one field."""
    for name, inner in fields.items():
        if isinstance(inner, Mapping):
            yield from (f"{name}.{leaf}" for leaf in leaves(inner))
        else:
            yield name


def wanted(text: str, fields: Parts) -> tuple[str, ...]:
    """ "slug,score" -> ("slug", "score"). What is part of another is wanted with it.

    Raises ReportError for a field there is not.
    """
    paths = tuple(path.strip() for path in text.split(","))
    for path in paths:
        if not _exists(path.split("."), fields):
            names = ", ".join(leaves(fields))
            raise ReportError(
                f"There is no field “{path[:60]}”; known are {names}.", field="fields", code="unknown_field"
            )
    return tuple(path for path in paths if not any(path.startswith(f"{whole}.") for whole in paths))


def chosen(row: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The row with these fields alone, nested as it was; what this row lacks is null."""
    picked: dict[str, Any] = {}
    for path in paths:
        *folders, name = path.split(".")
        place = picked
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = value_at(row, path)
    return picked


def columns(paths: Sequence[str], fields: Parts) -> list[str]:
    """Headings of a table: the wanted fields, a field with parts as one column each; all of them, if none is named."""
    everything = list(leaves(fields))
    if not paths:
        return everything
    return [
        column
        for path in paths
        for column in ([leaf for leaf in everything if leaf.startswith(f"{path}.")] or [path])
    ]


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Value at a dotted path, None where the way breaks off."""
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
