"""Uses of a card, from data/uses.toml: the ability by which cards are ranked, and the needs that a card must pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from submissions.domain import tables
from submissions.domain.measuring import metrics
from submissions.domain.ranking import catalogue
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.translation import Titled

DEFAULT = "pi-root"


@dataclass(frozen=True, slots=True)
class Need:
    """A requirement of a use: a threshold for an ability, in its base unit, with the source that requires it."""

    ability: str
    threshold: float
    source: str

    @property
    def log_threshold(self) -> float:
        return catalogue.log_value(self.ability, self.threshold)

    @property
    def number(self) -> int:
        """Return the number of the ability in stored arrays."""
        return metrics.NUMBER_OF_ABILITY[self.ability]


@dataclass(frozen=True, slots=True)
class Use(Titled):
    """A use of a card.

    `leading`: the ability by which cards are ranked. `fallback`: the ability that replaces `leading` if that was not
    measured; "" for most uses. `min_capacity_gb`: a smaller card has no rank. `wants_endurance`: so much is written in
    this use that promises of the maker count.
    """

    name: str
    english: str
    version: int
    source: str
    leading: str
    fallback: str
    needs: tuple[Need, ...]
    min_capacity_gb: float
    wants_endurance: bool

    @property
    def slot(self) -> str:
        """Return the kind of slot in which the leading ability is measured."""
        return metrics.ABILITIES[self.leading].slot

    @property
    def leads(self) -> tuple[str, ...]:
        """Return the ability by which the use ranks cards, and the fallback that replaces it if it was not measured.

        The fallback is left out if the use has none.
        """
        return (self.leading, self.fallback) if self.fallback else (self.leading,)

    @property
    def abilities(self) -> tuple[str, ...]:
        """Return the abilities that the use needs, beginning with those by which it ranks cards."""
        return tuple(dict.fromkeys((*self.leads, *(need.ability for need in self.needs))))


@cache
def all_uses() -> dict[str, Use]:
    """Return the uses by name, in the order of data/uses.toml."""
    return {name: _use(name, row) for name, row in tables.document("uses").items()}


def find_use(name: str) -> Use:
    """Return the use with this name. Raise ReportError if there is none."""
    return tables.find(name, among=all_uses(), kind="use")


def uses_in(interface: Interface) -> dict[str, Use]:
    """Return the uses of cards in slots of this class of interfaces, in the order of data/uses.toml."""
    return {name: use for name, use in all_uses().items() if use.slot == interface.slot}


def _use(name: str, row: Mapping[str, Any]) -> Use:
    needs = tuple(Need(need["ability"], float(need["threshold"]), need["source"]) for need in row["needs"])
    named = (name, row["title"], row["version"], row["source"], row["leading"], row.get("fallback", ""))
    use = Use(*named, needs, float(row["min_capacity_gb"]), row.get("wants_endurance", False))
    if {metrics.ABILITIES[ability].slot for ability in use.abilities} != {use.slot}:
        raise ValueError(f"use {name!r} asks for abilities of several kinds of slots")
    return use
