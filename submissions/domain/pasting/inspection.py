"""Inspect a pasted text before it is submitted: how it was read, and the reports that it becomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from submissions.domain.errors import ReportError
from submissions.domain.intake.parsed import OpenQuestion, Parsed
from submissions.domain.intake.text_parts import Part, gather, list_questions
from submissions.domain.pasting import marking, pasted
from submissions.domain.pasting.marking import MarkedLine
from submissions.domain.privacy import published_text


@dataclass(frozen=True, slots=True)
class Reading:
    """A pasted text as it was read.

    `bars`: number of parts of its public lines that stay private; `beside`: number of figures that are only kept in
    `extra`; `left_out`: reasons why contents were left out of the report.
    """

    tools: tuple[str, ...]
    lines: tuple[MarkedLine, ...]
    line_count: int
    public_line_count: int
    numbers: int
    numbers_understood: int
    questions: tuple[OpenQuestion, ...]
    bars: int
    left_out: tuple[str, ...] = ()
    beside: int = 0


@dataclass(frozen=True, slots=True)
class Inspection:
    """A part of a text as it was read, and its report, or the `problem` why there is none.

    `line`, `card`, `title`: as in `text_parts.Part`; `lines`: by index of a measurement in `document`, the numbers of
    the lines with its values.
    """

    reading: Reading
    document: Mapping[str, Any] | None = None
    lines: Mapping[int, list[int]] = field(default_factory=dict)
    problem: ReportError | None = None
    line: int = 0
    card: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class InspectedText:
    """A text as it was read, in parts.

    `questions`: questions about the text and all of its parts; `parts`: one part for the whole text while questions
    about its cases are open.
    """

    questions: tuple[OpenQuestion, ...]
    parts: tuple[Inspection, ...]


def inspect(text: bytes, claims: pasted.Claims) -> InspectedText:
    """Read a text and compose its reports. Raise ReportError for a text that cannot be read at all."""
    whole = pasted.parse(text, claims=claims)
    parts = gather(whole, claims.answers)
    inspected = [_inspect_part(part, claims) for part in parts or [Part("", 0, "", whole)]]
    return InspectedText(tuple(list_questions(whole, parts)), tuple(inspected))


def _inspect_part(part: Part, claims: pasted.Claims) -> Inspection:
    inspected = Inspection(_read(part.parsed), line=part.line, card=part.card, title=part.title)
    try:
        document = pasted.as_document(part, claims=pasted.Claims(answers=claims.answers))
    except ReportError as problem:
        return replace(inspected, problem=problem)
    extra = document.get("extra", {})
    reasons = tuple(omission["reason"] for omission in extra.get("left_out", ()))
    reading = replace(inspected.reading, left_out=reasons, beside=len(extra.get("beside", ())))
    return replace(inspected, reading=reading, document=document, lines=marking.lines_of(part.parsed))


def _read(parsed: Parsed) -> Reading:
    public = published_text.public_lines(parsed)
    return Reading(
        tools=parsed.tools(),
        lines=marking.mark_lines(parsed, public),
        line_count=len(parsed.lines),
        public_line_count=len(public),
        numbers=parsed.number_count,
        numbers_understood=parsed.numbers_understood,
        questions=parsed.questions,
        bars=sum(map(len, public.values())),
    )
