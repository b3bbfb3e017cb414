"""Apply the rules in data/suspicions.csv to the evidence of a card."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from submissions.domain import tables
from submissions.domain.identity.suspicions import predicates
from submissions.domain.identity.suspicions.predicates import Answer, CardEvidence
from submissions.domain.registers import Cid

DECISIVE = "H"
STRONG = "S"
WEAK = "W"
INFORMATION = "I"  # a known defect of a genuine card; says nothing against its identity
_MATCHED = ("bus", "label", "identity", "pnm", "prv")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A suspicion about a card: a rule of data/suspicions.csv that fired.

    `weight`: "H" decisive, "S" strong, "W" weak, "I" information.
    """

    id: str
    weight: str
    reason: str
    false_positives: str
    source: str


class SuspicionRule(NamedTuple):
    """A row of data/suspicions.csv. A rule without `condition` fires if its `matchers`, patterns for facts, all fit."""

    id: str
    weight: str
    matchers: tuple[tuple[str, re.Pattern[str]], ...]
    condition: Callable[[CardEvidence], Answer] | None
    reason: str
    false_positives: str
    source: str


def apply_rules(evidence: CardEvidence) -> Iterator[Suspicion]:
    """Yield a suspicion for every rule that fires, in the order of data/suspicions.csv."""
    facts = facts_of(evidence)
    for rule in all_rules():
        if _fits(rule, facts) and (suspicion := _apply(rule, evidence, facts)):
            yield suspicion


def _fits(rule: SuspicionRule, facts: Mapping[str, str | None]) -> bool:
    compared = ((facts[name], pattern) for name, pattern in rule.matchers)
    return all(fact is not None and pattern.fullmatch(fact) for fact, pattern in compared)


def _apply(rule: SuspicionRule, evidence: CardEvidence, facts: Mapping[str, str | None]) -> Suspicion | None:
    answer = rule.condition(evidence) if rule.condition else True
    if not answer:
        return None
    reason = rule.reason.format_map({**facts, "detail": answer})
    return Suspicion(rule.id, rule.weight, f"suspicious because {reason}", rule.false_positives, rule.source)


def facts_of(evidence: CardEvidence) -> dict[str, str | None]:
    """Return the facts about a card that matchers compare and reasons quote, as text; None for an unknown fact.

    The serial number is not among them.
    """
    label = " ".join((evidence.label_brand or "").split())
    return {
        "bus": evidence.decoded.bus,
        "label": label.casefold() or None,
        "capacity_bytes": _number(evidence.capacity_bytes),
        "size_bytes": _number(evidence.size_bytes),
        **_facts_of_cid(evidence.cid),
    }


def _facts_of_cid(cid: Cid | None) -> dict[str, str | None]:
    if cid is None:
        return dict.fromkeys(("identity", "mid", "oid", "pnm", "prv", "mdt"))
    oid = "" if cid.oid is None else f"{cid.oid:04x}" if cid.bus == "SD" else f"{cid.oid:02x}"
    return {
        "identity": f"{cid.mid:02x}/{oid}",
        "mid": f"0x{cid.mid:02x}",
        "oid": cid.oid_text,
        "pnm": cid.pnm,
        "prv": cid.prv,
        "mdt": cid.mdt,
    }


def _number(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"


@cache
def all_rules() -> tuple[SuspicionRule, ...]:
    """Return every rule in the order of data/suspicions.csv."""
    return tuple(
        SuspicionRule(
            id=row["id"],
            weight=row["weight"],
            matchers=tuple((name, re.compile(row[name])) for name in _MATCHED if row[name]),
            condition=getattr(predicates, row["condition"]) if row["condition"] else None,
            reason=row["reason"],
            false_positives=row["false_positives"],
            source=row["source"],
        )
        for row in tables.rows("suspicions")
    )
