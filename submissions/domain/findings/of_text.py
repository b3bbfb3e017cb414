"""Find the findings of a pasted text, whether or not it names its card. Nothing is stored."""

from collections.abc import Mapping
from typing import Any

import msgspec

from submissions.domain import geometry, report
from submissions.domain.findings import ExaminedReport, Finding, find_findings
from submissions.domain.identity.identification import decode_card
from submissions.domain.identity.suspicions import find_suspicions
from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read
from submissions.domain.measuring import normalize
from submissions.domain.report import Report


def find_in_text(text: str, *, label_brand: str = "") -> tuple[Finding, ...]:
    """Return the findings of a text. Raises ReportError when nothing is understood."""
    document = compose(read(text))
    card = document["card"] | ({"label": {"brand": label_brand}} if label_brand else {})
    return find_in_document(document | {"card": card})


def find_in_document(document: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of a report that was just composed."""
    return find_findings(examine_report(report.parse(msgspec.json.encode(document))))


def examine_report(document: Report) -> ExaminedReport:
    """Work out everything that the rules of findings look at."""
    card = document.card
    decoded, _ = decode_card(card)
    size_bytes = card.size_bytes or (decoded.capacity_bytes if decoded else None)
    measured, _ = normalize.normalize(document, bus=decoded.bus if decoded else card.bus)
    inside = (*geometry.stated(document, measured), *geometry.infer(measured, size_bytes=size_bytes))
    # The size of a partition is not that of the card.
    whole_bytes = card.size_bytes if document.run.target == "device" else None
    suspicions = find_suspicions(decoded, size_bytes=whole_bytes) if decoded else ()
    return ExaminedReport(document, measured, inside, decoded, suspicions, size_bytes)
