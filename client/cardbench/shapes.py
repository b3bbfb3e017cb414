"""Decode JSON from outside, such as a report, a receipt and a response of the server, and check its shape."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

JsonDict = dict[str, Any]
JsonMapping = Mapping[str, Any]  # an object that is only read

# A type; a tuple of alternatives; [shape] for a list; {name: shape} for an object. In an object, a name that ends with
# “?” may be missing, a name that is not listed may have any value, and {str: shape} is for all names.
Shape = Any

_DEEPEST = 100  # levels, as on the server
_LONGEST_INTEGER = 20  # characters: 64 bits, with a sign
_TITLES = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    None: "null",
}


def _optional(shape: Shape, names: str) -> dict[str, Shape]:
    return {f"{name}?": shape for name in names.split()}


FINDING = {"severity": str, "sentence": str, "next_step": str}
_FAILURE = {"code": str, "detail?": str}
_BUS_MODE = {"name?": str} | _optional(float, "clock_hz width_bits signal_voltage_mv")
_LABEL = _optional(str, "brand line model_number") | {"capacity_gb?": float, "marks?": [str]}
_CARD = (
    {"registers?": _optional(str, "cid csd scr ssr ocr ext_csd"), "label?": _LABEL}
    | _optional(str, "bus condition")
    | _optional(int, "size_bytes preferred_erase_size_bytes")
)
_HOST = {"bus_mode?": _BUS_MODE, "filesystem_block_bytes?": int} | _optional(
    str, "board machine kernel interface driver reader filesystem mount_options device"
)
_RUN = {"duration_ns?": int, "doubts?": [str]} | _optional(str, "suite tool tool_version started_at target")
_SIZES = "block_size_bytes span_bytes file_size_bytes erase_size_bytes align_bytes offset_bytes"
_COUNTS = "queue_depth open_au erase_block_index file_count threads"
_PARAMETERS = _optional(int, f"{_SIZES} {_COUNTS}") | _optional(
    str, "direction order io sync data action capacity_kind"
)
_ROW = {"workload": str, "metric": str, "unit": str, "values": [float]} | {
    "parameters?": _PARAMETERS,
    "failure?": _FAILURE,
}
_REASONING = {"reason?": str} | _optional(
    float, "confidence log_odds operations written_bytes device_duration_ns"
)
# The parts of a report that the client reads itself; the server checks the others.
REPORT = {
    "format": str,
    "uuid?": str,
    "card?": _CARD,
    "host?": _HOST,
    "run?": _RUN,
    "measurements?": [_ROW],
    "extra?": {
        "failure?": _FAILURE,
        "geometry?": {str: _REASONING},
        "flashbench?": [str],
        "boundaries_hidden?": str,
        "not_run?": [str],
        "check?": [str],
        "left_out?": [{"reason": str}],
    },
}


class ShapeError(ValueError):
    """The shape of JSON is wrong.

    The message is a sentence without its full stop; it begins with the path of the value.
    """

    def __init__(self, reason: str, *steps: str) -> None:
        super().__init__(f"{''.join(steps).lstrip('.')[:100] or 'it'} {reason}")
        self.reason, self.steps = reason, steps


def decode(content: bytes, shape: Shape = object) -> Any:
    """Return the value of a JSON text. A null is removed where its name may be missing and null is not permitted.

    Raises ShapeError if the value has another shape, a name twice in an object, or a number of more than 64 bits.
    """
    try:
        value = json.loads(content, parse_int=_read_integer, object_pairs_hook=_read_object)
    except RecursionError:
        raise ShapeError("is nested too deeply") from None
    except ValueError as error:
        raise ShapeError(f"is not JSON: {error}") from None
    _check(value, shape)
    return value


def _read_integer(text: str) -> float:
    return int(text) if len(text) <= _LONGEST_INTEGER else math.inf


class _Twice:
    """A placeholder for the value of a name that occurs twice in an object."""


def _read_object(pairs: list[tuple[str, Any]]) -> JsonDict:
    read: JsonDict = {}
    for name, value in pairs:
        read[name] = _Twice() if name in read else value
    return read


def _check(value: Any, shape: Shape, depth: int = 0) -> None:
    if problem := _find_problem(value, depth):
        raise ShapeError(problem)
    fitting = [one for one in _list_alternatives(shape) if _fits(value, _kind_of(one))]
    if not fitting:
        titles = (_TITLES[_kind_of(one)] for one in _list_alternatives(shape))
        raise ShapeError(f"must be {' or '.join(titles)}")
    for step, part, inner in _list_parts(value, fitting[0]):
        try:
            _check(part, inner, depth + 1)
        except ShapeError as error:
            raise ShapeError(error.reason, step, *error.steps) from None


def _find_problem(value: Any, depth: int) -> str:
    if isinstance(value, _Twice):
        return "occurs twice"
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a 64-bit number"
    try:
        for text in (value,) if isinstance(value, str) else value if isinstance(value, dict) else ():
            text.encode()
    except UnicodeEncodeError:
        return "contains half a character"
    return "is nested too deeply" if depth > _DEEPEST else ""


def _list_alternatives(shape: Shape) -> tuple[Shape, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


def _kind_of(shape: Shape) -> Any:
    return type(shape) if isinstance(shape, (dict, list)) else shape


def _fits(value: Any, kind: Any) -> bool:
    if kind in (object, None):
        return kind is object or value is None
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


def _list_parts(value: Any, shape: Shape) -> Iterator[tuple[str, Any, Shape]]:
    """Yield each part of an object or list, its step in the path, and its shape.

    Raises ShapeError if a name is missing.
    """
    if isinstance(value, list):
        inner = shape[0] if isinstance(shape, list) else object
        yield from ((f"[{number}]", part, inner) for number, part in enumerate(value))
    if isinstance(value, dict):
        names = shape if isinstance(shape, dict) else {}
        for name in [name for name in value if value[name] is None]:
            if None not in _list_alternatives(names.get(f"{name}?", None)):
                del value[name]
        for name in names:
            if isinstance(name, str) and not name.endswith("?") and name not in value:
                raise ShapeError("is missing", f".{name}")
        for name, part in value.items():
            yield f".{name}", part, names.get(name, names.get(f"{name}?", names.get(str, object)))
