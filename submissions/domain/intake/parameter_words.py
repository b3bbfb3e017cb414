"""Parse the words by which cardbench prints the parameters of a test.

An example is “sequential read, 1 MiB, queue depth 1, direct”.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

from submissions.domain.intake.lines import NotANumber, decimal, whole
from submissions.domain.intake.slots import count_bytes
from submissions.domain.measuring import metrics
from submissions.domain.report import Parameters

# Parameter -> how its value is said; equal to the table of client/cardbench/measuring/descriptions.py.
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
_HINTS = get_type_hints(Parameters)
_FREE = ("weights", "variant")  # any words
SIZE_UNITS = ("B", "KiB", "MiB", "GiB")
_SIZE = rf"[0-9][0-9,]{{0,20}} (?:{'|'.join(SIZE_UNITS)})"


def read_size(text: str) -> int:
    """Return the bytes of a size such as "4 MiB" or "1,536 B". Raise NotANumber for any other text."""
    number, _, unit = text.strip().partition(" ")
    if unit not in SIZE_UNITS:
        raise NotANumber(text)
    return count_bytes(decimal(number.replace(",", "")), unit.removesuffix("B"))


def read_words(workload: str, text: str) -> dict[str, Any] | None:
    """Return the parameters of a test that words state; None if any word is not understood."""
    text, mark, variant = text.partition("variant ")
    known: dict[str, Any] = {"variant": variant} if mark else {}
    for part in filter(None, _SPLIT.sub(r"\1, ", text).removesuffix(", ").split(", ")):
        waiting = (name for name in _order_names(workload) if name not in known)
        name, match = next(
            ((name, match) for name in waiting if (match := _PATTERNS[name].match(part))), ("", None)
        )
        if match is None:
            return None
        known[name] = _CONVERTS[name](match[1])
    return known


# “read” is an action in workloads that require one, else a direction.
def _order_names(workload: str) -> list[str]:
    about = metrics.WORKLOADS.get(workload)
    states_action = bool(about and "action" in about.required)
    return sorted(SAID, key=lambda name: (name == "action") != states_action)


def _list_choices(name: str) -> dict[str, Any]:
    if name == "command_queue":
        return {"on": True, "off": False}
    values = [value for part in get_args(_HINTS[name]) for value in get_args(part)]
    spoken = {str(value).replace("_", " "): value for value in values}
    return spoken | ({"no sync": "none"} if name == "sync" else {})


def _find_pattern_and_converter(name: str) -> tuple[str, Callable[[str], Any]]:
    if name.endswith("_bytes"):
        return _SIZE, read_size
    if name in _FREE:
        return ".{1,200}", str
    choices = _list_choices(name)
    return ("|".join(map(re.escape, choices)), choices.__getitem__) if choices else ("[0-9,]{1,20}", whole)


_SPLIT = re.compile(r"\A(sequential|random) (?=read|write)")
_TYPES = {name: _find_pattern_and_converter(name) for name in SAID}
_PATTERNS = {
    name: re.compile(said.replace("{}", f"({_TYPES[name][0]})") + r"\Z") for name, said in SAID.items()
}
_CONVERTS = {name: convert for name, (_, convert) in _TYPES.items()}
