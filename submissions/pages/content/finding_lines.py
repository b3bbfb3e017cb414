"""Put findings (facts that a report shows) into words for pages: those of a report, and those of a model's cards."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from submissions.domain.findings import Finding, FindingWords, Severity, describe_findings
from submissions.domain.findings.finding_rules import REAL_SIZE
from submissions.domain.ranking.summary import CardFinding
from submissions.pages import wording


class ModelFinding(NamedTuple):
    """A finding about the cards of a model, with its words."""

    words: FindingWords
    told: CardFinding


def list_findings(stored: Iterable[Finding | Mapping[str, Any]]) -> list[FindingWords]:
    """Return the findings of a report in words, the gravest first."""
    return describe_findings(stored, localize=wording.localize)


def list_of_model(findings: Iterable[CardFinding]) -> tuple[ModelFinding, ...]:
    """Return the findings about the cards of a model in words, the gravest first."""
    return tuple(
        ModelFinding(words, one)
        for one in findings
        for words in list_findings([{"code": one.code, "values": one.values}])
    )


def list_losses(findings: Iterable[CardFinding]) -> list[str]:
    """Return a sentence for each test that found that a card lost data, and that counts."""
    words = (one.words for one in list_of_model(findings) if not one.told.strangers)
    return [one.sentence for one in words if one.kind == REAL_SIZE and one.severity is Severity.ALARM]
