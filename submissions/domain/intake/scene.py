"""State of reading a text line by line, and the base class of its readers: one per tool."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

from submissions.domain.intake.commands import Command
from submissions.domain.intake.lines import Line, NotANumber
from submissions.domain.intake.parsed import TITLED, Fact, Finding, OpenQuestion, Span

_NOTHING_KEPT: Final = ("damaged", "Nothing that was written could be read again.")
NO_CHOICES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(slots=True)
class Scene:
    """What the lines above stated. `command` or `heading`: whichever came last; `command_line`: its line number and the
    whole command; `script`: the title of a script whose commands are known; `device` and `title` (of a Markdown
    section): what was measured; `trouble`: an I/O error since then.

    Readers add to the lists.
    """

    command: Command = field(default_factory=Command)
    heading: str = ""
    command_line: tuple[int, str] = (0, "")
    script: str = ""
    device: str = ""
    title: str = ""
    trouble: str = ""
    line: Line = field(default_factory=lambda: Line(0, "", 0))
    findings: list[Finding] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    questions: list[OpenQuestion] = field(default_factory=list)
    understood: list[Span] = field(default_factory=list)
    answers: Mapping[str, str] = field(default_factory=dict)  # by the keys of the questions
    part: int = 0  # a reader counts it up where the same question may have another answer
    _asked_in: int = -1
    asked_lines: set[int] = field(default_factory=set)  # what hangs on a question is not understood yet
    speaking: set[str] = field(default_factory=set)  # tools with a measurement so far

    @property
    def subject(self) -> str:
        """The device, else the title of the section with a mark before it, else ""."""
        return self.device or (f"{TITLED}{self.title}" if self.title else "")

    def span(self, match: re.Match[str], group: int | str = 0) -> Span:
        return Span(self.line.number, match.start(group), match.end(group))

    def measured(
        self,
        tool: str,
        what: tuple[str, str, str],
        value: float,
        *,
        span: Span,
        parameters: Mapping[str, Any],
    ) -> None:
        """`what`: workload, metric and unit. After an error the number is kept as a failure, with the reason."""
        self.speaking.add(tool)
        if self.trouble:
            self.failed(tool, what, ("io_error", self.trouble), span=span, parameters=parameters)
        else:
            self.findings.append(Finding(span, tool, *what, value, parameters, subject=self.subject))

    def failed(
        self,
        tool: str,
        what: tuple[str, str, str],
        why: tuple[str, str],
        *,
        span: Span,
        parameters: Mapping[str, Any],
    ) -> None:
        """`why`: a word for scripts and a sentence for people."""
        self.findings.append(Finding(span, tool, *what, None, parameters, *why, subject=self.subject))

    def kept(self, tool: str, real_bytes: int, *, kind: str = "", span: Span) -> None:
        """Adds the bytes that keep what is written. `kind`: the `capacity_kind` of a report, "" if not printed."""
        what, parameters = ("capacity", "real_capacity", "B"), {"capacity_kind": kind} if kind else {}
        if real_bytes:
            self.measured(tool, what, real_bytes, span=span, parameters=parameters)
        else:
            self.failed(tool, what, _NOTHING_KEPT, span=span, parameters=parameters)

    def add_fact(self, tool: str, name: str, value: float | str, *, span: Span) -> None:
        self.facts.append(Fact(span, tool, name, value, self.subject))

    def ask(
        self,
        tool: str,
        about: str,
        detail: str,
        *,
        span: Span,
        choices: Mapping[str, str] = NO_CHOICES,
        waiting: bool = True,
    ) -> str:
        """The answer, "" without one. It holds for all rows below, until something else is asked or `part` grows.

        `waiting`: until then the numbers of the line are not understood.
        """
        last = self.questions[-1] if self.questions and self._asked_in == self.part else None
        if not last or (last.tool, last.about, last.detail) != (tool, about, detail):
            last = OpenQuestion(span, tool, about, detail, choices)
            answer = self.answers.get(last.key, "")
            last = replace(last, answer=answer if answer in choices else "")
            self.questions.append(last)
            self._asked_in = self.part
        if waiting and not last.answer:
            self.asked_lines.add(span.line)
        return last.answer


Rows: TypeAlias = tuple[tuple[re.Pattern[str], Callable[..., bool | None]], ...]


class Reader:
    """Reads one tool's lines. `rows`: pattern of a line, from its first character on, and what takes it.

    A handler that returns False has not understood the line. All the numbers inside a match count as understood.
    """

    rows: ClassVar[Rows] = ()

    def take(self, scene: Scene) -> bool:
        """Whether the scene's line was understood."""
        line = scene.line
        for pattern, handler in self.rows:
            match = pattern.match(line.text, line.start)
            if match and self._handled(handler, match, scene):
                scene.understood.append(scene.span(match))
                return True
        return False

    def _handled(self, handler: Callable[..., bool | None], match: re.Match[str], scene: Scene) -> bool:
        """False also where something that looked like a number is none: then nothing of the line counts."""
        count = len(scene.findings)
        try:
            return handler(self, match, scene) is not False
        except NotANumber:
            del scene.findings[count:]
            return False

    def begin(self, scene: Scene) -> None:
        """A command or a heading was given: what comes is another run."""

    def end(self, scene: Scene) -> None:
        """The run is over: the next command or heading, or the end of the text."""
