"""Mark a pasted text for its sender to check: line by line, how each part of the line was understood."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from submissions.domain.intake.compose import places
from submissions.domain.intake.lines import LONGEST_LINE, Line
from submissions.domain.intake.parsed import Figure, Parsed, Span
from submissions.domain.intake.structures import group_by
from submissions.domain.privacy.permission import Place

MOST_LINES = 1500  # lines of a long log that are shown
_MOST_IN_A_ROW = 6  # lines without marks that are shown between marked lines


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a line, and how it was understood.

    `kind`: "measured", "beside" (only kept in `extra`), "understood", "asked", "missed", "private" or ""; `about`:
    index of the measurement in the report, or line of the question.
    """

    text: str
    kind: str = ""
    about: int | None = None


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line with its marks. `skipped`: number of lines left out before it; `public`: whether readers will see it."""

    number: int
    stretches: tuple[Stretch, ...]
    public: bool
    skipped: int = 0


_Layer: TypeAlias = tuple[Span, str, int | None]  # a place, its kind, and its measurement or question


def mark_lines(parsed: Parsed, public: Mapping[int, Sequence[Place]]) -> tuple[MarkedLine, ...]:
    """Return the lines of a text that have marks, and a few lines around them; at most MOST_LINES."""
    bars = [(Span(line, *place), "private", None) for line, places in public.items() for place in places]
    layers = group_by([*_stack_layers(parsed), *bars], lambda layer: layer[0].line)
    shown: list[MarkedLine] = []
    last = 0
    for line in _worth_showing(parsed.lines, layers):
        if len(shown) == MOST_LINES:
            break
        stretches = tuple(_stretches(line, layers.get(line.number, [])))
        shown.append(MarkedLine(line.number, stretches, line.number in public, line.number - last - 1))
        last = line.number
    return tuple(shown)


def lines_of(parsed: Parsed) -> dict[int, list[int]]:
    """Return for each measurement, by its index in the report, the numbers of the lines with its values."""
    lines: dict[int, list[int]] = {}
    for figure, place in _list_places(parsed):
        if place is not None and figure.span.line not in lines.setdefault(place, []):
            lines[place].append(figure.span.line)
    return lines


def _stack_layers(parsed: Parsed) -> Iterator[_Layer]:
    """Yield the marks of a text as layers, the lowest first; where they overlap, only the highest is shown."""
    yield from ((span, "understood", None) for span in parsed.understood)
    asked = {question.span.line for question in parsed.questions}
    for rest in parsed.not_understood:
        kind = "asked" if rest.line in asked else "missed"
        yield from ((span, kind, None) for span in rest.numbers)
    # A row with several measurements links to the first of them.
    for figure, place in reversed(_list_places(parsed)):
        yield figure.span, "beside" if place is None else "measured", place
    for question in parsed.questions:
        if not question.answer:
            yield question.span, "asked", question.span.line


def _list_places(parsed: Parsed) -> list[tuple[Figure, int | None]]:
    return list(zip(parsed.figures, places(parsed), strict=True))


def _worth_showing(lines: Iterable[Line], layers: dict[int, list[_Layer]]) -> Iterator[Line]:
    for has_something, group in groupby(lines, key=lambda line: line.number in layers):
        members = list(group)
        if has_something or len(members) <= _MOST_IN_A_ROW:
            yield from members


def _stretches(line: Line, layers: list[_Layer]) -> Iterator[Stretch]:
    if len(line.text) > LONGEST_LINE:
        yield Stretch(f"{line.text[:80]}…", "private")
        return
    top: list[_Layer | None] = [None] * len(line.text)
    for layer in layers:
        span = layer[0]
        top[span.start : span.end] = [layer] * (span.end - span.start)
    at = 0
    for _, group in groupby(top, key=id):
        members = list(group)
        above, text = members[0], line.text[at : at + len(members)]
        yield Stretch(text, *above[1:]) if above else Stretch(text)
        at += len(members)
