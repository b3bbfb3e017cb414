"""Find how much a card really holds: from tests that write it and read it back."""

import math
from collections.abc import Iterator

from submissions.domain.findings.case import Case, Finding
from submissions.domain.identity.model_names import LEAST_OF_LABEL
from submissions.domain.measuring.normalize import Measured

# The codes of failures by which a device, and no program, says that it fails.
IO_ERRORS = frozenset({"io_error", "EIO", "EREMOTEIO", "EILSEQ", "ENODATA"})
_SMALLER = ("limbo", "wraparound", "chain")


def find_real_size(case: Case) -> Iterator[Finding]:
    """Yield the finding of the last test of the capacity; its figure counts before the facts beside it."""
    tests = [measured for measured in case.measured if measured.workload == "capacity"]
    losses = [loss for test in tests if (loss := _loss(case, test))] or [*_printed_losses(case)]
    yield from losses[-1:] or _find_kept(case, tests)


def _loss(case: Case, test: Measured) -> Finding | None:
    kind = test.parameters.get("capacity_kind")
    if kind == "lost":
        return _lost_amount(case) or Finding("lost_in_part", {})
    if not test.value:
        return _failed_test(case)
    if kind == "damaged":
        return _lost_amount(case) or Finding("damaged", {})
    if kind in _SMALLER or (kind is None and not _is_whole(case, test.value)):
        return _smaller(case, test.value)
    return None


def _failed_test(case: Case) -> Finding | None:
    # A card that keeps nothing ends the test; an error of the system interrupts it.
    codes = {
        row.failure.code for row in case.report.measurements if row.workload == "capacity" and row.failure
    }
    interrupted = any(code.isupper() for code in codes - IO_ERRORS)
    if broken := codes & IO_ERRORS:
        return Finding("scan_errors", {"detail": broken.pop()})
    return None if interrupted else Finding("kept_nothing", {})


def _is_whole(case: Case, kept_bytes: float) -> bool:
    # A file system takes a little.
    return not _lost_bytes(case) and kept_bytes >= LEAST_OF_LABEL * (case.announced_bytes or math.inf)


def _smaller(case: Case, kept_bytes: float) -> Finding:
    lost = _lost_amount(case)
    announced = case.announced_bytes or (lost and _tested_bytes(case))
    if not announced:
        return _make_finding("kept_part", kept=kept_bytes)
    if lost and kept_bytes >= LEAST_OF_LABEL * announced:
        return lost
    return _make_finding("smaller", kept=kept_bytes, announced=announced)


def _printed_losses(case: Case) -> Iterator[Finding]:
    verdict, lost = case.find_text("capacity_verdict"), _lost_amount(case)
    if lost:
        yield lost
    elif verdict and verdict != "good":
        yield Finding("damaged", {})
    failed = (row.failure for row in case.report.measurements if row.workload == "fill" and row.failure)
    if broken := next((failure for failure in failed if failure.code in IO_ERRORS), None):
        yield Finding("scan_errors", {"detail": (broken.detail or broken.code).rstrip(".")})


def _lost_bytes(case: Case) -> float:
    return case.find_number("lost_bytes", "about_lost_bytes") or 0.0


def _tested_bytes(case: Case) -> float:
    return _lost_bytes(case) + (case.find_number("ok_bytes", "about_ok_bytes") or 0.0)


def _lost_amount(case: Case) -> Finding | None:
    lost = _lost_bytes(case)
    return _make_finding("lost", lost=lost, tested=_tested_bytes(case)) if lost else None


def _find_kept(case: Case, tests: list[Measured]) -> Iterator[Finding]:
    kept = next((test.value for test in tests if test.value), None)
    tested = case.find_number("tested_bytes", "ok_bytes", "about_ok_bytes")
    announced = case.announced_bytes
    if kept:
        yield _make_finding("all_kept", kept=kept)
    elif tested and announced:
        whole = tested >= LEAST_OF_LABEL * announced
        sizes = {"kept": tested} if whole else {"tested": tested, "announced": announced}
        yield _make_finding("all_kept" if whole else "part_kept", **sizes)
    elif case.find_text("capacity_verdict") == "good" or tested:
        yield Finding("no_error", {})


def _make_finding(code: str, **sizes_bytes: float) -> Finding:
    # As capacities are printed on cards: powers of 1000.
    return Finding(code, {name: (size_bytes / 1e9, "GB") for name, size_bytes in sizes_bytes.items()})
