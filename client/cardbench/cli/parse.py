"""The command `parse`: turn the output of flashbench, fio, dd, f3 and others into reports.

The server parses the output, so that new formats need no new client. It does not store the text.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cardbench.api import Session
from cardbench.cli.options import answer, argument, option
from cardbench.cli.request import Claims, ServerRequest, output_option
from cardbench.cli.terminal import print_json, say, write
from cardbench.errors import CardbenchError, ServerNotReached, ServerRefused, UsageError
from cardbench.measuring import report
from cardbench.shapes import JsonDict, JsonMapping

LONGEST_BYTES = 8_000_000
_MOST_SHOWN = 10


@dataclass(frozen=True)
class ParseRequest(ServerRequest, Claims):
    """The options of the command `parse`."""

    titles = {"Claims": "about the card"}
    logs: tuple[Path, ...] = argument("LOGFILE", type=Path, nargs="+")
    output: Path | None = output_option("default: LOGFILE.report.json")
    answer: tuple[tuple[str, str], ...] = option(
        (),
        "answer to a question that a log leaves open; can be repeated",
        action="append",
        type=answer,
        metavar="KEY=CHOICE",
    )


def parse(request: ParseRequest) -> int:
    """Turn logs into reports, saved beside the logs, one for each card or state in a log.

    Return the worst exit status.
    """
    if request.output and len(request.logs) > 1:
        raise UsageError(
            "-o names a single report, but you named several logs: leave -o out, and cardbench saves"
            " each report beside its log."
        )
    return max(_parse_one(path, request) for path in request.logs)


def _parse_one(path: Path, request: ParseRequest) -> int:
    try:
        parsed = _ask(_read_log(path), request)
        saved = [
            _save(path, case, request, alone=len(parsed["cases"]) == 1) for case in _select_cases(parsed)
        ]
    except CardbenchError as error:
        _say(path, error.answer, request.json)
        return error.exit_status
    _say(path, parsed | {"saved": [str(target) for target in saved]}, request.json)
    return 0


def _ask(content: bytes, request: ParseRequest) -> JsonDict:
    site = Session(request.server, token=request.token, attempts=1)
    try:
        return site.parse(content, dict(request.answer))
    except ServerNotReached as error:
        raise ServerNotReached(
            f"{error} The parsers run on the server, so cardbench needs a connection to it."
            " Your log is unchanged."
        ) from error


def _read_log(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > LONGEST_BYTES:
        raise UsageError(
            f"{path} has {len(content):,} bytes; a server reads at most {LONGEST_BYTES:,}. Split the log."
        )
    return content


def _select_cases(parsed: JsonMapping) -> list[JsonMapping]:
    """Return the cases of a log that became a report. Raise ServerRefused with the open questions if there is none."""
    cases = [
        case
        for case in parsed["cases"]
        if isinstance(case.get("report"), dict) and _has_facts(case["report"])
    ]
    if not cases:
        problem = parsed.get("problem") or {}
        detail = str(problem.get("detail") or "Nothing was understood.")
        asked = (line for question in parsed["questions"] for line in _question(question))
        raise ServerRefused("\n".join((detail, *asked)))
    return cases


def _has_facts(document: JsonMapping) -> bool:
    beside, registers = document.get("extra", {}).get("beside"), document.get("card", {}).get("registers")
    return bool(document.get("measurements") or document.get("readings") or beside or registers)


def _save(path: Path, case: JsonMapping, request: ParseRequest, *, alone: bool) -> Path:
    """Save the report of a case. Raise UsageError if nothing names the card, or if -o would name several reports."""
    document = case["report"]
    if case.get("needs") and not request.label_fields.get("brand"):
        raise UsageError("The log contains no CID, so only the label can show which card it is: add --brand.")
    if request.output and not alone:
        raise UsageError("-o names a single report, but the log contains several: leave -o out.")
    document |= {"uuid": str(uuid.uuid4()), "card": request.describe(document["card"])} | request.note_field
    name = f"{path.name}.report.json" if alone else f"{path.name}.{case['case']}.report.json"
    target = request.output or path.with_name(name)
    report.save(target, report.encode(document))
    return target


def _say(path: Path, answer: JsonDict, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    elif "error" in answer:
        say(f"{path}: {answer['error']['detail']}")
    else:
        write("\n".join(lines(path, answer)))


def lines(path: Path, parsed: JsonMapping) -> Iterator[str]:
    """Yield lines for the user about the parts of a log that the server understood, and those that it did not."""
    reports = [case["report"] for case in _select_cases(parsed)]
    count = sum(len(one.get("measurements", ())) for one in reports)
    numbers = parsed.get("numbers", {})
    total = numbers.get("understood", 0) + numbers.get("not_understood", 0)
    yield (
        f"{path}: {count} measurements, printed by"
        f" {', '.join(parsed.get('tools', ())) or 'an unknown program'}"
    )
    yield f"  {numbers.get('understood', 0)} of {total} numbers understood"
    for left_out in (reason for one in reports for reason in one.get("extra", {}).get("left_out", ())):
        yield f"  left out: {left_out['reason']}"
    for rest in parsed.get("not_understood", ())[:_MOST_SHOWN]:
        yield f"  not understood, line {rest['line']}: {rest['text'].strip()[:100]}"
    if parsed.get("not_understood_lines", 0) > _MOST_SHOWN:
        yield f"  and {parsed['not_understood_lines'] - _MOST_SHOWN} more lines"
    for question in parsed["questions"]:
        yield from _question(question)
    for saved in parsed["saved"]:
        yield f"  saved as {saved}; “cardbench submit {saved}” shares it"


def _question(question: JsonMapping) -> Iterator[str]:
    if question.get("answer"):
        return
    yield f"  question about line {question['line']}: {question['detail']}"
    choices = question.get("choices") or {}
    if choices:
        yield f"    answer with --answer '{question['key']}={next(iter(choices))}' or one of:"
        yield f"    {', '.join(choices)}"
