"""The rules of findings from data/findings.csv, sorted by severity, the gravest first."""

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
    """A row of data/findings.csv. Braces in its texts name values of a finding; `english_next_step` may be ""."""

    code: str
    kind: str
    severity: Severity
    english: str
    english_next_step: str
    source: str


@cache
def all_rules() -> dict[str, FindingRule]:
    """Return the rules of findings by code, the gravest first and then in the order of data/findings.csv."""
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
    """Return the position of a rule of findings among all rules, 0 for the gravest."""
    return [*all_rules()].index(code)
