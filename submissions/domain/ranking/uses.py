"""Uses of a card: the ability that orders cards, and the needs that a card must pass. Rows of data/uses.toml.

Profiles are their old form, weighted figures, for pages that have not moved yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from submissions.domain import tables
from submissions.domain.measuring import metrics
from submissions.domain.ranking import catalogue
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.translation import Titled

DEFAULT = "pi-root"
_MATTERS = 0.25


@dataclass(frozen=True, slots=True)
class Need:
    """A threshold for an ability, in its base unit, with the source that asks for it."""

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

    `leading`: the ability that orders cards. `fallback`: the ability that orders cards if the leading one was not
    measured; "" for most uses.
    """

    name: str
    english: str
    version: int
    source: str
    leading: str
    fallback: str
    needs: tuple[Need, ...]

    @property
    def slot(self) -> str:
        """Return the kind of slot it is for, as of an ability."""
        return metrics.ABILITIES[self.leading].slot

    @property
    def leads(self) -> tuple[str, ...]:
        """Return the leading ability and its fallback, if it has one."""
        return (self.leading, self.fallback) if self.fallback else (self.leading,)


@dataclass(frozen=True, slots=True)
class Term:
    """One figure of a profile. `share`: weight over the sum of weights; `spread`: in natural-log units."""

    figure: str
    share: float
    reference: float
    spread: float

    def __post_init__(self) -> None:
        if self.figure not in metrics.FIGURES:
            raise ValueError(f"profile names figure {self.figure!r}, which metrics.FIGURES does not describe")


@dataclass(frozen=True, slots=True)
class Profile(Use):
    """A use with the weights of figures that old pages need."""

    terms: tuple[Term, ...]

    def on(self, interface: Interface) -> tuple[Term, ...]:
        """The terms in a slot of this class, none in another kind of slot. Where commands cannot wait in the card, what
        queue depth 32 weighs goes to the same figure measured with command queueing off."""
        if interface.slot != self.slot:
            return ()
        return self.terms if interface.queues else _unqueued(self.terms)

    @property
    def writes(self) -> frozenset[str]:
        """The figures of writing, in any slot, where writing weighs a quarter or more: then one must be measured."""
        written = tuple(term for term in self.terms if metrics.FIGURES[term.figure].writes)
        return _in_any_slot(written) if sum(term.share for term in written) >= _MATTERS else frozenset()

    @property
    def figures(self) -> frozenset[str]:
        """What it weighs in any slot. One measured with a queue tells something of slots without, and the reverse."""
        return _in_any_slot(self.terms)


@lru_cache(maxsize=100)
def _in_any_slot(terms: tuple[Term, ...]) -> frozenset[str]:
    return frozenset(name for term in terms for name in (term.figure, _without_queue(term.figure)))


@lru_cache(maxsize=100)
def _unqueued(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(replace(term, figure=_without_queue(term.figure)) for term in terms)


def _without_queue(figure: str) -> str:
    queued = metrics.FIGURES[figure].where.get("queue_depth", 1) > 1
    return f"{figure.removesuffix('_qd32')}_unqueued" if queued else figure


@cache
def all_profiles() -> dict[str, Profile]:
    """Return the uses by name with their weights."""
    return {name: _profile(name, row) for name, row in tables.document("uses").items()}


def on(interface: Interface) -> dict[str, Profile]:
    """Return the uses that slots of this class have cards for, with their weights."""
    return {name: profile for name, profile in all_profiles().items() if profile.slot == interface.slot}


def find(name: str) -> Profile:
    """Return the use of this name with its weights; raise ReportError if there is none."""
    return tables.named(name, among=all_profiles(), kind="profile")


def all_uses() -> Mapping[str, Use]:
    """Return the uses by name, in the order of the table."""
    return all_profiles()


def find_use(name: str) -> Use:
    """Return the use of this name; raise ReportError if there is none."""
    return tables.named(name, among=all_uses(), kind="use")


def uses_in(interface: Interface) -> dict[str, Use]:
    """Return the uses that slots of this class have cards for, in the order of the table."""
    return {name: use for name, use in all_uses().items() if use.slot == interface.slot}


def _profile(name: str, row: Mapping[str, Any]) -> Profile:
    needs = tuple(Need(need["ability"], float(need["threshold"]), need["source"]) for need in row["needs"])
    named = (name, row["title"], row["version"], row["source"], row["leading"], row.get("fallback", ""))
    profile = Profile(*named, needs, _terms(row["figures"]))
    asked = (*profile.leads, *(need.ability for need in needs))
    if {metrics.ABILITIES[ability].slot for ability in asked} != {profile.slot}:
        raise ValueError(f"use {name!r} asks for abilities of several kinds of slots")
    return profile


def _terms(rows: Sequence[Mapping[str, Any]]) -> tuple[Term, ...]:
    total = sum(row["weight"] for row in rows)
    return tuple(
        Term(row["name"], row["weight"] / total, float(row["reference"]), float(row["spread"]))
        for row in rows
    )
