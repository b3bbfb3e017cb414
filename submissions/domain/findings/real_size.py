"""Find how much a card really holds, from tests that write the card and read it back."""

import math
from collections.abc import Iterator

from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.identity.model_names import LEAST_OF_LABEL
from submissions.domain.measuring.normalize import Measured

# The codes of failures by which a device, and no program, says that it fails.
IO_ERRORS = frozenset({"io_error", "EIO", "EREMOTEIO", "EILSEQ", "ENODATA"})
# The parts of a loss, as f3 and H2testw print them.
_PARTS = ("corrupted_bytes", "changed_bytes", "overwritten_bytes")
_SMALLER = ("limbo", "wraparound", "chain")


def find_real_size(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield the finding of the last test of the capacity; its measured figure takes precedence over printed facts."""
    tests = [measured for measured in examined.measured if measured.workload == "capacity"]
    losses = [loss for test in tests if (loss := _loss(examined, test))] or [*_printed_losses(examined)]
    yield from losses[-1:] or _find_kept(examined, tests)


def _loss(examined: ExaminedReport, test: Measured) -> Finding | None:
    kind = test.parameters.get("capacity_kind")
    if kind == "lost":
        return _lost_amount(examined) or Finding("lost_in_part", {})
    if not test.value:
        return _failed_test(examined)
    if kind == "damaged":
        return _lost_amount(examined) or Finding("damaged", {})
    if kind in _SMALLER or (kind is None and not _is_whole(examined, test.value)):
        return _smaller(examined, test.value)
    return None


def _failed_test(examined: ExaminedReport) -> Finding | None:
    # A card that keeps nothing ends the test; an error of the system interrupts it.
    codes = {
        row.failure.code for row in examined.report.measurements if row.workload == "capacity" and row.failure
    }
    interrupted = any(code.isupper() for code in codes - IO_ERRORS)
    if broken := codes & IO_ERRORS:
        return Finding("scan_errors", {"detail": broken.pop()})
    return None if interrupted else Finding("kept_nothing", {})


def _is_whole(examined: ExaminedReport, kept_bytes: float) -> bool:
    # A file system takes a little of the capacity.
    return not _lost_bytes(examined) and kept_bytes >= LEAST_OF_LABEL * (examined.announced_bytes or math.inf)


def _smaller(examined: ExaminedReport, kept_bytes: float) -> Finding:
    lost = _lost_amount(examined)
    announced = examined.announced_bytes or (lost and _tested_bytes(examined))
    if not announced:
        return _make_finding("kept_part", kept=kept_bytes)
    if lost and kept_bytes >= LEAST_OF_LABEL * announced:
        return lost
    return _make_finding("smaller", kept=kept_bytes, announced=announced)


def _printed_losses(examined: ExaminedReport) -> Iterator[Finding]:
    verdict, lost = examined.find_text("capacity_verdict"), _lost_amount(examined)
    if lost:
        yield lost
    elif verdict and verdict != "good":
        yield Finding("damaged", {})
    failed = (row.failure for row in examined.report.measurements if row.workload == "fill" and row.failure)
    if broken := next((failure for failure in failed if failure.code in IO_ERRORS), None):
        yield Finding("scan_errors", {"detail": (broken.detail or broken.code).rstrip(".")})


def _lost_bytes(examined: ExaminedReport) -> float:
    # Of several tests, the one with the greatest loss counts. A missing sum is the sum of its parts.
    return _find_most(examined, "lost_bytes") or sum(_find_most(examined, part) for part in _PARTS)


def _find_most(examined: ExaminedReport, name: str) -> float:
    return max((*examined.list_numbers(name), *examined.list_numbers(f"about_{name}")), default=0.0)


def _tested_bytes(examined: ExaminedReport) -> float:
    kept = examined.list_numbers("ok_bytes") or examined.list_numbers("about_ok_bytes")
    return _lost_bytes(examined) + min(kept, default=0.0)


def _lost_amount(examined: ExaminedReport) -> Finding | None:
    lost = _lost_bytes(examined)
    return _make_finding("lost", lost=lost, tested=_tested_bytes(examined)) if lost else None


def _find_kept(examined: ExaminedReport, tests: list[Measured]) -> Iterator[Finding]:
    kept = next((test.value for test in tests if test.value), None)
    tested = examined.find_number("tested_bytes", "ok_bytes", "about_ok_bytes")
    announced = examined.announced_bytes
    if kept:
        yield _make_finding("all_kept", kept=kept)
    elif tested and announced:
        whole = tested >= LEAST_OF_LABEL * announced
        sizes = {"kept": tested} if whole else {"tested": tested, "announced": announced}
        yield _make_finding("all_kept" if whole else "part_kept", **sizes)
    elif tested:
        yield _make_finding("tested_kept", tested=tested)
    elif examined.find_text("capacity_verdict") == "good":
        yield Finding("no_error", {})


def _make_finding(code: str, **sizes_bytes: float) -> Finding:
    # As capacities are printed on cards: powers of 1000.
    return Finding(code, {name: (size_bytes / 1e9, "GB") for name, size_bytes in sizes_bytes.items()})
