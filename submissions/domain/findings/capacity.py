"""Find how much a card really holds: from tests that write it and read it back."""

import math
from collections.abc import Iterator

from submissions.domain.findings.case import Amount, Case, Finding
from submissions.domain.identity.model_names import LEAST_OF_LABEL
from submissions.domain.measuring.normalize import Measured

# The codes of failures by which a device, and no program, says that it fails.
IO_ERRORS = frozenset({"io_error", "EIO", "EREMOTEIO", "EILSEQ", "ENODATA"})
_SMALLER = ("limbo", "wraparound", "chain")


def find_real_size(case: Case) -> Iterator[Finding]:
    """Yield what the last test of the capacity found; its figure comes before what it printed beside it."""
    tests = [measured for measured in case.measured if measured.workload == "capacity"]
    losses = [loss for test in tests if (loss := _loss(case, test))] or [*_printed_losses(case)]
    yield from losses[-1:] or _kept(case, tests)


def _loss(case: Case, test: Measured) -> Finding | None:
    kind = test.parameters.get("capacity_kind")
    if kind == "lost":
        return _lost_amount(case) or Finding("lost_in_part", {})
    if not test.value:
        return Finding("kept_nothing", {})
    if kind == "damaged":
        return _lost_amount(case) or Finding("damaged", {})
    if kind in _SMALLER or (kind is None and not _is_whole(case, test.value)):
        return _smaller(case, test.value)
    return None


def _is_whole(case: Case, kept_bytes: float) -> bool:
    """Whether it kept as much as is left beside a file system; who states the kind of a loss knows better."""
    return not _lost_bytes(case) and kept_bytes >= LEAST_OF_LABEL * (case.announced_bytes or math.inf)


def _smaller(case: Case, kept_bytes: float) -> Finding:
    lost = _lost_amount(case)
    announced = case.announced_bytes or (lost and _tested_bytes(case))
    if not announced:
        return _of_sizes("kept_part", kept=kept_bytes)
    if lost and kept_bytes >= LEAST_OF_LABEL * announced:
        return lost
    return _of_sizes("smaller", kept=kept_bytes, announced=announced)


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
    return _of_sizes("lost", lost=lost, tested=_tested_bytes(case)) if lost else None


def _kept(case: Case, tests: list[Measured]) -> Iterator[Finding]:
    kept = next((test.value for test in tests if test.value), None)
    tested = case.find_number("tested_bytes", "ok_bytes", "about_ok_bytes")
    announced = case.announced_bytes
    if kept:
        yield _of_sizes("all_kept", kept=kept)
    elif tested and announced:
        whole = tested >= LEAST_OF_LABEL * announced
        sizes = {"kept": tested} if whole else {"tested": tested, "announced": announced}
        yield _of_sizes("all_kept" if whole else "part_kept", **sizes)
    elif case.find_text("capacity_verdict") == "good" or tested:
        yield Finding("no_error", {})


def _of_sizes(code: str, **sizes_bytes: float) -> Finding:
    return Finding(code, {name: _in_gigabytes(size_bytes) for name, size_bytes in sizes_bytes.items()})


def _in_gigabytes(size_bytes: float) -> Amount:
    """As capacities are printed on cards: powers of 1000."""
    return size_bytes / 1e9, "GB"
