"""Fields of a row by dotted path: which there are, which are wanted, and a row with those alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rest_framework import serializers

from submissions.domain.errors import ReportError

# What such a field holds has names of its own.
_FREE = (serializers.DictField, serializers.JSONField, serializers.SerializerMethodField)
_ABSENT = object()


def leaves(shape: serializers.Serializer[Any]) -> Iterator[str]:
    """Every field of a row, as "slug", "score.value"; a list is one field."""
    for name, field in shape.fields.items():
        if isinstance(field, serializers.Serializer):
            yield from (f"{name}.{leaf}" for leaf in leaves(field))
        else:
            yield name


def wanted(text: str, shape: serializers.Serializer[Any]) -> tuple[str, ...]:
    """ "slug,score" -> ("slug", "score"). What is part of another is wanted with it.

    Raises ReportError for a field there is not.
    """
    paths = tuple(path.strip() for path in text.split(","))
    for path in paths:
        if not _exists(path.split("."), shape):
            known = ", ".join(leaves(shape))
            raise ReportError(
                f"There is no field “{path[:60]}”; known are {known}.", field="fields", code="unknown_field"
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


def columns(paths: Sequence[str], shape: serializers.Serializer[Any]) -> list[str]:
    """Headings of a table: the wanted fields, a field with parts as one column each; all of them, if none is named."""
    everything = list(leaves(shape))
    if not paths:
        return everything
    return [
        column
        for path in paths
        for column in ([leaf for leaf in everything if leaf.startswith(f"{path}.")] or [path])
    ]


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Value at a dotted path, None where the way breaks off."""
    found: Any = row
    for name in path.split("."):
        found = found.get(name, _ABSENT) if isinstance(found, Mapping) else _ABSENT
        if found is _ABSENT:
            return None
    return found


def _exists(names: Sequence[str], shape: serializers.Serializer[Any]) -> bool:
    field = shape.fields.get(names[0])
    if field is None or len(names) == 1:
        return field is not None
    if isinstance(field, serializers.Serializer):
        return _exists(names[1:], field)
    return isinstance(field, _FREE)
