"""Find the findings of a pasted text, whether or not the text names its card. Nothing is stored."""

from collections.abc import Mapping
from typing import Any

import msgspec

from submissions.domain import report
from submissions.domain.findings import Finding, find_findings
from submissions.domain.findings.examined_report import examine_report
from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read


def find_in_text(text: str, *, label_brand: str = "") -> tuple[Finding, ...]:
    """Return the findings of a text. Raise ReportError if nothing in the text is understood."""
    document = compose(read(text))
    card = document["card"] | ({"label": {"brand": label_brand}} if label_brand else {})
    return find_in_document(document | {"card": card})


def find_in_document(document: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of a report as JSON that `compose` made of a text."""
    return find_findings(examine_report(report.parse(msgspec.json.encode(document))))
