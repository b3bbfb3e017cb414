"""Decode JSON into types, with errors that people understand: a sentence, and the path of the field."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from submissions.domain.errors import ReportError

# Far below the recursion limit at any depth of calls: a worker must be able to read a report that a view accepted.
MAX_LEVELS = 100
_any_decoder = msgspec.json.Decoder()
_QUOTED = re.compile(r"`([^`]*)`")
_AT = re.compile(r" - at `\$?\.?(?P<path>[^`]*)`$")
_LONGEST_SENTENCE = 300
# Messages for the patterns, which msgspec would quote instead. The first match wins.
_PATTERN_HINTS = (
    ("https?", "Is not a web address; it must start with http:// or https:// and contain no spaces"),
    ("(19|20)", "Is not a date; write as much as you know: 2024, 2024-05 or 2024-05-17"),
    ("[A-Z]{3}", "Is not a currency; use its three letters, such as EUR"),
    ("[a-z_]+:", "Contains no weights; write them like create:4 append:3 read:2 delete:1"),
    ("A-Za-z0-9", "Is not a word; use letters, digits and _ . + / - without spaces"),
    ("regex", "Contains control characters, which are not allowed in any field"),
)


class ShapeError(ReportError):
    """Raised for a document of the wrong shape. `field` is the path of the first error: `measurements[2].values`."""

    code = "wrong_shape"


def decode_body(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    """Return the value of a JSON body in the decoder's type. Raise ShapeError with the path of the wrong field."""
    try:
        return _decode(decoder, body)
    except msgspec.ValidationError as error:
        raise shape_error(str(error)) from error
    except RecursionError as error:
        raise ShapeError("The body is nested too deeply.", code="not_json") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ShapeError(f"The body is not JSON: {error}. Was it cut off?", code="not_json") from error


def _decode(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        if "got `float`" not in str(error):
            raise
        # 2.0 counts as a whole number: JSON does not tell them apart, and some programs write it so.
        return msgspec.convert(_whole(_any_decoder.decode(body)), decoder.type)


def _whole(value: Any) -> Any:
    match value:
        case float() if value.is_integer() and abs(value) < 2**63:
            return int(value)
        case dict():
            return {name: _whole(inner) for name, inner in value.items()}
        case list():
            return [_whole(inner) for inner in value]
    return value


def refuse_deep_nesting(value: Any, *, field: str) -> None:
    """Raise ShapeError if a JSON value has more than MAX_LEVELS levels."""
    level: list[Any] = [value]
    for _ in range(MAX_LEVELS):
        level = [inner for outer in level for inner in _parts_of(outer)]
        if not level:
            return
    raise ShapeError(f"Nested too deeply; the limit is {MAX_LEVELS} levels.", field=field)


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def shape_error(message: str, *, at: str = "") -> ShapeError:
    """Return a message of msgspec as an error for people. `at`: path of the part of the report that was checked."""
    place = _AT.search(message)
    sentence = _QUOTED.sub(r"“\1”", _AT.sub("", message))
    if "matching regex" in sentence:
        sentence = next(hint for word, hint in _PATTERN_HINTS if word in sentence)
    if len(sentence) > _LONGEST_SENTENCE:
        sentence = f"{sentence[:_LONGEST_SENTENCE]}…"
    return ShapeError(sentence, field=".".join(filter(None, (at, place["path"] if place else ""))))
