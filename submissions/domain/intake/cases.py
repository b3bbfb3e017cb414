"""Find the cases of a text: each is one card on one host in one condition, and becomes a report of its own.

A new case begins where the text contradicts that all of it is about one: another device, another card's identity, the
same measurement below another title, or the same measurement with quite another figure that no tool counts as a repeat.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from statistics import median
from string import ascii_uppercase

from submissions.domain.intake.commands import disk
from submissions.domain.intake.parsed import Case, Figure, OpenQuestion, Span
from submissions.domain.measuring import units

REPEAT, OUT = "repeat", "out"
MOST_CASES = len(ascii_uppercase)
# Repeats of one test on one card agree within this factor: of 184 groups in public texts all but two did, and those two
# were no repeats (runs that their tool numbers set aside).
_MOST_APART = 1.5
_COMPARED = {"throughput": units.RATE, "iops": "1/s"}


@dataclass(frozen=True, slots=True)
class Identity:
    """Words of a text that only one card can have: `name` is cid, psn or pnm."""

    line: int
    name: str
    value: str
    title: str = ""


@dataclass(slots=True)
class _Open:
    """The case that the walk through a text is in."""

    first_line: int
    named: tuple[str, str]
    devices: set[str] = field(default_factory=set)
    identity: dict[str, str] = field(default_factory=dict)
    places: dict[object, tuple[str, str]] = field(default_factory=dict)

    def contradicts(self, event: Figure | Identity, *, is_surprise: bool) -> bool:
        if isinstance(event, Identity):
            return self.identity.get(event.name, event.value) != event.value
        if event.subject and any(_are_two_devices(event.subject, device) for device in self.devices):
            return True
        place = (event.section, event.subject)
        return self.places.get(event.pattern, place) != place or (
            is_surprise and event.pattern in self.places
        )

    def add(self, event: Figure | Identity) -> None:
        if isinstance(event, Identity):
            self.identity[event.name] = event.value
            return
        self.devices |= {event.subject} - {""}
        self.places.setdefault(event.pattern, (event.section, event.subject))


def find_cases(
    figures: Sequence[Figure], identities: Iterable[Identity], openings: Sequence[int], line_count: int
) -> tuple[Case, ...]:
    """Return the cases of a text in its order, none if all of it is about one.

    `openings`: numbers of the lines with a title or a command.
    """
    events: list[Figure | Identity] = [*figures, *identities]
    surprises = {id(figure) for figure in _find_surprises(figures)}
    found: list[_Open] = []
    last, here = 0, 0
    for event in sorted(events, key=_line_of):
        last, here = (here, _line_of(event)) if _line_of(event) > here else (last, here)
        if not found or found[-1].contradicts(event, is_surprise=id(event) in surprises):
            found.append(_Open(_first_line(event, last, openings), _names_of(event)))
        found[-1].add(event)
    ends = [*(case.first_line - 1 for case in found[1:]), line_count]
    titles = _titles([case.named for case in found], [case.first_line for case in found])
    rows = zip(found, ends, titles, strict=True)
    return tuple(Case(case.first_line, end, title) for case, end, title in rows) if len(found) > 1 else ()


def ask_about(cases: Sequence[Case], answers: Mapping[str, str]) -> Iterator[OpenQuestion]:
    """Yield a question for each case: which card it is about."""
    for at, case in enumerate(cases):
        choices = _choices(at)
        detail = (
            f"Is “{case.title}” (from line {case.first_line} on) about one card with what stands above?"
            if at
            else f"Is “{case.title}” (from line {case.first_line} on) about a card?"
        )
        answer = answers.get(case.key, "" if at else ascii_uppercase[0])
        span = Span(case.first_line, 0, 0)
        yield OpenQuestion(span, "text", "case", detail, choices, answer if answer in choices else "")


def _choices(at: int) -> dict[str, str]:
    cards = {letter: f"card {letter}" for letter in ascii_uppercase[: at + 1]}
    again = {REPEAT: "the same card, measured again in the same way"} if at else {}
    return again | cards | {OUT: "leave it out"}


def _find_surprises(figures: Sequence[Figure]) -> Iterator[Figure]:
    """Yield the first figure of each round of tests that is quite unlike the rounds before it."""
    earlier: dict[object, list[Figure]] = {}
    for block in _rounds(figures):
        ratios = [
            abs(log(_rate(figure) / median(map(_rate, before))))
            for figure in block
            if (before := earlier.get(figure.pattern)) and not figure.run
        ]
        if ratios and median(ratios) > log(_MOST_APART):
            yield block[0]
            earlier = {}
        for figure in block:
            earlier.setdefault(figure.pattern, []).append(figure)


def _rounds(figures: Sequence[Figure]) -> Iterator[list[Figure]]:
    """Yield stretches in which each measurement stands once."""
    block: list[Figure] = []
    for figure in figures:
        if not (figure.value and figure.metric in _COMPARED):
            continue
        if any(figure.pattern == other.pattern for other in block):
            yield block
            block = []
        block.append(figure)
    yield block


def _rate(figure: Figure) -> float:
    return (figure.value or 0.0) * units.factor(figure.unit, base=_COMPARED[figure.metric])


def _are_two_devices(one: str, other: str) -> bool:
    """Whether these are two disks, or two partitions; a disk and its partition are one."""
    return disk(one) != disk(other) or (one != other and disk(one) not in (one, other))


def _line_of(event: Figure | Identity) -> int:
    return event.line if isinstance(event, Identity) else event.span.line


def _names_of(event: Figure | Identity) -> tuple[str, str]:
    """(device, title)"""
    if isinstance(event, Identity):
        return "", event.title or (event.value if event.name == "pnm" else "")
    return event.subject, event.section


def _first_line(event: Figure | Identity, last: int, openings: Iterable[int]) -> int:
    """The first title or command below the case before, else the line below it."""
    line = _line_of(event)
    return next((opening for opening in openings if last < opening <= line), last + 1)


def _titles(named: Sequence[tuple[str, str]], lines: Sequence[int]) -> list[str]:
    """Words for people by which cases differ: title, heading or device, else the line they begin in."""
    rows = [(*reversed(section.split("\n")), device) for device, section in named]
    return [
        _title_of(row, [other for other in rows if other is not row], line)
        for row, line in zip(rows, lines, strict=True)
    ]


def _title_of(row: tuple[str, ...], others: Sequence[tuple[str, ...]], line: int) -> str:
    taken = {word for other in others for word in other}
    return next((word for word in row if word and word not in taken), f"line {line}")
