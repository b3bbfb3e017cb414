"""`parse`: what flashbench, fio, dd, f3 and others printed becomes a report.

The parsers live on the server and learn; the client asks it. The server stores nothing of what it is asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cardbench.cli import show, subject
from cardbench.errors import CardbenchError, ServerNotReached, ServerRefused, UsageError
from cardbench.measuring import report
from cardbench.server import http
from cardbench.server.request import Request, Server

PATH = "/api/v1/parse/"
LONGEST_BYTES = 8_000_000
_MOST_SHOWN = 10


def parse(arguments: argparse.Namespace) -> int:
    """Turns logs into reports beside them, one each -> the worst status."""
    if arguments.output and len(arguments.logs) > 1:
        raise UsageError("-o names one report; several logs become a report beside each of them.")
    return max(_parse_one(path, arguments) for path in arguments.logs)


def _parse_one(path: Path, arguments: argparse.Namespace) -> int:
    server = Server(arguments.server, arguments.token, attempts=1)
    try:
        parsed = ask(_content(path), server, answers=dict(arguments.answer))
        saved = _save(path, parsed, arguments)
    except CardbenchError as error:
        _say(path, {"error": {"code": error.code, "detail": str(error), "field": ""}}, arguments.json)
        return error.exit_status
    _say(path, parsed | {"saved": str(saved)}, arguments.json)
    return 0


def ask(content: bytes, server: Server, *, answers: Mapping[str, str]) -> dict[str, Any]:
    """Posts a log -> what it would become. Raises ServerRefused, ServerNotReached, UsageError."""
    query = tuple((f"answer.{key}", answer) for key, answer in answers.items())
    try:
        body = http.ask(Request(PATH, "POST", content, "text/plain; charset=utf-8", query), server)
    except ServerNotReached as error:
        raise ServerNotReached(
            f"{error} The parsers live on the server, so without one a log cannot be read; it is as it was."
        ) from error
    parsed = http.document(body, server)
    if isinstance(parsed, dict) and isinstance(parsed.get("questions"), list) and "report" in parsed:
        return parsed
    raise ServerRefused(f"{server.url} answered, but not with a parsed text. Is it a flashdb server?")


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > LONGEST_BYTES:
        raise UsageError(f"{path} has {len(content):,} bytes; at most {LONGEST_BYTES:,} are read. Split it.")
    return content


def _save(path: Path, parsed: Mapping[str, Any], arguments: argparse.Namespace) -> Path:
    """Raises ServerRefused when nothing was understood, UsageError when nothing names the card."""
    document = parsed["report"]
    if not isinstance(document, dict):
        problem = parsed.get("problem") or {}
        raise ServerRefused(str(problem.get("detail") or "Nothing was understood."))
    claims = subject.described(arguments)
    if parsed.get("needs") and not claims["label"].get("brand"):
        raise UsageError("The log holds no CID, so only the label tells which card it is: add --brand.")
    document["card"] |= claims | {"label": document["card"].get("label", {}) | claims["label"]}
    document |= {"uuid": str(uuid.uuid4())} | ({"note": arguments.note} if arguments.note else {})
    beside = path.with_name(f"{path.name}.report.json")
    target: Path = arguments.output or beside
    report.save(target, report.encode(document))
    return target


def _say(path: Path, answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer, ensure_ascii=False))
    elif "error" in answer:
        print(show.plain(f"{path}: {answer['error']['detail']}"), file=sys.stderr)
    else:
        print(show.plain("\n".join(lines(path, answer))))


def lines(path: Path, parsed: Mapping[str, Any]) -> Iterator[str]:
    """What was understood, for people, and what was not."""
    count = len(parsed["report"].get("measurements", ()))
    numbers = parsed.get("numbers", {})
    total = numbers.get("understood", 0) + numbers.get("not_understood", 0)
    yield f"{path}: {count} measurements, printed by {', '.join(parsed.get('tools', ())) or 'nobody known'}"
    yield f"  {numbers.get('understood', 0)} of {total} numbers understood"
    for left_out in parsed["report"].get("extra", {}).get("left_out", ()):
        yield f"  left out: {left_out['reason']}"
    for rest in parsed.get("not_understood", ())[:_MOST_SHOWN]:
        yield f"  not understood, line {rest['line']}: {rest['text'].strip()[:100]}"
    if parsed.get("not_understood_lines", 0) > _MOST_SHOWN:
        yield f"  and {parsed['not_understood_lines'] - _MOST_SHOWN} lines more"
    for question in parsed["questions"]:
        yield from _question(question)
    yield f"  saved as {parsed['saved']}; “cardbench submit {parsed['saved']}” shares it"


def _question(question: Mapping[str, Any]) -> Iterator[str]:
    if question.get("answer"):
        return
    yield f"  line {question['line']} asks: {question['detail']}"
    choices = question.get("choices") or {}
    if choices:
        yield f"    answer with --answer '{question['key']}={next(iter(choices))}' or another of:"
        yield f"    {', '.join(choices)}"
