"""Check that texts with several cards, states, hosts or slots become the right reports.

`python -m tests.cases` prints for each text of tests/logs/cases/found.cases whether its reports are right, and the
faults. Questions about a text are answered as the owner of the cards would: with the letters of the truth, and else
with the choice that fits it best.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from submissions.domain.errors import ReportError
from submissions.domain.intake.compose import compose
from submissions.domain.intake.parsed import OpenQuestion, Parsed
from submissions.domain.intake.paste import read
from submissions.domain.intake.text_parts import Part, gather
from tests import corpus, truth

_TEXTS: Final = corpus.LOGS / "cases" / "found.cases"


@dataclass(frozen=True)
class TrueCase:
    """The true meaning of one part of a text.

    `answer`: a letter for the card, “repeat” or “out”; `truth`: its figures and facts, in the format of tests/truth.py.
    """

    answer: str
    truth: truth.Sample


@dataclass(frozen=True)
class Text:
    source: str
    text: str
    cases: tuple[TrueCase, ...]


def texts() -> Iterator[Text]:
    for chunk in _TEXTS.read_text(encoding="utf-8").split("\n%%% ")[1:]:
        head, _, text = f"{chunk}\n".partition("\n---\n")
        source, *lines = head.split("\n")
        above, *blocks = "\n".join(lines).split("* ")
        cases = (_true_case(source, block, above, text) for block in blocks)
        yield Text(source, text, tuple(cases))


def _true_case(source: str, block: str, above: str, text: str) -> TrueCase:
    title, *rows = block.split("\n")
    sample = truth.parse_sample("cases", source, [*rows, *above.split("\n")], text)
    return TrueCase(title.split(" ")[0], sample)


def find_faults(one: Text) -> list[str]:
    """Return the faults in the reports that a text becomes; an empty list if there are none."""
    whole = read(one.text)
    count = len(whole.cases) or 1  # a text that is not divided is one case
    true = _select_cases(one.cases, count)
    if count != len(true):
        return [f"{len(whole.cases)} cases for {len(true)}: {[case.title for case in whole.cases]}"]
    answers = {case.key: case_truth.answer for case, case_truth in zip(whole.cases, true, strict=False)}
    parts = gather(read(one.text, answers=answers), answers)
    merged = _merge_repeats(true)
    if len(parts) != len(merged):
        return [f"{len(parts)} reports for {len(merged)}"]
    return [
        fault for part, case in zip(parts, merged, strict=True) for fault in _faults(one, part, case, answers)
    ]


def _select_cases(cases: tuple[TrueCase, ...], count: int) -> list[TrueCase]:
    """Return the true cases of a text that was read as only `count` cases.

    Then repeats are merged, and the last cases that are “out” are left out.
    """
    selected = list(cases) if len(cases) == count else _merge_repeats(cases, keep_out=True)
    while len(selected) > count and any(case.answer == "out" for case in selected):
        del selected[max(at for at, case in enumerate(selected) if case.answer == "out")]
    return selected


def _merge_repeats(cases: Sequence[TrueCase], *, keep_out: bool = False) -> list[TrueCase]:
    merged: list[TrueCase] = []
    for case in cases:
        if case.answer == "repeat" and merged:
            merged[-1] = TrueCase(merged[-1].answer, truth.join_samples(merged[-1].truth, case.truth))
        elif case.answer != "out" or keep_out:
            merged.append(case)
    return merged


def _faults(one: Text, part: Part, case: TrueCase, answers: Mapping[str, str]) -> Iterator[str]:
    part = _answer_questions(one, part, case, answers)
    grade = truth.compare(case.truth, part.parsed, of_card=part.of_card)
    if grade.outcome not in ("right", "due"):
        yield f"line {part.line}: {grade.outcome} {grade.right} of {len(case.truth.figures)} {grade.wrong[:3]}"
    try:
        compose(part.parsed, of_card=part.of_card)
    except ReportError as error:
        if case.truth.figures and not case.truth.no_card:
            yield f"line {part.line}: {error.detail}"


def _answer_questions(one: Text, part: Part, case: TrueCase, answers: Mapping[str, str]) -> Part:
    given = dict(answers)
    while question := _open_question(part.parsed, given):
        tried = [
            (truth.compare(case.truth, again.parsed).right, choice, again)
            for choice in question.choices
            if (again := _read_again(one, part, given | {question.key: choice}))
        ]
        _, choice, part = max(tried, key=lambda try_: try_[0])
        given[question.key] = choice
    return part


def _open_question(parsed: Parsed, given: Mapping[str, str]) -> OpenQuestion | None:
    open_questions = (q for q in parsed.questions if q.choices and q.key not in given and q.about != "case")
    return next(open_questions, None)


def _read_again(one: Text, part: Part, answers: Mapping[str, str]) -> Part | None:
    parts = gather(read(one.text, answers=answers), answers)
    return next((again for again in parts if again.line == part.line), None)


def main() -> None:
    faults = [(one, find_faults(one)) for one in texts()]
    for one, wrong in faults:
        print("WRONG" if wrong else "right", one.source[:90], *wrong, sep="\n    ")
    right = sum(not wrong for _, wrong in faults)
    print(f"{right} of {len(faults)} texts become the right reports")


if __name__ == "__main__":
    main()
