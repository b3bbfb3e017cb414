"""The contents of a text: measured numbers, facts, open questions, and lines that were not understood."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from submissions.domain.intake.lines import Line, numbers
from submissions.domain.measuring import units

PARTITION_START = "partition_start_bytes"  # the fact where a partition of `subject` begins
MEDIUM = "medium"  # the question whether a card was measured


class Span(NamedTuple):
    """A range of characters in a text: line from 1, columns from 0, `end` excluded."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a tool has measured, in the unit in which it was printed (submissions.domain.measuring.units).

    `value` is None, with `failure` (a word) and `detail` (a sentence), if the printed text is no measurement.
    `workload` and `metric` may be unknown to the registry; the figure is then kept outside of the measurements of the
    report. `subject`: the device. `section`: the heading above and, after a line break, the last line below it that may
    name a card. `run`: the number that the tool or a heading gives to this repeat, 0 without a number. `place`: the
    mount point or drive of the files.
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
    section: str = ""
    run: int = 0
    place: str = ""

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def pattern(self) -> tuple[Any, ...]:
        """Return a key that is equal for all repeats of one measurement."""
        return (self.tool, self.workload, self.metric, tuple(sorted(self.parameters.items())))

    def value_in(self, unit: str) -> float:
        """Return the value of the figure in this base unit, 0 for a failure."""
        return (self.value or 0.0) * units.factor(self.unit, base=unit)


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
    """A question that a text leaves open, for its sender; the numbers that depend on it count once it is answered.

    `choices`: possible answers with their words, empty if only another text can answer; `answer`: the choice made, or
    "".
    """

    span: Span
    tool: str
    about: str
    detail: str
    choices: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""

    @property
    def key(self) -> str:
        """Return the name of the question in the answers of the sender.

        The line distinguishes questions, as the text never changes.
        """
        return f"{self.tool}.{self.about}.{self.span.line}".replace(" ", "_")


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line with numbers that no reader (parser of a tool's output) understood.

    `count`: number of these numbers; `understood`: other parts of the line, which were understood.
    """

    line: int
    text: str
    count: int
    understood: tuple[Span, ...] = ()

    @property
    def numbers(self) -> tuple[Span, ...]:
        """Return the spans of the numbers in the line that were not understood.

        The numbers are searched for at each call instead of stored, because a long text has millions.
        """
        return tuple(Span(self.line, *place) for place in _find_numbers_outside(self.text, self.understood))


def unread_line(line: Line, count: int, understood: tuple[Span, ...]) -> UnreadLine | None:
    """Return a line with `count` numbers as unread; None if every number in the line was understood."""
    if count and understood:
        count = sum(1 for _ in _find_numbers_outside(line.text, understood))
    return UnreadLine(line.number, line.text, count, understood) if count else None


def _find_numbers_outside(text: str, spans: tuple[Span, ...]) -> Iterator[tuple[int, int]]:
    for start, end in numbers(text):
        if not any(span.start <= start and end <= span.end for span in spans):
            yield start, end


@dataclass(frozen=True, slots=True)
class Case:
    """The lines of a text about one card on one host in one condition. `title` distinguishes the case from others.

    `command_lines`: lines above the case with the commands that printed its output.
    """

    first_line: int
    last_line: int
    title: str
    command_lines: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """Return the key of the question that asks the sender about which card the case is."""
        return f"text.case.{self.first_line}"


@dataclass(frozen=True, slots=True)
class RegistersInText:
    """The registers of a text, in hex by name, with the size of the device that is printed beside them.

    `problem`: why some or all registers are missing; "" if none is missing. `subject`: the disk that has these
    registers, "" unless the paths name exactly one disk.
    """

    registers: Mapping[str, str] = field(default_factory=dict)
    bus: str | None = None
    size_bytes: int | None = None
    problem: str = ""
    several_cids: bool = False
    understood: tuple[Span, ...] = ()
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Everything that was read from one text, in the order of its lines.

    `number_count`: number of all numbers, understood or not. `cases`: empty if all of the text is about one card in one
    condition. `is_on_usb`: whether the text says that the disk is on USB.
    """

    lines: tuple[Line, ...]
    figures: tuple[Figure, ...] = ()
    facts: tuple[Fact, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    understood: tuple[Span, ...] = ()
    not_understood: tuple[UnreadLine, ...] = ()
    number_count: int = 0
    identity: RegistersInText = RegistersInText()
    left_out: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    is_on_usb: bool = False

    @property
    def numbers_understood(self) -> int:
        return self.number_count - sum(rest.count for rest in self.not_understood)

    def tools(self) -> tuple[str, ...]:
        """Return the tools with measurements, each once, in the order in which they appear."""
        return tuple(dict.fromkeys(figure.tool for figure in self.figures))

    def facts_named(self, name: str) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.name == name)
