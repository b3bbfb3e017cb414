"""The rows of data/findings.csv: the gravest severity first, then as in the file."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from submissions.domain import tables


class Severity(StrEnum):
    """How grave a finding is, the gravest first."""

    ALARM = "alarm"
    WARNING = "warning"
    GOOD = "good"
    NOTE = "note"

    @property
    def is_trouble(self) -> bool:
        """Return whether something is wrong with the card or its host."""
        return self in (Severity.ALARM, Severity.WARNING)


REAL_SIZE, HEALTH, KERNEL, IDENTITY = "real size", "health", "kernel", "identity"


@dataclass(frozen=True, slots=True)
class FindingRule:
    """A row of the table. Braces in the texts name values of a finding; `next_step` may be ""."""

    code: str
    kind: str
    severity: Severity
    english: str
    english_next_step: str
    source: str


@cache
def all_rules() -> dict[str, FindingRule]:
    """Return the rules by code."""
    rules = (
        FindingRule(
            row["code"],
            row["kind"],
            Severity(row["severity"]),
            row["sentence"],
            row["next_step"],
            row["source"],
        )
        for row in tables.rows("findings")
    )
    in_order = sorted(rules, key=lambda rule: [*Severity].index(rule.severity))
    return {rule.code: rule for rule in in_order}


@cache
def rank(code: str) -> int:
    """Return the place of a rule among all, 0 for the gravest."""
    return [*all_rules()].index(code)
