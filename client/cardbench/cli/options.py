"""Declare command-line options as fields of a frozen dataclass, and add them to argparse."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from dataclasses import Field, field, fields
from typing import Any

from cardbench.measuring.fileset import LARGEST_FILE_BYTES, MIXED_ACTIONS


def option(default: Any, help_text: str, *names: str, **words: Any) -> Any:
    """Declare a field that is an option; `names` are further names, such as "-o", beside that of the field."""
    return field(default=default, metadata={"help": help_text, "names": names, **words})


def flag(help_text: str) -> Any:
    """Declare a field that is False, and True if the option is given."""
    return option(False, help_text, action="store_true")


def argument(metavar: str | None = None, help_text: str | None = None, **words: Any) -> Any:
    """Declare a field that is a positional argument."""
    return field(default="", metadata={"help": help_text, "metavar": metavar, **words})


def add_options(parser: argparse.ArgumentParser, request: type) -> None:
    """Add the options that a request class declares to a parser, its own before those of its base classes."""
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
    """Return a whole number of at least 1 from the text of an option."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("at least 1")
    return number


def size_bytes(text: str) -> int:
    """Return the size in bytes from the text of an option, such as "4194304", "4096K" or "4M"."""
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1:].upper(), 1)
    return positive(text[:-1] if factor > 1 else text) * factor


def file_size_bytes(text: str) -> int:
    """Return the size of a whole file in bytes, written as for `size_bytes`, up to the largest file of a workload."""
    size = size_bytes(text)
    if size > LARGEST_FILE_BYTES:
        raise ArgumentTypeError(f"at most {LARGEST_FILE_BYTES}: less than 256M")
    return size


def weights(text: str) -> str:
    """Return the weights of an option in the form of a report: "create:4 read:2" for "create:4,read:2"."""
    chosen = dict(pair.partition(":")[::2] for pair in text.split(","))
    known = chosen.keys() <= set(MIXED_ACTIONS) and "create" in chosen
    if not (known and all(count.isascii() and count.isdecimal() and int(count) for count in chosen.values())):
        raise ArgumentTypeError(f"give create:N and any of {', '.join(MIXED_ACTIONS)}, separated by commas")
    return " ".join(f"{name}:{int(count)}" for name, count in chosen.items())


def answer(text: str) -> tuple[str, str]:
    """Return the key and the choice of an option such as "KEY=CHOICE"."""
    key, equals, choice = text.partition("=")
    if not (key and equals and choice):
        raise ArgumentTypeError("give KEY=CHOICE, as printed by “cardbench parse”")
    return key, choice
