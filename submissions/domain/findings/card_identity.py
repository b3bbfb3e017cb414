"""Find whether the registers of a card agree with each other and with the label."""

from collections.abc import Iterator

from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.identity.suspicions import find_foreign_reason, find_suspicions, verdict
from submissions.domain.identity.suspicions.rules import INFORMATION
from submissions.domain.registers import Decoded

_BEGINNINGS = ("suspicious because ", "known defect: ")


def find_identity(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield findings about the registers of a card.

    A finding says whether the registers agree with each other and with the label, have known defects, or are missing.
    """
    if examined.report.simulated:
        return
    if reason := find_foreign_reason(examined.suspicions):
        yield Finding("other_card", {"reason": _bare(reason)})
    elif examined.decoded is None or not (examined.decoded.cid or examined.decoded.readings):
        yield Finding("no_registers", {})
    elif examined.decoded.cid:
        yield from _judge(examined, examined.decoded)


def _judge(examined: ExaminedReport, decoded: Decoded) -> Iterator[Finding]:
    brand = examined.report.card.label.brand.strip()
    with_label = find_suspicions(decoded, label_brand=brand or None)
    suspicions = {one.id: one for one in (*with_label, *examined.suspicions)}.values()
    if (judged := verdict([*suspicions])) == "nothing unusual":
        yield Finding("agrees", {"brand": brand}) if brand else Finding("consistent", {})
    else:
        reasons = (_bare(one.reason) for one in suspicions if one.weight != INFORMATION)
        yield Finding(judged, {"reason": "; ".join(reasons)})
    for one in suspicions:
        if one.weight == INFORMATION:
            yield Finding("defect", {"reason": _bare(one.reason), "source": one.source})


def _bare(reason: str) -> str:
    for beginning in _BEGINNINGS:
        reason = reason.removeprefix(beginning)
    return reason
