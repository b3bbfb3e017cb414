"""Facets: the filters by which visitors choose card models; one table for form, API, its documentation and tests.

A new facet is one row of data/facets.csv and, if it needs one, its column of `models.card.Facets`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from submissions.domain import tables
from submissions.domain.fields import FORMS
from submissions.domain.identity import makers
from submissions.domain.measuring import units
from submissions.domain.measuring.metrics import ABILITIES, Ability
from submissions.domain.translation import Titled

# month: YYYY-MM; moment: a day or a time; class: the number after a letter in a mark on cards.
Kind = Literal["text", "number", "count", "class", "choice", "month", "moment", "flag"]
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{1,4})")
FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Facet(Titled):
    """A filter for card models.

    `column`: a column of card models; if the facet is `of_performance`, an ability, or a key of the leading ability.
    `lookup`: the ORM's name, or “has” (in an array), “matching” (every word), “doubted” (varies, suspicious, or lost
    data) or “offered” (at most, of current prices), which need more than the column. `meaning`: for the documentation
    of the API. `choices`: the choices that a form offers. `values`: a function from a text to values of an array
    column, which raises ValueError with words for the expected text. `needs`: the facet without which this facet has no
    effect.
    """

    name: str
    kind: Kind
    column: str
    lookup: str
    english: str
    meaning: str
    choices: tuple[str, ...] = ()
    values: Callable[[str], list[str]] | None = None
    needs: str = ""
    of_performance: bool = False


def find_oem_numbers(text: str) -> list[str]:
    """Return OEM numbers as stored, such as ["0x544d"] for "0x544d", "544D" or the letters "TM".

    Two letters that are hex digits, too, give two numbers. Raise ValueError for any other text.
    """
    numbers = {int(digits[1], 16)} if (digits := _HEX.fullmatch(text)) else set()
    if len(text) == 2 and text.isascii() and text.isprintable():
        numbers.add(int.from_bytes(text.encode("ascii"), "big"))
    if not numbers:
        raise ValueError("an OEM number such as 0x544d, or its two letters")
    return [f"0x{number:04x}" for number in sorted(numbers)]


def find_makers(words: str) -> list[str]:
    """Return the short names of all makers that contain these words."""
    names = {maker.short_name for maker in makers.all_makers()}
    return sorted(name for name in names if words.lower() in name.lower())


# Base unit of an ability -> the unit in which visitors state a threshold, and its size in base units.
THRESHOLD_UNITS = {units.RATE: ("MB/s", 1e6), units.IOPS: ("IOPS", 1.0), units.TIME: ("ms", 1e6)}


def _threshold(ability: Ability) -> Facet:
    unit, _ = THRESHOLD_UNITS[ability.base_unit]
    end, lookup, word = ("min", "gte", "minimum") if ability.sign > 0 else ("max", "lte", "maximum")
    title = f"{ability.english}, {word} ({unit})"
    meaning = f"{ability.english} in the slot: {word}, in {unit}"
    name = f"{ability.name}_{end}"
    return Facet(name, "number", ability.name, lookup, title, meaning, of_performance=True)


_VALUES = {"maker": find_makers, "oem": find_oem_numbers}


def _facet(row: Mapping[str, Any]) -> Facet:
    return Facet(
        *(row["name"], row["kind"], row["column"], row["lookup"], row["title"], row["meaning"]),
        choices=FORMS if row["name"] == "form" else tuple(filter(None, row["choices"].split("|"))),
        values=_VALUES.get(row["name"]),
        needs=row["needs"],
        of_performance=row["of_performance"] == "yes",
    )


_THRESHOLDS = (_threshold(ability) for ability in ABILITIES.values() if not ability.queue_of)
FACETS = {facet.name: facet for facet in (*map(_facet, tables.rows("facets")), *_THRESHOLDS)}
