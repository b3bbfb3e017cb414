"""Preview the report that a pasted text would become, for its sender. Nothing is stored."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from submissions.domain.errors import ReportError
from submissions.domain.findings import FindingWords, describe_findings
from submissions.domain.findings.text_findings import find_in_document
from submissions.domain.intake.compose import compose
from submissions.domain.intake.parsed import OpenQuestion, Parsed
from submissions.domain.intake.paste import read
from submissions.domain.intake.text_parts import Part, gather, list_questions
from submissions.domain.pasting.pasted import Claims, as_document, is_named

_MOST_LINES = 500  # listed as not understood; all of them are counted


class Problem(Struct, frozen=True):
    """The reason why a text, or the part of a text about one card, makes no report.

    Fields as in `errors.ReportError`.
    """

    code: str
    detail: str
    field: str


class Numbers(Struct, frozen=True):
    understood: int
    not_understood: int


class Question(Struct, frozen=True, kw_only=True):
    """An open question about a pasted text.

    Until it is answered, the report leaves out the numbers that depend on it.
    """

    line: Annotated[int, Meta(description="from 1")]
    tool: str
    about: str
    detail: str
    key: Annotated[str, Meta(description="answer it with ?answer.KEY=… in the URL")]
    choices: Annotated[
        dict[str, str],
        Meta(description="possible answers with their meaning; none if only the text can show it"),
    ]
    answer: Annotated[str | None, Meta(description="the answer that was given")]


class LeftOver(Struct, frozen=True):
    line: int
    text: str


class CaseReport(Struct, frozen=True, kw_only=True):
    """The report of one case: one card on one host in one condition."""

    case: Annotated[
        int, Meta(description="number of its first line, 0 for the whole text; send it as ?case=…")
    ]
    card: Annotated[str, Meta(description="letter that the answers gave this card, “” if there is only one")]
    title: Annotated[str, Meta(description="how it differs from the other cases")]
    report: Annotated[
        dict[str, Any] | None, Meta(description="in the form that POST /api/v1/submissions/ accepts")
    ]
    problem: Annotated[Problem | None, Meta(description="why it is not a report")]
    needs: Annotated[list[str], Meta(description="fields of the report to fill in before you send it")]
    findings: Annotated[
        list[FindingWords], Meta(description="everything that the report tells, most serious first")
    ]


class Preview(Struct, frozen=True, kw_only=True):
    """The reports that a text would become, and how it was read.

    The reports go only to the sender of the text, because they hold the registers that were in it.
    """

    cases: Annotated[
        list[CaseReport], Meta(description="empty while questions about “case” are open: see `problem`")
    ]
    problem: Annotated[Problem | None, Meta(description="why there is no report for this text")]
    tools: list[str]
    lines: int
    numbers: Numbers
    questions: list[Question]
    not_understood: Annotated[
        list[LeftOver], Meta(description=f"the first {_MOST_LINES} lines with such numbers")
    ]
    not_understood_lines: Annotated[int, Meta(description="how many there are in total")]


def preview(text: str, *, answers: Mapping[str, str] | None = None) -> Preview:
    """Return the response of POST /api/v1/parse/. Raise TextError above 8 MB.

    A `report` is None, with the reason in `problem`, if the lines of a case make no report.
    """
    answers = answers or {}
    parsed = read(text, answers=answers)
    parts = gather(parsed, answers)
    cases = [_case(part) for part in parts]
    understood = parsed.numbers_understood
    return Preview(
        cases=cases,
        problem=cases[0].problem if len(cases) == 1 else None if cases else _problem(parsed),
        tools=list(parsed.tools()),
        lines=len(parsed.lines),
        numbers=Numbers(understood, parsed.number_count - understood),
        questions=_questions(list_questions(parsed, parts)),
        not_understood=[LeftOver(rest.line, rest.text) for rest in parsed.not_understood[:_MOST_LINES]],
        not_understood_lines=len(parsed.not_understood),
    )


def _questions(questions: Iterable[OpenQuestion]) -> list[Question]:
    return [
        Question(
            line=question.span.line,
            tool=question.tool,
            about=question.about,
            detail=question.detail,
            key=question.key,
            choices=dict(question.choices),
            answer=question.answer or None,
        )
        for question in questions
    ]


def _case(part: Part) -> CaseReport:
    try:
        report, problem = as_document(part, claims=Claims()), None
    except ReportError as error:
        report, problem = None, _convert_error(error)
    return CaseReport(
        case=part.line,
        card=part.card,
        title=part.title,
        report=report,
        problem=problem,
        needs=[] if report is None or is_named(report) else ["card.label"],
        findings=describe_findings(find_in_document(report)) if report else [],
    )


def _problem(whole: Parsed) -> Problem | None:
    try:
        compose(whole)
    except ReportError as error:
        return _convert_error(error)
    return None


def _convert_error(error: ReportError) -> Problem:
    return Problem(error.code, error.detail, error.field)
