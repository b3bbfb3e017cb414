"""Describe measurements in words, for people, and for the server, which parses them in pasted output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardbench.shapes import JsonMapping
from cardbench.sizes import binary

# Parameter of a report -> the format of its value, in this order.
SAID: Mapping[str, str] = {
    "order": "{}",
    "direction": "{}",
    "action": "{}",
    "threads": "{} threads",
    "weights": "weights {}",
    "file_count": "{} files",
    "block_size_bytes": "{}",
    "align_bytes": "multiples of {}",
    "offset_bytes": "at {}",
    "open_au": "{} open",
    "erase_block_index": "erase block {}",
    "erase_size_bytes": "units of {}",
    "file_size_bytes": "file of {}",
    "queue_depth": "queue depth {}",
    "sync": "{}",
    "io": "{}",
    "span_bytes": "within {}",
    "data": "{} data",
    "capacity_kind": "{}",
    "command_queue": "command queue {}",
    "variant": "variant {}",
}
_VALUES: Mapping[Any, str] = {
    ("sync", "none"): "no sync",
    ("command_queue", True): "on",
    ("command_queue", False): "off",
}
_FREE = ("weights", "variant")  # words that are not changed
_USUAL = {"queue_depth": 1, "sync": "none", "io": "direct"}
_NOT_BRIEF = ("span_bytes", "data", "erase_size_bytes", "weights")


def describe(workload: str, parameters: JsonMapping) -> str:
    """Return the description of a measurement: its workload, access pattern and all other parameters."""
    known = [name for name in SAID if name in parameters]
    others = [name for name in parameters if name not in SAID]
    words = [_say(name, parameters[name]) for name in (*known, *others)]
    if {"order", "direction"} <= parameters.keys():
        words[:2] = [" ".join(words[:2])]
    name = [] if workload == "stream" else [f"{workload}:"]
    return " ".join([*name, ", ".join(words)]).rstrip()


def describe_briefly(workload: str, parameters: JsonMapping) -> str:
    """Return the description of a measurement for titles, without parameters that have their usual value."""
    rest = {
        name: value
        for name, value in parameters.items()
        if name not in _NOT_BRIEF and (name, value) not in _USUAL.items()
    }
    if workload != "sync" and {"threads", "file_count"} & rest.keys() and rest.get("sync") == "fsync_at_end":
        del rest["sync"]
    if "block_size_bytes" in rest and not _is_whole_file(parameters):
        rest.pop("file_size_bytes", None)
    return describe(workload, rest)


def _is_whole_file(parameters: JsonMapping) -> bool:
    size, span = parameters.get("file_size_bytes", 0), parameters.get("span_bytes", 0)
    return bool(parameters.get("sync") == "fsync_at_end" and size < span)


def _say(name: str, value: Any) -> str:
    if name in _FREE:
        spoken = str(value)
    elif name.endswith("_bytes"):
        spoken = binary(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        spoken = f"{value:,}"
    else:
        spoken = _VALUES.get((name, value), str(value).replace("_", " "))
    return SAID.get(name, f"{name} {{}}").format(spoken)
