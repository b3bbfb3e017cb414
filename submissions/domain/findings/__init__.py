"""Findings of one report: sentences about its speed, real size, identity, health, geometry, errors and alignment.

data/findings.csv lists the findings; a finding is the code of a row and the values that the texts of the row name.
"""

from collections.abc import Iterable

from submissions.domain.findings import card_identity, inside, kernel, life, real_size, scan_areas, speed
from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.findings.finding_rules import HEALTH, KERNEL, REAL_SIZE, Severity, all_rules, rank
from submissions.domain.findings.finding_words import FindingWords, describe_findings

__all__ = [
    "ExaminedReport",
    "Finding",
    "FindingWords",
    "describe_findings",
    "find_findings",
    "find_loss",
    "says_of_model",
]
_FINDERS = (
    real_size.find_real_size,
    scan_areas.find_areas,
    life.find_health,
    kernel.find_trouble,
    card_identity.find_identity,
    inside.find_alignment,
    speed.find_speed,
    inside.find_geometry,
)
# Kinds that say something of other cards of the model; its page shows their identity and speed anyway.
_OF_MODEL = (REAL_SIZE, HEALTH, KERNEL)


def find_findings(examined: ExaminedReport) -> tuple[Finding, ...]:
    """Return every finding of a report, the gravest first."""
    found = [finding for find in _FINDERS for finding in find(examined)]
    return tuple(sorted(found, key=lambda finding: rank(finding.code)))


def find_loss(findings: Iterable[Finding]) -> bool | None:
    """Return whether a test found that data was lost; None if nothing was tested, or too little to tell."""
    rules = [all_rules()[finding.code] for finding in findings]
    severities = {rule.severity for rule in rules if rule.kind == REAL_SIZE}
    if Severity.ALARM in severities:
        return True
    return False if Severity.GOOD in severities else None


def says_of_model(code: str) -> bool:
    """Return whether a finding belongs on the page of the model: real size, health or trouble of a card."""
    rule = all_rules().get(code)
    return rule is not None and rule.kind in _OF_MODEL and rule.severity is not Severity.NOTE
