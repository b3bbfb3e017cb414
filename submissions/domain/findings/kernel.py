"""Find errors between a host and a card: in the log of the kernel, and in measurements that failed."""

from collections.abc import Iterator

from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.findings.real_size import IO_ERRORS
from submissions.domain.measuring.readings import TROUBLE, kind_of
from submissions.domain.report import Failure

_GONE = frozenset({"ETIMEDOUT", "ENODEV", "ENOMEDIUM", "ENXIO"})
_READ_ONLY = "EROFS"


def find_trouble(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield a finding for each kind of trouble in the kernel's log, then for each kind of error in measurements."""
    logged: dict[str, list[str]] = {}
    for reading in examined.report.readings:
        kind = kind_of(reading.name, reading.value)
        if kind and kind.kind == TROUBLE:
            logged.setdefault(kind.breaks, []).append(str(reading.value))
    for breaks, words in logged.items():
        again = f" (+{len(words) - 1})" if len(words) > 1 else ""
        yield Finding(f"trouble_{breaks.replace('-', '_')}", {"words": words[0], "again": again})
    yield from _errors(examined)


def _errors(examined: ExaminedReport) -> Iterator[Finding]:
    found: dict[str, Failure] = {}
    for row in examined.report.measurements:
        if row.failure and row.workload != "fill" and (code := _code(row.failure, row.parameters.direction)):
            found.setdefault(code, row.failure)
    for code, failure in found.items():
        yield Finding(code, {"detail": (failure.detail or failure.code).rstrip(".")})


def _code(failure: Failure, direction: str | None) -> str:
    if failure.code in _GONE:
        return "gone"
    if failure.code == _READ_ONLY or (failure.code in IO_ERRORS and direction == "write"):
        return "write_errors"
    return "read_errors" if failure.code in IO_ERRORS else ""
