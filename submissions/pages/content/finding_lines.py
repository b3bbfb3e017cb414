"""Findings in words for pages: those of a report, and those of the cards of a model."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.translation import ngettext

from submissions.domain.findings import Finding, FindingWords, Severity, describe_findings
from submissions.domain.findings.finding_rules import REAL_SIZE
from submissions.domain.ranking.summary import CardFinding
from submissions.pages import wording


class ModelFinding(NamedTuple):
    """A finding in words, and the number of its cards, such as "2 cards".

    `reported_by` are the people who report it, "" if it counts.
    """

    words: FindingWords
    cards: str
    reported_by: str


def list_findings(stored: Iterable[Finding | Mapping[str, Any]]) -> list[FindingWords]:
    """Return the findings of a report in words, the gravest first."""
    return describe_findings(stored, localize=wording.localize)


def list_of_model(findings: Iterable[CardFinding]) -> tuple[ModelFinding, ...]:
    """Return the findings of a model in words, the gravest first."""
    return tuple(
        ModelFinding(words, wording.cards(one.cards), _name_strangers(one.strangers))
        for one in findings
        for words in list_findings([{"code": one.code, "values": one.values}])
    )


def _name_strangers(count: int) -> str:
    says = ngettext("One person without a record says:", "%(count)s people without a record say:", count)
    return says % {"count": count} if count else ""


def list_losses(findings: Iterable[CardFinding]) -> list[str]:
    """Return a sentence for each test that found that a card lost data, and that counts."""
    words = (one.words for one in list_of_model(findings) if not one.reported_by)
    return [one.sentence for one in words if one.kind == REAL_SIZE and one.severity is Severity.ALARM]
