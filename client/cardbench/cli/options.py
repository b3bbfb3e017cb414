"""Declare options as fields of a frozen dataclass, and give them to argparse."""

from __future__ import annotations

import argparse
from dataclasses import Field, field, fields
from typing import Any

from cardbench.measuring.fileset import LARGEST_FILE_BYTES, MIXED_ACTIONS


def option(default: Any, help_text: str, *names: str, **words: Any) -> Any:
    """Declare a field that is an option; `names` come before the one made of the name of the field."""
    return field(default=default, metadata={"help": help_text, "names": names, **words})


def flag(help_text: str) -> Any:
    """Declare a field that an option without a value sets to True."""
    return option(False, help_text, action="store_true")


def argument(metavar: str | None = None, help_text: str | None = None, **words: Any) -> Any:
    """Declare a field that is a positional argument."""
    return field(default="", metadata={"help": help_text, "metavar": metavar, **words})


def add_options(parser: argparse.ArgumentParser, request: type) -> None:
    """Add an option for each field of a request, those of the class itself before those of its bases."""
    waiting = {item.name: item for item in fields(request)}
    for owner in request.__mro__:
        own = [waiting.pop(name) for name in [*vars(owner)] if name in waiting]
        declared = [item for item in own if item.metadata]
        title = getattr(request, "titles", {}).get(owner.__name__)
        place = parser.add_argument_group(title) if title and declared else parser
        for item in declared:
            _add(place, item)


def _add(place: argparse._ActionsContainer, item: Field[Any]) -> None:
    words = dict(item.metadata)
    if "names" not in words:
        place.add_argument(item.name, **words)
        return
    names = (*words.pop("names"), f"--{item.name.replace('_', '-')}")
    words["help"] = words["help"].replace("%(default)s", str(item.default))
    place.add_argument(*names, default=argparse.SUPPRESS, **words)


def positive(text: str) -> int:
    """Return a whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def size_bytes(text: str) -> int:
    """Return the size that "4194304", "4096K" or "4M" means."""
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1:].upper(), 1)
    return positive(text[:-1] if factor > 1 else text) * factor


def file_size_bytes(text: str) -> int:
    """Return the size of a file that is written whole, in the words of `size_bytes`."""
    size = size_bytes(text)
    if size > LARGEST_FILE_BYTES:
        raise argparse.ArgumentTypeError(f"at most {LARGEST_FILE_BYTES}: less than 256M")
    return size


def weights(text: str) -> str:
    """Return weights as a report names them: "create:4,read:2" as "create:4 read:2"."""
    chosen = dict(pair.partition(":")[::2] for pair in text.split(","))
    known = chosen.keys() <= set(MIXED_ACTIONS) and "create" in chosen
    if not (known and all(count.isascii() and count.isdecimal() and int(count) for count in chosen.values())):
        raise argparse.ArgumentTypeError(
            f"give create:N and any of {', '.join(MIXED_ACTIONS)}, separated by commas"
        )
    return " ".join(f"{name}:{int(count)}" for name, count in chosen.items())


def answer(text: str) -> tuple[str, str]:
    """Return key and choice of "KEY=CHOICE"."""
    key, equals, choice = text.partition("=")
    if not (key and equals and choice):
        raise argparse.ArgumentTypeError("give KEY=CHOICE, as printed by “cardbench parse”")
    return key, choice
