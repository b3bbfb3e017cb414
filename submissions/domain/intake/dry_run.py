"""The report that a pasted text would become, for its owner to look at. Nothing is stored."""

from collections.abc import Mapping
from typing import Any, Final

from submissions.domain.errors import ReportError
from submissions.domain.intake.compose import compose
from submissions.domain.intake.parsed import Parsed
from submissions.domain.intake.paste import read

_MOST_LINES: Final = 500  # listed as not understood; all of them are counted


def preview(text: str, *, answers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON-able answer of POST /api/v1/parse/. Raises TextError above 8 MB.

    `report` is None, with the reason in `problem`, when the text makes no report.
    """
    parsed = read(text, answers=answers)
    report, problem = _report(parsed)
    return {
        "report": report,
        "problem": problem,
        "needs": _needs(report),
        "tools": list(parsed.tools()),
        "lines": len(parsed.lines),
        "numbers": {
            "understood": parsed.numbers_understood,
            "not_understood": parsed.number_count - parsed.numbers_understood,
        },
        "questions": [
            {
                "line": question.span.line,
                "tool": question.tool,
                "about": question.about,
                "detail": question.detail,
                "key": question.key,
                "choices": dict(question.choices),
                "answer": question.answer or None,
            }
            for question in parsed.questions
        ],
        "not_understood": [
            {"line": rest.line, "text": rest.text} for rest in parsed.not_understood[:_MOST_LINES]
        ],
        "not_understood_lines": len(parsed.not_understood),
    }


def _needs(report: dict[str, Any] | None) -> list[str]:
    """Fields that the owner must fill in: without a CID only the label names the card."""
    named = report is None or "cid" in report["card"].get("registers", {})
    return [] if named else ["card.label"]


def _report(parsed: Parsed) -> tuple[dict[str, Any] | None, dict[str, str] | None]:
    try:
        return compose(parsed), None
    except ReportError as error:
        return None, {"code": error.code, "detail": error.detail, "field": error.field}
