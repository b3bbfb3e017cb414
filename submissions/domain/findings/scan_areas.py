"""Find bad, slow and unsteady areas in the scan of a card."""

from collections.abc import Iterator

from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.report import Scan

# Field of a scan -> the finding of its areas.
_AREAS = (
    ("bad", "bad_areas"),
    ("changed", "changing_areas"),
    ("changed_in_queue", "wrong_in_queue"),
    ("slow", "slow_areas"),
)


def find_areas(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield a finding for each kind of area in the scan of a report, then one for the part without errors."""
    scan = examined.report.scan
    if scan is None:
        return
    for name, code in _AREAS:
        if areas := getattr(scan, name):
            total_bytes = sum(length for _start, length in areas)
            yield Finding(code, {"count": (len(areas), "count"), "total": (total_bytes / 1e9, "GB")})
    if not (scan.bad or scan.changed):
        yield _make_coverage(scan)
    if scan.verified_bytes and scan.queue_depth > 1 and not (scan.changed or scan.changed_in_queue):
        yield Finding("right_in_queue", {"depth": (scan.queue_depth, "count")})


def _make_coverage(scan: Scan) -> Finding:
    if scan.is_whole:
        return Finding("all_readable", {})
    gap = (scan.largest_gap_bytes, "B")
    return Finding("part_readable", {"share": scan.share_in_words, "gap": gap})
