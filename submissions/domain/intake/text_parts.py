"""Group the cases of a text (lines about one card on one host in one condition) into parts.

Each part becomes a report once the sender has said about which card it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from operator import itemgetter

from submissions.domain.intake.cases import MOST_CASES, OUT, REPEAT
from submissions.domain.intake.parsed import Case, OpenQuestion, Parsed
from submissions.domain.intake.paste import read_cases
from submissions.domain.intake.structures import group_by


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text that becomes one report.

    card      letter of the card, "" if the whole text is about one card
    line      number of its first line, 0 for the whole text
    title     distinguishes the part from other parts, "" for the whole text
    parsed    contents of its lines
    of_card   contents of all parts about this card, which may hold its registers; None if there is only this part
    specimen  a name of the card if another part is about it, too, else ""
    """

    card: str
    line: int
    title: str
    parsed: Parsed
    of_card: Parsed | None = None
    specimen: str = ""


def gather(whole: Parsed, answers: Mapping[str, str]) -> tuple[Part, ...]:
    """Return the parts of a text in its order; each becomes a report.

    There are none if the sender has not said for each case (the lines about one card on one host in one condition)
    about which card it is.
    """
    if not whole.cases:
        return (Part("", 0, "", whole),)
    chosen = [question.answer for question in whole.questions[: len(whole.cases)]]
    if not all(chosen) or len(whole.cases) > MOST_CASES:
        return ()
    groups = _group(whole.cases, chosen)
    # The contents of all parts about each card that is in several parts.
    of_cards = {
        letter: read_cases(whole, chain.from_iterable(cases for _, cases in own), answers)
        for letter, own in group_by(groups, itemgetter(0)).items()
        if len(own) > 1
    }
    return tuple(_part(whole, letter, cases, of_cards.get(letter), answers) for letter, cases in groups)


def list_questions(whole: Parsed, parts: Sequence[Part]) -> list[OpenQuestion]:
    """Return the open questions about a pasted text, for its sender.

    First it is asked about which card each case is (the lines about one card on one host in one condition); then come
    the questions about the contents of each part, the cases that become one report.
    """
    if not whole.cases:
        return list(whole.questions)
    of_cases = whole.questions[: len(whole.cases)]
    return [*of_cases, *(question for part in parts for question in part.parsed.questions)]


def _group(cases: tuple[Case, ...], chosen: list[str]) -> list[tuple[str, list[Case]]]:
    # Returns (letter of a card, cases that are repeats of each other); a repeat of a case that is left out is left out.
    groups: list[tuple[str, list[Case]]] = []
    is_out = False
    for case, answer in zip(cases, chosen, strict=True):
        if answer == REPEAT and groups and not is_out:
            groups[-1][1].append(case)
        elif answer not in (REPEAT, OUT):
            groups.append((answer, [case]))
        is_out = answer == OUT or (is_out and answer == REPEAT)
    return groups


def _part(
    whole: Parsed, letter: str, cases: list[Case], of_card: Parsed | None, answers: Mapping[str, str]
) -> Part:
    parsed = read_cases(whole, cases, answers)
    specimen = f"{letter} of {_hash_text(whole)}" if of_card else ""
    return Part(letter, cases[0].first_line, cases[0].title, parsed, of_card, specimen)


def _hash_text(whole: Parsed) -> str:
    return sha256("\n".join(line.text for line in whole.lines).encode()).hexdigest()[:16]
