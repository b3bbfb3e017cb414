"""Find what the registers of a card tell of its identity, and what speaks against them."""

from collections.abc import Iterator

from submissions.domain.findings.case import Case, Finding
from submissions.domain.identity.suspicions import of_another_card, verdict
from submissions.domain.identity.suspicions.rules import INFORMATION

_BEGINNINGS = ("suspicious because ", "known defect: ")


def find_identity(case: Case) -> Iterator[Finding]:
    """Yield whether the registers agree with each other and with the label, known defects, and what is missing."""
    if case.report.simulated:
        return
    if reason := of_another_card(case.suspicions):
        yield Finding("other_card", {"reason": _bare(reason)})
    elif case.decoded is None or not (case.decoded.cid or case.decoded.readings):
        yield Finding("no_registers", {})
    elif case.decoded.cid:
        yield _judge(case)
        yield from _defects(case)


def _judge(case: Case) -> Finding:
    judged, brand = verdict(case.suspicions), case.report.card.label.brand.strip()
    if judged == "nothing unusual":
        return Finding("agrees", {"brand": brand}) if brand else Finding("consistent", {})
    reasons = (_bare(one.reason) for one in case.suspicions if one.weight != INFORMATION)
    return Finding(judged, {"reason": "; ".join(reasons)})


def _defects(case: Case) -> Iterator[Finding]:
    for one in case.suspicions:
        if one.weight == INFORMATION:
            yield Finding("defect", {"reason": _bare(one.reason), "source": one.source})


def _bare(reason: str) -> str:
    for beginning in _BEGINNINGS:
        reason = reason.removeprefix(beginning)
    return reason
