"""The contents of a text: numbers that were measured, facts, open questions, and lines that were not understood."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from submissions.domain.intake.lines import Line, numbers

TITLED: Final = "# "  # before a subject that is the title of a section, not a device


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Where something stands: line from 1, columns from 0, the end excluded."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One number a tool has measured, in the unit it was printed in (submissions.domain.measuring.units).

    `value` is None, with `failure` (a word) and `detail` (a sentence), where what was printed is no measurement.
    A workload or metric that the registry does not have is kept beside the report. `subject`: the device, or “# ”
    and the title of the section, as far as the text names it.
    """

    span: Span
    tool: str
    workload: str
    metric: str
    unit: str
    value: float | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""
    detail: str = ""
    subject: str = ""

    @property
    def pattern(self) -> tuple[Any, ...]:
        """Equal for all repeats of one measurement."""
        return (self.tool, self.workload, self.metric, tuple(sorted(self.parameters.items())))


@dataclass(frozen=True, slots=True)
class Fact:
    """A property of the card, the host or a run that a text states and that is no measurement."""

    span: Span
    tool: str
    name: str
    value: int | float | str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What the text leaves open; the numbers it is about become measurements once it is answered.

    `choices`: answers with their words, none where only another text can tell; `answer`: the choice made, or "".
    """

    span: Span
    tool: str
    about: str
    detail: str
    choices: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""

    @property
    def key(self) -> str:
        """The question's name in answers; the line distinguishes questions, as the text never changes."""
        return f"{self.tool}.{self.about}.{self.span.line}".replace(" ", "_")


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line with numbers that no reader understood; `numbers`: the spans of those."""

    line: int
    text: str
    numbers: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """Everything read from one text, in the order of its lines.

    `registers` are hex text by name; `size_bytes` what stood beside them; without them `identity_problem` says why.
    """

    lines: tuple[Line, ...]
    findings: tuple[Finding, ...] = ()
    facts: tuple[Fact, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    understood: tuple[Span, ...] = ()
    not_understood: tuple[UnreadLine, ...] = ()
    registers: Mapping[str, str] = field(default_factory=dict)
    bus: str | None = None
    size_bytes: int | None = None
    identity_problem: str = ""

    @property
    def numbers_understood(self) -> int:
        return self.number_count - sum(len(rest.numbers) for rest in self.not_understood)

    @property
    def number_count(self) -> int:
        return sum(1 for line in self.lines for _ in numbers(line.text))

    def tools(self) -> tuple[str, ...]:
        """Tools with measurements, each once, in the order in which they appear."""
        return tuple(dict.fromkeys(finding.tool for finding in self.findings))

    def facts_named(self, name: str) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.name == name)


def about_two_cards(findings: Iterable[Finding], *, titled: bool) -> tuple[Finding, Finding] | None:
    """The first two findings of different devices or, if `titled`, of different sections with the same measurement."""
    first: dict[object, Finding] = {}
    for finding in sorted(findings, key=lambda finding: finding.span):
        if not finding.subject or finding.subject.startswith(TITLED) != titled:
            continue
        earlier = first.setdefault(finding.pattern if titled else "", finding)
        if earlier.subject != finding.subject:
            return earlier, finding
    return None
