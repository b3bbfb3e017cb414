"""The errors that a report can raise. Every message names the problem, its place, and the next step."""


class ReportError(ValueError):
    """Something in a report cannot be accepted.

    code: stable snake_case word for scripts; detail: a sentence for people; field: path in the report, or "".
    """

    code = "invalid_report"

    def __init__(self, detail: str, *, field: str = "", code: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.code = code or self.code


class DecodeError(ReportError):
    """A register cannot be read at all; a readable but odd register is a finding, not an error."""

    code = "undecodable_register"


class ImplausibleReport(ReportError):
    """The report contradicts itself as a whole; single odd measurements are kept and marked instead."""

    code = "implausible_report"


class UnknownWorkload(ReportError):
    """A workload, metric or unit that the registry does not describe."""

    code = "unknown_workload"
