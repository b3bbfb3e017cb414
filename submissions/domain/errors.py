"""The errors that a report can raise. Each message names the problem, its place in the report, and the next step."""


class ReportError(ValueError):
    """Raised for a part of a report that cannot be accepted.

    `code`: a stable snake_case word for scripts; `detail`: a sentence for people; `field`: the path in the report, or
    "".
    """

    code = "invalid_report"

    def __init__(self, detail: str, *, field: str = "", code: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.code = code or self.code


class DecodeError(ReportError):
    """Raised for a register that cannot be read at all; a readable but odd register is a finding, not an error."""

    code = "undecodable_register"


class ImplausibleReport(ReportError):
    """Raised for a report that contradicts itself as a whole; a single odd measurement is kept and marked instead."""

    code = "implausible_report"


class UnknownWorkload(ReportError):
    """Raised for a workload, metric or unit that the registry of metrics does not describe."""

    code = "unknown_workload"
