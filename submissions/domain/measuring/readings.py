"""The kinds of readings that say something about the model of a card, from data/readings.csv."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from submissions.domain import tables
from submissions.domain.translation import Titled

TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Kind(Titled):
    """A row of data/readings.csv: a kind of reading about a card.

    `kind`: trouble, compatibility, health or verdict. `value`: a pattern; an empty pattern fits any value. A trouble
    `breaks` a function of the card; `quirk` is the workaround of Linux for SD cards, "" without a workaround, and
    `bus_mode` the only mode in which the workaround helps, "" for any mode.
    """

    kind: str
    name: re.Pattern[str]
    value: re.Pattern[str]
    english: str
    breaks: str
    quirk: str
    bus_mode: str
    source: str


@cache
def all_kinds() -> tuple[Kind, ...]:
    return tuple(
        Kind(
            *(row["kind"], re.compile(row["name"]), re.compile(row["value"]), row["title"]),
            *(row["breaks"], row["quirk"], row["bus_mode"], row["source"]),
        )
        for row in tables.rows("readings")
    )


@lru_cache(maxsize=4096)
def kind_of(name: str, value: float | str) -> Kind | None:
    """Return the first row of data/readings.csv that fits a reading of a card.

    It is None for a reading that says nothing about the model, such as a register.
    """
    fitting = (kind for kind in all_kinds() if kind.name.fullmatch(name) and kind.value.search(str(value)))
    return next(fitting, None)
