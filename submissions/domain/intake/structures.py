"""Group items by a key, drop empty fields of a mapping, and parse parameters in a table."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_Key = TypeVar("_Key", bound=Hashable)


def group_by(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """Return the items by their key; keys and items stay in the order in which they come."""
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without None, "", [] and {}, at every level."""
    filled = (
        (name, drop_empty(value) if isinstance(value, dict) else value) for name, value in fields.items()
    )
    return {name: value for name, value in filled if value not in (None, "", [], {})}


def parse_parameters(text: str) -> dict[str, Any]:
    """Return the parameters in words such as "io=direct queue_depth=1"."""
    pairs = (word.split("=") for word in text.split())
    return {name: int(value) if value.isdecimal() else value for name, value in pairs}
