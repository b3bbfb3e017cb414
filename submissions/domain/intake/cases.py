"""Split a text into cases: each case is one card on one host in one condition, and becomes a report of its own.

A new case begins where the text cannot be about the same card and condition any more: another device, the identity of
another card, the same measurement below another title, or the same measurement with a very different value that no tool
counts as a repeat.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from statistics import median
from string import ascii_uppercase
from typing import TypeAlias

from submissions.domain.intake.commands import disk
from submissions.domain.intake.parsed import Case, Figure, OpenQuestion, Span
from submissions.domain.measuring import units

REPEAT, OUT = "repeat", "out"
MOST_CASES = len(ascii_uppercase)
# Repeats of one test on one card agree within this factor: of 184 groups in public texts all but two did, and those two
# were no repeats (runs that their tool numbers set aside).
_MOST_APART = 1.5
_ROUNDS_COMPARED = 9  # the last ones, so that the time does not grow with the square of their number
_COMPARED = {"throughput": units.RATE, "iops": "1/s"}


@dataclass(frozen=True, slots=True)
class Identity:
    """Words of a text that only one card can have.

    `name`: "cid", "psn", "pnm", "device", "place" or "capacity_verdict".
    """

    line: int
    name: str
    value: str
    section: str = ""
    subject: str = ""


Event: TypeAlias = Figure | Identity


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a text at which a new case (the lines about one card on one host in one condition) may begin.

    titles      (line, section in the form of `Figure.section`)
    commands    (line from which on output of these commands may follow, lines of the commands)
    outputs     first lines of the output of tools
    line_count  number of lines of the text
    """

    titles: Sequence[tuple[int, str]]
    commands: Sequence[tuple[int, tuple[int, ...]]]
    outputs: Sequence[int]
    line_count: int


@dataclass(slots=True)
class _Open:
    """The case (lines about one card in one condition) of the current line, while a text is read line by line."""

    first_line: int
    events: list[Event] = field(default_factory=list)
    firsts: dict[object, Event] = field(default_factory=dict)  # by aspect

    def add(self, event: Event) -> None:
        self.events.append(event)
        for aspect in _aspects(event):
            self.firsts.setdefault(aspect, event)

    def find_contradiction(self, event: Event, *, is_surprise: bool) -> Event | None:
        """Return the first event of the case that contradicts this event, None if it may belong to the case."""
        alike = (self.firsts[aspect] for aspect in _aspects(event) if aspect in self.firsts)
        return next((one for one in alike if _contradict(one, event, is_surprise=is_surprise)), None)


def find_cases(
    figures: Sequence[Figure], identities: Iterable[Identity], outline: Outline
) -> tuple[Case, ...]:
    """Return the cases of a text in its order: the lines about one card on one host in one condition.

    There is no case if all of the text is about one card and condition.
    """
    surprises = {id(figure) for figure in _find_surprises(figures)}
    found: list[_Open] = []
    events: list[Event] = [*figures, *identities]
    for event in sorted(events, key=lambda event: event.line):
        if not found:
            found.append(_Open(_line_above(event.line, 0, outline, usual=1)))
        elif earlier := found[-1].find_contradiction(event, is_surprise=id(event) in surprises):
            found.append(_split(found[-1], earlier, event, outline))
        found[-1].add(event)
        if len(found) > MOST_CASES:
            break
    ends = [*(case.first_line - 1 for case in found[1:]), outline.line_count]
    rows = zip(found, ends, _titles(found), strict=True) if len(found) > 1 else ()
    return tuple(
        Case(case.first_line, end, title, _waiting_commands(case, outline)) for case, end, title in rows
    )


def _waiting_commands(case: _Open, outline: Outline) -> tuple[int, ...]:
    first = case.events[0].line
    waiting = [lines for line, lines in outline.commands if line <= first]
    return tuple(line for line in waiting[-1] if line < case.first_line) if waiting else ()


# Yields the aspects in which the event may contradict another event.
def _aspects(event: Event) -> Iterator[object]:
    if isinstance(event, Identity):
        yield event.name
    else:
        yield _test_of(event)
        yield from ["device"] if event.subject else []
        yield from ["place"] if event.place else []


def _contradict(one: Event, other: Event, *, is_surprise: bool) -> bool:
    if isinstance(one, Identity) or isinstance(other, Identity):
        return one.value != other.value
    if one.subject and other.subject and _are_two_devices(one.subject, other.subject):
        return True
    if one.place and other.place and one.place != other.place:
        return True
    here, there = (one.section, one.subject), (other.section, other.subject)
    return _test_of(one) == _test_of(other) and (here != there or is_surprise)


