"""Define types of query parameters: their schema in the OpenAPI document, and their parser."""

import math
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any, NamedTuple

from submissions.domain.errors import ReportError
from submissions.domain.ranking.facets import FLAGS

_LONGEST = 200
_MOMENTS = "a day such as 2026-11-20, or a time such as 2026-11-20T12:00:00Z"


class Kind(NamedTuple):
    """The type of a query parameter; `read` raises ValueError with a description of the expected value."""

    openapi: dict[str, Any]
    read: Callable[[str], Any]


def read(kind: Kind, text: str, *, name: str) -> Any:
    """Return the value of the parameter `name`, parsed from its text. Raise ReportError if the text is wrong."""
    try:
        return kind.read(text)
    except ReportError:
        raise  # it says more
    except ValueError as problem:
        detail = f"“{text[:60]}” is no value for {name}: send {problem}."
        raise ReportError(detail, field=name, code="wrong_parameter") from problem


def one_of(names: Collection[str]) -> Kind:
    """Return the type of a query parameter that must be one of these words."""

    def read_word(text: str) -> str:
        if text not in names:
            raise ValueError(f"one of {', '.join(names)}")
        return text

    return Kind({"type": "string", "enum": list(names)}, read_word)


def whole_number(least: int, most: int) -> Kind:
    """Return the type of a query parameter that is a whole number from `least` to `most`."""

    def read_number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and least <= int(text) <= most):
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return Kind({"type": "integer", "minimum": least, "maximum": most}, read_number)


def _read_text(text: str) -> str:
    if "\x00" in text or len(text) > _LONGEST:
        raise ValueError(f"at most {_LONGEST} characters without NUL")
    return text.strip()


def _read_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and 0 <= number <= 1e18):
        raise ValueError("a number from 0 to 1e18")
    return number


def _read_flag(text: str) -> bool:
    if text.lower() not in FLAGS:
        raise ValueError("true or false")
    return FLAGS[text.lower()]


def _read_moment(text: str) -> datetime:
    # A day means its start in UTC; a time without a zone is in UTC.
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))  # an unescaped + of a zone arrives as a space
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(_MOMENTS) from None


TEXT = Kind({"type": "string", "maxLength": _LONGEST, "pattern": "^[^\\u0000]*$"}, _read_text)
NUMBER = Kind({"type": "number", "minimum": 0, "maximum": 1e18}, _read_number)
FLAG = Kind({"type": "boolean"}, _read_flag)
MOMENT = Kind(
    {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]}, _read_moment
)
COUNT = whole_number(0, 10**9)
