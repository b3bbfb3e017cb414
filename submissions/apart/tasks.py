"""The tasks: name -> function, and how much processor time and memory it may take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from submissions.domain.errors import ReportError
from submissions.domain.intake.lines import decode
from submissions.domain.pasting import dry_run, inspection, pasted


@dataclass(frozen=True, slots=True)
class Task:
    """`refusal`: of what takes more than `cpu_s` or `memory_bytes`."""

    work: Callable[..., Any]
    cpu_s: float
    memory_bytes: int
    refusal: ReportError


def _preview(text: bytes, answers: Mapping[str, str]) -> dry_run.Preview:
    return dry_run.preview(decode(text), answers=answers)


def _take(text: bytes, claims: pasted.Claims) -> pasted.PastedReport:
    return pasted.take(text, claims=claims)


_LONG_TEXT: Final = ReportError(
    "The text takes too long to read. Paste the part with the measurements, or several parts.",
    field="text",
    code="too_large",
)
# The longest log seen in public (17,000 lines, a night of flashbench) takes .4 s, on a small or busy server over 1.
_OF_TEXT: Final = (2.0, 320 * 2**20, _LONG_TEXT)
TASKS: Final = {
    "preview": Task(_preview, *_OF_TEXT),
    "take": Task(_take, *_OF_TEXT),
    "inspect": Task(inspection.inspect, *_OF_TEXT),
}