# Returns the new case, which begins at the title, output or command above the event, with the events from there on.
def _split(case: _Open, earlier: Event, event: Event, outline: Outline) -> _Open:
    outputs = [line for line in outline.outputs if earlier.line < line <= event.line]
    below = outputs[-1] if outputs else event.line
    last = max((one.line for one in case.events if one.line < below), default=0)
    titled = 0 if outputs else _line_of_title(earlier, event, outline)
    new = _Open(titled or _line_above(below, last, outline, usual=below if outputs else last + 1))
    for one in case.events:
        if one.line >= new.first_line:
            new.add(one)
    return new


# Returns the line of the heading in which two events differ, else of the title below the heading; 0 if both are equal.
def _line_of_title(earlier: Event, event: Event, outline: Outline) -> int:
    for depth in (1, 2):
        wanted = event.section.split("\n")[:depth]
        if wanted != earlier.section.split("\n")[:depth]:
            lines = [line for line, title in outline.titles if title.split("\n")[:depth] == wanted]
            between = [line for line in lines if earlier.line < line <= event.line]
            return between[0] if between else 0
    return 0


def _line_above(below: int, last: int, outline: Outline, *, usual: int) -> int:
    openings = sorted(line for line, _ in (*outline.commands, *outline.titles))
    return next((line for line in openings if last < line <= below), usual)


def ask_about(cases: Sequence[Case], answers: Mapping[str, str]) -> Iterator[OpenQuestion]:
    """Yield a question for each case (the lines about one card in one condition), which asks about which card it is.

    No question is asked if there are more cases than letters, because the answers are letters.
    """
    # Submissions that were stored before cases existed may have this answer.
    is_one = any(
        key.startswith(("text.sections.", "text.devices.")) for key in answers if answers[key] == "one"
    )
    for at, case in enumerate(cases if len(cases) <= MOST_CASES else ()):
        choices = _choices(at)
        about = "the same card as the results above" if at else "a card"
        detail = f"Is “{case.title}” (from line {case.first_line} on) about {about}?"
        usual = REPEAT if is_one else ""
        answer = answers.get(case.key, usual if at else ascii_uppercase[0])
        span = Span(case.first_line, 0, 0)
        yield OpenQuestion(span, "text", "case", detail, choices, answer if answer in choices else "")


def _choices(at: int) -> dict[str, str]:
    again = {REPEAT: "a repeat of the same measurement: add it to the result above"} if at else {}
    known = {
        letter: f"card {letter}, but in a different reader, computer or state"
        for letter in ascii_uppercase[:at]
    }
    letter = ascii_uppercase[at]
    return again | known | {letter: f"a different card, {letter}" if at else "card A", OUT: "leave it out"}


# Yields the first figure of each round of tests with values far from those of the rounds before.
def _find_surprises(figures: Sequence[Figure]) -> Iterator[Figure]:
    earlier: dict[object, deque[Figure]] = {}
    for block in _rounds(figures):
        ratios = [
            abs(log(_comparable(figure) / median(map(_comparable, before))))
            for figure in block
            if (before := earlier.get(figure.pattern)) and not figure.run
        ]
        if ratios and median(ratios) > log(_MOST_APART):
            yield block[0]
            earlier = {}
        for figure in block:
            earlier.setdefault(figure.pattern, deque(maxlen=_ROUNDS_COMPARED)).append(figure)


# A round has each measurement once at most.
def _rounds(figures: Sequence[Figure]) -> Iterator[list[Figure]]:
    block: dict[object, Figure] = {}
    for figure in figures:
        if not (figure.value and figure.metric in _COMPARED):
            continue
        if figure.pattern in block:
            yield list(block.values())
            block = {}
        block[figure.pattern] = figure
    yield list(block.values())


def _comparable(figure: Figure) -> float:
    return figure.value_in(_COMPARED[figure.metric])


def _are_two_devices(one: str, other: str) -> bool:
    # Two disks, or two partitions; a disk and its partition are one.
    return disk(one) != disk(other) or (one != other and disk(one) not in (one, other))


def _test_of(figure: Figure) -> object:
    # Equal for repeats of a measurement. The kind of capacity is a result of the test.
    parameters = {name: value for name, value in figure.parameters.items() if name != "capacity_kind"}
    return figure.tool, figure.workload, figure.metric, tuple(sorted(parameters.items()))


def _titles(found: Sequence[_Open]) -> list[str]:
    # The title of a case for people: its first words that no other case has.
    rows = [list(_words_of(case)) for case in found]
    taken = Counter(word for row in rows for word in set(row))
    return [
        next((word for word in row if word and taken[word] == 1), f"line {case.first_line}")
        for row, case in zip(rows, found, strict=True)
    ]


def _words_of(case: _Open) -> Iterator[str]:
    for event in case.events:
        yield from (*reversed(event.section.split("\n")), event.subject)
        if isinstance(event, Figure):
            yield event.place
        if isinstance(event, Identity) and event.name == "pnm":
            yield event.value
