"""Compare the figures that readers find in texts from public threads with the truth about these texts.

`tests/logs/TOOL/found.samples` holds many texts. Each begins with “%%% ” and its source (“%%% unseen ” if the readers
were written before the text was found), then lines of truth up to “---”:

= 44.52 MiB/s read seq buffered; 13 ms read mean   figures: number, unit, words that must hold (see `_list_words`)
@ cid 0353…; pnm SU04G; size 3965190144              identity and facts; several names may hold one value
? one card                                           a question is asked about this; the figures may wait for it
! an SSD behind USB                                  must not be ranked as a card, or makes no report
-                                                    nothing is to be read
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from submissions.domain.errors import ReportError
from submissions.domain.identity.identification import decode_card
from submissions.domain.intake.compose import compose
from submissions.domain.intake.parsed import Figure, Parsed
from submissions.domain.intake.paste import read
from submissions.domain.measuring import medium, normalize, units
from submissions.domain.registers import decode
from submissions.domain.report import parse

_SHORT: Final = {
    "sequential": "seq",
    "random": "rand",
    "fsync_at_end": "end",
    "fsync_each": "each",
    "latency_mean": "mean",
    "latency_max": "max",
    "latency_min": "min",
    "latency_p50": "p50",
    "latency_p99": "p99",
    "latency_p999": "p999",
}
_SAID_BY: Final = {"io": ("direct", "buffered"), "sync": ("none", "end", "osync", "dsync", "each")}
_CLOSE: Final = 0.004  # two figures that differ by less are one, rounded twice


@dataclass(frozen=True)
class Sample:
    tool: str
    source: str
    unseen: bool
    figures: tuple[tuple[float, str, frozenset[str]], ...]  # value in the base unit, that unit, words
    facts: tuple[tuple[str, str], ...]
    asked: tuple[str, ...]
    no_card: bool
    text: str


@dataclass(frozen=True)
class Grade:
    """The grade of the reading of a text: its outcome, the numbers of figures, and the wrong figures.

    `outcome`: right; due (a question is asked, rightly); asked (a needless question); unread; WRONG, with the reason.
    """

    outcome: str
    right: int
    asked: int
    unread: int
    wrong: tuple[str, ...]


def samples(folder: Path) -> Iterator[Sample]:
    for path in sorted(folder.glob("*/*.samples")):
        for chunk in path.read_bytes().decode("utf-8").split("%%% ")[1:]:
            head, _, text = chunk.partition("\n---\n")
            source, *truth = head.split("\n")
            yield parse_sample(path.parent.name, source, truth, text)


def parse_sample(tool: str, source: str, truth: list[str], text: str) -> Sample:
    lines = [(line[:1], line[1:].strip()) for line in truth if line]
    parts = [(mark, part.strip()) for mark, line in lines for part in line.split(";")]
    return Sample(
        tool,
        source.removeprefix("unseen "),
        source.startswith("unseen "),
        tuple(_figure(part) for mark, part in parts if mark == "=" and part),
        tuple((part.split(" ", 1)[0], part.split(" ", 1)[1].strip()) for mark, part in parts if mark == "@"),
        tuple(part for mark, part in parts if mark == "?"),
        any(mark == "!" for mark, _ in parts),
        text,
    )


def _figure(part: str) -> tuple[float, str, frozenset[str]]:
    value, unit, *words = part.split()
    base, factor = units.UNITS[unit]
    return float(value) * factor, base, frozenset(words)


def _list_words(figure: Figure) -> set[str]:
    parameters = figure.parameters
    values = [figure.workload, figure.metric, *(str(value) for value in parameters.values())]
    words = {_SHORT.get(value, value) for value in values} | set(values)
    block = parameters.get("block_size_bytes") or 0
    for letter, size in (("k", 1024), ("M", 1024**2)):
        if block and block % size == 0:
            words.add(f"{block // size}{letter}")
    return words | {f"qd{parameters.get('queue_depth', '?')}"}


def _agrees(figure: Figure, true: tuple[float, str, frozenset[str]]) -> bool:
    value, base, words = true
    unit, factor = units.UNITS[figure.unit]
    close = abs((figure.value or 0) * factor - value) <= _CLOSE * value
    return unit == base and close and words <= _list_words(figure)


def _may_match(figure: Figure, true: tuple[float, str, frozenset[str]]) -> bool:
    # A changed text may have lost words of the true figure.
    lost = {word for name, words in _SAID_BY.items() if name not in figure.parameters for word in words}
    words = {
        word
        for word in true[2] - lost
        if not (word.startswith("qd") and "queue_depth" not in figure.parameters)
    }
    return _agrees(figure, (*true[:2], frozenset(words)))


def grade(sample: Sample, text: str | None = None) -> Grade:
    """Grade how a sample is read; or `text`, the sample in another form, which must give no other figure."""
    known = (
        sample if text is None else replace(sample, no_card=False)
    )  # a cut may take the line that says that it is none
    return compare(known, read(sample.text if text is None else text))


def join_samples(one: Sample, other: Sample) -> Sample:
    """Return the truth about two parts of a text that together make one report."""
    return replace(one, figures=one.figures + other.figures, facts=one.facts + other.facts)


def compare(sample: Sample, parsed: Parsed, *, of_card: Parsed | None = None) -> Grade:
    valued = [figure for figure in parsed.figures if figure.value is not None]
    wrong = [
        _describe_figure(figure)
        for figure in valued
        if not any(_may_match(figure, true) for true in sample.figures)
    ]
    there = sum(any(_agrees(figure, true) for figure in valued) for true in sample.figures)
    problem, held = _compose_report(parsed)
    asking = [f"{question.about} {question.detail}" for question in parsed.questions] + [problem]
    wrong += _wrong_identity(sample, parsed)
    card = of_card or parsed
    right_facts = all(
        _has_fact(parsed, name, value) or _has_fact(card, name, value) for name, value in sample.facts
    )
    open_questions = bool(parsed.questions) or "several" in problem
    if problem.startswith("several_cards"):
        wrong = []  # refused as a whole
    if "one card" in sample.asked:
        merged = _mixes_cards(sample, valued)
        wrong = ["merged"] if merged and not any("one card" in words for words in asking) else []
    if sample.no_card and there == len(sample.figures) and valued and not held and not problem:
        wrong.append("may be ranked as a card")
    missing = len(sample.figures) - there
    if wrong:
        outcome = "WRONG"
    elif missing == 0 and right_facts and all(any(a in words for words in asking) for a in sample.asked):
        outcome = "due" if sample.asked else "right"
    else:
        outcome = "asked" if open_questions else "unread"
    return Grade(
        outcome, there, missing if open_questions else 0, 0 if open_questions else missing, tuple(wrong)
    )


def _mixes_cards(sample: Sample, valued: list[Figure]) -> bool:
    # Repeats of one measurement have different titles in the sample as it was.
    titles = {
        (figure.pattern, figure.value): (figure.section, figure.subject)
        for figure in read(sample.text).figures
    }
    repeats: dict[object, set[object]] = {}
    for figure in valued:
        repeats.setdefault(figure.pattern, set()).add(titles.get((figure.pattern, figure.value)))
    return any(len(cards) > 1 for cards in repeats.values())


def _describe_figure(figure: Figure) -> str:
    return f"{figure.value:g} {figure.unit} {figure.workload} {figure.metric} {dict(figure.parameters)}"


def _compose_report(parsed: Parsed) -> tuple[str, bool]:
    # Returns the reason why a text gives no report, and whether its report is held because it is no card.
    try:
        document = compose(parsed)
    except ReportError as error:
        return (
            f"{error.code} one card: {error.detail}" if error.code == "several_cards" else error.detail,
            False,
        )
    report = parse(msgspec.json.encode(document))
    decoded, _ = decode_card(report.card)
    measured, _ = normalize.normalize(report, bus=report.card.bus)
    size = report.card.size_bytes or (decoded.capacity_bytes if decoded else None)
    return "", bool(medium.why_no_card(report, measured, size_bytes=size))


def _has_fact(parsed: Parsed, name: str, value: str) -> bool:
    card = parsed.identity
    if name == "cid":
        return card.registers.get("cid", "")[:30] == value[:30]
    if name == "size":
        sizes = {card.size_bytes} | {fact.value for fact in parsed.facts_named("size_bytes")}
        in_registers = decode(card.registers, bus=card.bus).capacity_bytes if card.registers else None
        return int(value) in sizes | {in_registers}
    names = {"bus_mode": "name", "about_size": "about_size_bytes"}
    return any(str(fact.value) == value for fact in parsed.facts_named(names.get(name, name)))


def _wrong_identity(sample: Sample, parsed: Parsed) -> list[str]:
    # A fault if a CID was read that differs from the true one, or if the text contains none.
    cid = parsed.identity.registers.get("cid", "")
    true = dict(sample.facts).get("cid", "")
    return [f"cid {cid}"] if cid and cid[:30] != true[:30] else []
