"""Read the label of a card from options, or ask the user for it if nothing else names the card."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from cardbench.cli.terminal import say
from cardbench.errors import UsageError
from cardbench.shapes import JsonDict
from cardbench.target.safety import read_answer

_NAMES = "C2 C4 C6 C10 U1 U3 V6 V10 V30 V60 V90 A1 A2 UHS-I UHS-II UHS-III E150 E300 E450 E600"
MARKS = tuple(_NAMES.split())
_DAY = re.compile(r"(19|20)\d{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_PRICE = re.compile(r"(\d{1,6}(?:\.\d+)?) ?([A-Za-z]{3})")
_MOST_LETTERS = 200
_MOST_GB = 1_000_000


def _text(text: str) -> str:
    if len(text) > _MOST_LETTERS or not text.isprintable():
        raise ArgumentTypeError(f"one line of at most {_MOST_LETTERS} characters")
    return text


def _capacity(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _MOST_GB:
        raise ArgumentTypeError(f"“{text}” is not a size; give gigabytes, more than 0")
    return int(number) if number.is_integer() else number


def _marks(text: str) -> list[str]:
    spellings = {mark.upper(): mark for mark in MARKS}
    words = [word.strip().upper() for word in text.split(",")]
    if unknown := [word for word in words if word not in spellings]:
        raise ArgumentTypeError(f"“{unknown[0]}” is not one of these marks: {', '.join(MARKS)}")
    return [spellings[word] for word in dict.fromkeys(words)]


def _day(text: str) -> str:
    if not _DAY.fullmatch(text):
        raise ArgumentTypeError(f"“{text}” is not a date; write it like 2024, 2024-05 or 2024-05-17")
    return text


def _price(text: str) -> tuple[float, str]:
    match = _PRICE.fullmatch(text.strip())
    if not match:
        raise ArgumentTypeError(f"“{text}” needs its currency, as in “12.50 EUR”")
    return float(match[1]), match[2].upper()


# Name of a field -> function that reads its text, and its meaning for the user.
FIELDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "brand": (_text, "brand on the box, such as Kingston"),
    "line": (_text, "product line, such as Canvas Go! Plus"),
    "model_number": (_text, "model number as printed, such as SDCG3/64GB"),
    "capacity_gb": (_capacity, "capacity on the box"),
    "marks": (_marks, "classes printed on it, such as C10,U3,V30"),
    "bought_at": (_text, "where you bought it"),
    "bought_on": (_day, "when you bought it, such as 2024-05"),
    "price": (_price, "what you paid, such as 12.50EUR"),
}


_ASKED = ("brand", "line", "capacity_gb")


def require_name(card: JsonDict) -> JsonDict:
    """Return a card that a server can tell from others; ask for its label if it has neither CID nor brand.

    Raises UsageError if the user gives no brand.
    """
    label = card.get("label", {})
    if card.get("registers", {}).get("cid") or label.get("brand"):
        return card
    lacking = (
        "Nothing shows which card this is: no CID register is visible (card readers hide it), and you have"
        " not named a brand."
    )
    if not sys.stdin.isatty():
        raise UsageError(
            f"{lacking} Add what is printed on the card: --brand SanDisk --line Extreme --capacity-gb 64."
        )
    say(f"{lacking} What is printed on the card?")
    answers = {name: _ask(name) for name in _ASKED if not label.get(name)}
    if not answers["brand"]:
        raise UsageError("Nothing was sent: a server does not accept a report without a brand.")
    return card | {"label": label | {name: value for name, value in answers.items() if value}}


def _ask(name: str) -> Any:
    reader, meaning = FIELDS[name]
    while text := read_answer(f"  {name.replace('_', ' ')} ({meaning}; press Enter to skip): "):
        try:
            return reader(text)
        except ArgumentTypeError as error:
            say(f"  {error}")
    return None


def read(text: str) -> tuple[str, Any]:
    """Return the name and the value of a label field such as "marks=C10,U3". Raises ArgumentTypeError."""
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or name not in FIELDS:
        raise ArgumentTypeError(f"NAME=VALUE, where NAME is one of {', '.join(FIELDS)}")
    return name, FIELDS[name][0](value)
