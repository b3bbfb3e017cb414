"""Facets: the filters by which visitors choose card models; one table for form, API, document of the API and tests.

A new facet is one row here and, if it needs one, its column of `models.card.Facets`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from submissions.domain.fields import FORMS
from submissions.domain.identity import makers
from submissions.domain.measuring import units
from submissions.domain.measuring.metrics import ABILITIES, Ability
from submissions.domain.translation import Titled

# month: YYYY-MM; moment: a day or a time; class: the number behind a letter that is printed on cards.
Kind = Literal["text", "number", "count", "class", "choice", "month", "moment", "flag"]
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{1,4})")
FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Facet(Titled):
    """A filter.

    `column` of a card model; if the facet is `of_performance`, an ability, or a key of the leading one. `lookup`: as
    the ORM calls it; besides “has” (in an array), “matching” (every word), “doubted” (varies, suspicious, or lost data)
    and “offered” (at most, of current prices), which need more than the column. `meaning`: for the document of the API.
    `choices`: those that a form offers. `values`: the values of an array column for a text; raises ValueError with
    words for the expected text. `needs`: the facet without which this one has no effect.
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

    Two letters that are hex digits, too, give both numbers.
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


def _class(column: str, english: str, choices: tuple[str, ...]) -> Facet:
    """At least this class, of those that a card declares or has printed on it."""
    meaning = f"{choices[0]} to {choices[-1]}, or better"
    return Facet(column, "class", column, "gte", english, meaning, choices)


# Base unit of an ability -> the unit in which visitors state a threshold, and its size in base units.
THRESHOLD_UNITS = {units.RATE: ("MB/s", 1e6), units.IOPS: ("IOPS", 1.0), units.TIME: ("ms", 1e6)}


def _threshold(ability: Ability) -> Facet:
    unit, _ = THRESHOLD_UNITS[ability.base_unit]
    end, lookup, word = ("min", "gte", "at least") if ability.sign > 0 else ("max", "lte", "at most")
    title = f"{ability.english}, {word} ({unit})"
    meaning = f"{ability.english} in the slot: {word} so many {unit}"
    name = f"{ability.name}_{end}"
    return Facet(name, "number", ability.name, lookup, title, meaning, of_performance=True)


_BUS_MODES = ("HS", "SDR25", "DDR50", "SDR50", "SDR104")
_CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY")
_SOUGHT = "words in a name, a maker, a product name, a register in hex"
_MAKER = "words in the name of who made the silicon"
_HEALTH = "a card of it told how much of its life is used"
_CARDS = "cards whose leading ability was measured"
_HERE = "here: the leading ability of the use was measured in such a slot"
_CURRENCY = "of price_max, e.g. EUR; without price_max it asks nothing"

# name, kind, column, lookup, title, meaning
FACETS = {
    facet.name: facet
    for facet in (
        Facet("q", "text", "words", "matching", "Search", _SOUGHT),
        Facet("capacity_gb_min", "number", "capacity_gb", "gte", "Size from, GB", "as sold, or more"),
        Facet("capacity_gb_max", "number", "capacity_gb", "lte", "Size to, GB", "as sold, or less"),
        Facet(
            "price_max", "number", "price", "offered", "Max price", "of a price that is younger than a year"
        ),
        Facet(
            "price_currency",
            "choice",
            "currency",
            "iexact",
            "Currency",
            _CURRENCY,
            _CURRENCIES,
            needs="price_max",
        ),
        Facet("brand", "text", "brand", "iexact", "Brand", "as the label has it"),
        Facet("maker", "text", "makers", "overlap", "Made by", _MAKER, values=find_makers),
        Facet("oem", "text", "oems", "overlap", "OEM number", "0x544d or TM", values=find_oem_numbers),
        Facet("form", "choice", "form", "exact", "Form", "microSD, or SD: full size", FORMS),
        _class("app_perf_class", "Application class", ("A1", "A2")),
        _class("video_speed_class", "Video class", ("V6", "V10", "V30", "V60", "V90")),
        _class("uhs_speed_grade", "UHS grade", ("U1", "U3")),
        Facet("bus_mode", "choice", "bus_modes", "has", "Seen in bus mode", "e.g. SDR104", _BUS_MODES),
        Facet("manufactured_since", "month", "manufactured_last", "gte", "Made since", "YYYY-MM"),
        Facet(
            "flagged",
            "flag",
            "varies",
            "doubted",
            "Doubts",
            "its cards differ, some are suspicious, or one lost data",
        ),
        Facet("sold", "flag", "is_sold", "exact", "Sold today", "shops sell it today, as far as is known"),
        Facet("tells_health", "flag", "tells_health", "exact", "Reports its health", _HEALTH),
        Facet("min_cards", "count", "cards", "gte", "Cards tested, at least", _CARDS, of_performance=True),
        Facet("capacity_gb", "number", "capacity_gb", "exact", "Capacity, GB", "as sold"),
        _class("speed_class", "Speed class", ("C2", "C4", "C6", "C10")),
        Facet("seen_since", "moment", "created_at", "gte", "First seen since", "first seen then or later"),
        Facet(
            "origin",
            "choice",
            "origin",
            "exact",
            "Measured on this device",
            _HERE,
            ("here",),
            of_performance=True,
        ),
        *(_threshold(ability) for ability in ABILITIES.values() if not ability.queue_of),
    )
}
