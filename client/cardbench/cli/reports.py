"""The commands `show` and `submit`: show saved reports, and send them to a server.

The receipt of the server is saved beside each report.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cardbench.api import Session
from cardbench.cli import doubts, label, show, verdict
from cardbench.cli.options import argument, flag, option
from cardbench.cli.request import Claims, Request, SendingRequest, SharingRequest
from cardbench.cli.terminal import print_json, say, write, write_document
from cardbench.errors import CardbenchError, ServerRefused, UsageError
from cardbench.measuring import report
from cardbench.server.request import Server
from cardbench.server.submit import new_secret, submit
from cardbench.shapes import FINDING, JsonDict, ShapeError, decode

_PATIENCE_S = 10.0  # the longest wait for the findings of the server
_RECEIPT = {"secret?": str, "id?": str, "links?": {"page?": str}, "findings?": [FINDING]}


@dataclass(frozen=True)
class ShowRequest(Request):
    """The options of the command `show`."""

    report: Path = argument("REPORT", type=Path)
    server: str | None = option(
        None, "compare the card with a typical card; this server knows what is typical", metavar="URL"
    )


def show_report(request: ShowRequest) -> int:
    """Print a saved report as a page of text."""
    content, document = report.load(request.report)
    site = Session(request.server, attempts=1) if request.server else None
    typical = verdict.find_typical_figures(site) if site else {}
    warnings = verdict.find_warnings(site, document) if site else []
    findings = _load_receipt(request.report).get("findings", ())
    if site and not typical:
        say(f"{request.server} has no figures for a typical card, or cannot be reached.")
    try:
        if request.json:
            write_document(content)
        else:
            write(show.page(document, typical, warnings=warnings, findings=findings), end="")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"{request.report} is not a complete report ({type(error).__name__}: {error})."
        ) from error
    return 0


@dataclass(frozen=True)
class SubmitRequest(SendingRequest, Claims):
    """The options of the command `submit`."""

    reports: tuple[Path, ...] = argument("REPORT", type=Path, nargs="+")
    dry_run: bool = flag("only print exactly the bytes that would be sent")


def submit_reports(request: SubmitRequest) -> int:
    """Send reports one after the other. Return the worst exit status."""
    loaded = [(path, *_load_with_claims(path, request)) for path in request.reports]
    if request.dry_run:
        for _, content, _ in loaded:
            write_document(content)
        return 0
    for path, _, document in loaded:
        doubts.ask(doubts.find_doubts(document), agreed=request.even_if_no_card, what=str(path))
    outcomes = [(path, *_submit_with_receipt(path, content, request.site)) for path, content, _ in loaded]
    return max(max(status, _print_answer(path, answer, request)) for path, answer, status in outcomes)


def _load_with_claims(path: Path, request: SubmitRequest) -> tuple[bytes, JsonDict]:
    """Return the bytes to send and the report, with the label and other claims of the user added. Raises UsageError.

    Without --dry-run they are saved in the file of the report, too.
    """
    content, document = report.load(path)
    card = request.describe(document.get("card", {}))
    said = {"card": card if request.dry_run else label.require_name(card)} | request.note_field
    if said.items() <= document.items():
        return content, document
    if page := _load_receipt(path).get("links", {}).get("page"):
        raise UsageError(
            f"{path} has already been sent. To correct the description of the card, use the page of the report, {page}."
        )
    content = report.encode(document | said)
    if not request.dry_run:
        report.save(path, content)
    return content, document | said


def save_and_send(document: JsonDict, request: SharingRequest) -> int:
    """Save and send the report of a card that was not measured, each if the user asks for it.

    Return the exit status.
    """
    path = request.output
    if request.submit:
        document = document | {"card": label.require_name(document["card"])}
        path = path or report.new_path(document["run"]["suite"])
    content = report.encode(document)
    if path:
        report.save(path, content)
    return share(path, content, request) if path and request.submit else 0


def share(path: Path, content: bytes, request: SharingRequest) -> int:
    """Send a report that is already saved, so that it can be sent again if this fails. Return the exit status."""
    if not request.json:
        write(f"\nSaved as {path}. Sending it to {request.server} …")
    answer, status = _submit_with_receipt(path, content, request.site)
    return max(status, _print_answer(path, answer, request))


def _submit_with_receipt(path: Path, content: bytes, server: Server) -> tuple[JsonDict, int]:
    # Saves the secret first: with it another attempt gets the delete key even if this attempt fails.
    try:
        kept = {"secret": new_secret()} | _load_receipt(path)
        _save_receipt(path, kept)
        receipt = submit(
            content,
            server,
            secret=kept["secret"],
            say=lambda line: say(f"{path}: {line}"),
        )
    except CardbenchError as error:
        return error.answer, error.exit_status
    if receipt["id"] == kept.get("id") and not receipt.get("delete_key"):
        receipt["delete_key"] = kept.get("delete_key")
    _save_receipt(path, kept | receipt)
    return receipt, 0


def _load_receipt(path: Path) -> JsonDict:
    receipt = _receipt_path(path)
    try:
        kept: JsonDict = decode(receipt.read_bytes(), _RECEIPT)
    except FileNotFoundError:
        return {}
    except (OSError, ShapeError) as error:
        raise UsageError(f"{receipt} cannot be read: {error}. Correct the file, or move it away.") from error
    return kept


def _save_receipt(path: Path, receipt: JsonDict) -> None:
    content = (json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode()
    report.save(_receipt_path(path), content, private=True)


def _receipt_path(path: Path) -> Path:
    return path.with_suffix(".receipt.json")


def _print_answer(path: Path, answer: JsonDict, request: SendingRequest) -> int:
    # Returns an exit status that tells whether the server has already rejected the report.
    if request.json:
        print_json(answer)
        return 0
    if "error" in answer:
        write(f"{path}: not submitted. {answer['error']['detail']}")
        return 0
    write("\n".join(_receipt_lines(path, answer)))
    found = _await_submission(answer["id"], request.site)
    if findings := found.get("findings"):
        _save_receipt(path, _load_receipt(path) | {"findings": findings})
        write("\n".join(f"  {line}" for line in show.finding_lines(findings)))
    is_rejected = found.get("state") == "rejected"
    if is_rejected:
        write(f"  rejected    {(found.get('reason') or {}).get('detail', 'The page below explains why.')}")
    write(f"  page        {answer['links'].get('page', '')}")
    return ServerRefused.exit_status if is_rejected else 0


def _await_submission(name: str, server: Server) -> JsonDict:
    try:
        session = Session(server.url, token=server.token, attempts=1)
        return session.await_processed(name, patience_s=_PATIENCE_S)
    except CardbenchError:
        return {}


def _receipt_lines(path: Path, answer: JsonDict) -> Iterator[str]:
    was_there = " (the server already had this report)" if answer.get("duplicate") else ""
    yield f"{path}: received as {answer['id']}{was_there}"
    yield f"  delete key  {answer.get('delete_key') or 'as given the first time'}"
    yield f"  receipt     {_receipt_path(path)}"
    if about := " ".join(doubts.find_doubts(report.load(path)[1])):
        yield f"  not ranked  {about}"
