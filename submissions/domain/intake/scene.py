"""The state of reading a text line by line, to which the readers (the parsers of tools' outputs) add their results."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from submissions.domain.intake.commands import Command
from submissions.domain.intake.lines import Line
from submissions.domain.intake.parsed import Fact, Figure, OpenQuestion, Span
from submissions.domain.intake.undress import DecimalMarks

_MOST_WAITING = 50  # commands
_MOST_FORMS = 8_000  # forms of lines, in one text, that no reader took unchanged: each takes some 0.1 ms
_POINTS = DecimalMarks(comma=False, point=True)
NO_CHOICES: Mapping[str, str] = MappingProxyType({})


class Scene:
    """The state after the lines of a text that were read so far; readers add to its lists.

    command, heading  the last command or heading, whichever is later; the other is empty
    commands      commands since the last output, because a list may precede the output of all of them
    chain         commands of the last command line
    command_line  number of that line, and its whole text
    device        the measured device; place: the mount point or drive of its files
    host          user and machine of the last prompt; trouble: an I/O error since the last command
    label         a short line above, which no reader took
    left_out      in words: results that do not measure a card
    """

    def __init__(self, answers: Mapping[str, str] = NO_CHOICES, marks: DecimalMarks = _POINTS) -> None:
        self.answers, self.marks = answers, marks  # answers by the keys of the questions
        self.command, self.commands, self.chain = Command(), tuple[Command, ...](), tuple[Command, ...]()
        self.command_line = (0, "")
        self.heading = self.device = self.place = self.host = self.trouble = self.label = ""
        self.line = Line(0, "", 0)
        self.figures, self.facts, self.questions = list[Figure](), list[Fact](), list[OpenQuestion]()
        self.understood, self.left_out = list[Span](), list[str]()
        self.asked_lines = set[int]()  # lines with numbers that depend on an open question
        self.part = 0  # a reader increases it where the same question may have another answer
        self._asked_in = -1
        self.section_lines = list[tuple[int, str]]()
        self.speaking = set[str]()  # tools with a measurement so far
        self.titles = set[str]()  # all so far: a line that a tool prints again and again is no title
        self.named_at = 0  # line number of the last line that may be a title
        self.read_at = 0  # line number of the last line that a reader took
        self.forms_left = _MOST_FORMS
        self.rest: Line | None = None  # lines above that no reader took, as one line
        self.rest_ends_at = 0  # number of the last of these lines, 0 if it is too short to have been wrapped
        self.command_lines = list[tuple[int, tuple[int, ...]]]()  # with lines of waiting commands
        self.output_lines = list[int]()  # first lines of the output of tools
        self._runs = list[tuple[int, int]]()

    def begin_section(self, title: str) -> None:
        """Note the current line as a heading, below which another card may follow."""
        self.section_lines.append((self.line.number, f"{title}\n"))
        self.device = ""

    def entitle(self, line: str, key: str = "") -> bool:
        """Note a line as a title the first time that it occurs in the text. Return whether output precedes it.

        `key`: equal for lines that differ only in numbers, which a tool prints in every run.
        """
        key = (key or line).casefold()
        if key in self.titles:
            return False
        self.titles.add(key)
        heading = self.title_at(self.line.number).partition("\n")[0]
        self.section_lines.append((self.line.number, "\n".join((heading, line.rstrip(":")))))
        return bool(self.understood) and self.understood[-1].line > self.command_line[0]

    def entitle_result(self, words: str) -> None:
        """Note the words beside a result as the title of the result, even if an earlier result had the same title."""
        heading, _, title = self.title_at(self.line.number).partition("\n")
        if title != words:
            self.section_lines.append((self.line.number, f"{heading}\n{words}"))

    def begin_commands(self, chain: Sequence[Command]) -> None:
        """Note the commands of a line; commands above it still wait for output if there was none."""
        is_waiting = bool(chain) and self.read_at < self.command_line[0] and bool(self.command_lines)
        waiting, lines = (self.commands, self.command_lines[-1][1]) if is_waiting else ((), ())
        self.chain = tuple(chain)
        own = (self.line.number,) if chain else ()
        self.command_lines.append((self.line.number, (*lines, *own)[-_MOST_WAITING:]))
        self.commands = (*waiting, *chain)[-_MOST_WAITING:]
        self.command = chain[0] if chain else Command()

    def forget_last_chain(self) -> None:
        """Drop the commands of the line above, because they are complete only with the current line."""
        self.commands = self.commands[: len(self.commands) - len(self.chain)]

    def commands_of(self, program: str) -> tuple[Command, ...]:
        return tuple(command for command in self.commands if command.program == program)

    def begin_run(self, number: int) -> None:
        """Note the number that a tool or a heading gives to the repeat below the current line."""
        self._runs.append((self.line.number, number))

    def run_at(self, number: int) -> int:
        at = bisect_right(self._runs, number, key=lambda run: run[0])
        return self._runs[at - 1][1] if at else 0

    def title_at(self, number: int) -> str:
        """Return the last heading and title above the line of this number.

        This may be an earlier line of the text than the current line, because some readers hold numbers back.
        """
        at = bisect_right(self.section_lines, number, key=lambda entitled: entitled[0])
        return self.section_lines[at - 1][1] if at else ""

    def add_figure(
        self,
        tool: str,
        what: tuple[str, str, str],
        value: float,
        *,
        span: Span,
        parameters: Mapping[str, Any],
    ) -> None:
        """Add a figure, or a failure with the reason if an I/O error was printed before it.

        `what`: workload, metric and unit.
        """
        self.speaking.add(tool)
        if self.trouble:
            self.add_failure(tool, what, ("io_error", self.trouble), span=span, parameters=parameters)
        else:
            self.figures.append(
                Figure(
                    span,
                    tool,
                    *what,
                    value,
                    parameters,
                    subject=self.device,
                    section=self.title_at(span.line),
                    run=self.run_at(span.line),
                    place=self.place,
                )
            )

    def add_failure(
        self,
        tool: str,
        what: tuple[str, str, str],
        why: tuple[str, str],
        *,
        span: Span,
        parameters: Mapping[str, Any],
    ) -> None:
        """Add a figure that failed.

        `what`: workload, metric and unit; `why`: a word for scripts and a sentence for people.
        """
        self.figures.append(
            Figure(
                span,
                tool,
                *what,
                None,
                parameters,
                *why,
                subject=self.device,
                section=self.title_at(span.line),
            )
        )

    def add_fact(self, tool: str, name: str, value: float | str, *, span: Span) -> None:
        self.facts.append(Fact(span, tool, name, value, self.device))

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
        """Ask the sender a question, and return the answer or "".

        The answer holds for all rows below, until another question is asked or a reader increases `part`. `waiting`: as
        long as there is no answer, the numbers of the line count as not understood.
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

    def find_answer(self, about: str) -> str:
        """Return the answer to the question about this subject; "" without an answer."""
        return next((question.answer for question in self.questions if question.about == about), "")


def any_of(patterns: Iterable[Any]) -> re.Pattern[str]:
    """Return one pattern that matches if any of these patterns does, so that most lines are skipped in one step."""
    return re.compile(
        "|".join(
            f"(?{'i' if pattern.flags & re.IGNORECASE else ''}:{pattern.pattern})" for pattern in patterns
        )
    )
