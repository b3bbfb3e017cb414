"""What each command does. Every function takes the parsed command line and returns the exit status."""

from __future__ import annotations

import argparse
import json
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cardbench.cli import doubts, show, subject, verdict
from cardbench.errors import CardbenchError, DeviceError, UsageError
from cardbench.measuring import report, resume
from cardbench.measuring.measure import Outcome
from cardbench.measuring.session import Subject, measure_subject, skeleton
from cardbench.server.request import Server
from cardbench.server.submit import new_secret, submit
from cardbench.stopping import ENDING
from cardbench.target import simulated, sysfs, target

Command = Callable[[argparse.Namespace], int]
INTERRUPTED = 130


def list_disks(arguments: argparse.Namespace) -> int:
    """Lists the disks: cards in slots and readers first, then what cannot be taken out."""
    tree = sysfs.Sysfs(arguments.sysfs)
    disks = [subject.disk_summary(tree, name) for name in tree.names("block")]
    shown = sorted(
        (disk for disk in disks if disk["size_bytes"]), key=lambda disk: (not disk["movable"], disk["name"])
    )
    print(json.dumps(shown) if arguments.json else show.disks(shown))
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Measures a device, a file or a directory, and sends the report if asked to."""
    arguments.earlier = resume.load(arguments.resume) if arguments.resume else None
    arguments.output = arguments.output or arguments.resume
    if not arguments.output and (arguments.submit or not arguments.json):
        arguments.output = Path(f"cardbench-{report.now():%Y%m%d-%H%M%S}.json")
    _check_output(arguments.output)
    Server(arguments.server).address("/")  # a wrong address is said before the run, too
    with subject.opened(arguments, _check_and_start(arguments)) as (described, ready):
        document, outcome = measure_subject(
            described,
            ready,
            seed=secrets.randbits(32),
            quiet=arguments.json,
            keep=_keeper(arguments.output),
        )
    return _finish(document, outcome, arguments)


def _server(arguments: argparse.Namespace) -> Server:
    return Server(arguments.server, arguments.token, arguments.attempts)


def _check_and_start(arguments: argparse.Namespace) -> Callable[[Subject], None]:
    def check_and_start(described: Subject) -> None:
        if arguments.submit:
            check_name(described.card)
            about = doubts.of_report({"card": described.card, "host": described.host})
            doubts.ask(about, agreed=arguments.even_if_no_card, what="it")
        if not described.earlier:
            _keeper(arguments.output)(skeleton(described))

    return check_and_start


def _keeper(path: Path | None) -> Callable[[dict[str, Any]], None]:
    """Saves a report as far as it is; a disk that is full in between is complained of at the end."""

    def keep(document: dict[str, Any]) -> None:
        if path:
            with suppress(UsageError):
                report.save(path, report.encode(document))

    return keep


def check_name(card: dict[str, Any]) -> None:
    """Before the run: a result of nobody knows what would be refused after it."""
    if not (card.get("registers", {}).get("cid") or card.get("label", {}).get("brand")):
        raise UsageError(
            "Nobody could tell which card this is: no CID register is to be seen (readers hide it), and no brand was "
            "given. Say what is printed on it: --brand SanDisk --line Extreme --capacity-gb 64. Or leave out --submit."
        )


def demo(arguments: argparse.Namespace) -> int:
    """Measures the simulated card of a seed."""
    arguments.earlier = None
    described = Subject(
        simulated.identity(arguments.seed), simulated.HOST, "simulated", subject.choice(arguments)
    )
    _check_output(arguments.output)
    ready = target.open_simulated(simulated.SimulatedEngine(arguments.seed))
    document, outcome = measure_subject(
        described, ready, seed=arguments.seed, quiet=arguments.json, keep=_keeper(arguments.output)
    )
    return _finish(document, outcome, arguments)


def _check_output(path: Path | None) -> None:
    """Before the run, not after it: a report that cannot be saved would be lost."""
    try:
        if path:
            report.check_savable(path)
    except UsageError as error:
        raise UsageError(f"{error} Name another file with -o.") from error


def _finish(document: dict[str, Any], outcome: Outcome, arguments: argparse.Namespace) -> int:
    """Saves, shows and shares the report -> the exit status that says how the run ended."""
    content = report.encode(document)
    complete = not (outcome.interrupted or outcome.device_failed)
    shared = complete and arguments.submit
    with _undisturbed():
        if arguments.output:
            _save(arguments.output, content)
        print(content.decode() if arguments.json else show.page(document), end="", flush=True)
        if arguments.output and not (arguments.json or shared):
            print(f"\nSaved as {arguments.output}. “cardbench submit {arguments.output}” shares it.")
    if shared:
        return share(arguments.output, content, arguments)
    return 0 if complete else INTERRUPTED if outcome.interrupted else DeviceError.exit_status


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C has to wait: this takes a moment, and is worth it."""
    handlers = [signal.signal(number, signal.SIG_IGN) for number in ENDING]
    try:
        yield
    finally:
        for number, handler in zip(ENDING, handlers):
            signal.signal(number, handler)


def share(path: Path, content: bytes, arguments: argparse.Namespace) -> int:
    """Sends a report that was just saved; what cannot be sent now can be sent later."""
    if not arguments.json:
        print(f"\nSaved as {path}. Sending it to {arguments.server} …", flush=True)
    answer, status = _submit_one(path, content, _server(arguments))
    _print_answer(path, answer, arguments)
    return status


def send(document: dict[str, Any], arguments: argparse.Namespace) -> int:
    """Saves and sends a report that was read, not measured -> the exit status."""
    check_name(document["card"])
    suite = document["run"]["suite"]
    path = arguments.output or Path(f"cardbench-{suite}-{report.now():%Y%m%d-%H%M%S}.json")
    content = report.encode(document)
    report.save(path, content)
    return share(path, content, arguments)


def _print_answer(path: Path, answer: dict[str, Any], arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
        return
    about = "" if "error" in answer else " ".join(doubts.of_report(report.load(path)[1]))
    print(_words(path, answer) + (show.plain(f"\n  not ranked  {about}") if about else ""))


def _save(path: Path, content: bytes) -> None:
    try:
        report.save(path, content)
    except UsageError as error:
        print(content.decode(), end="")
        raise UsageError(f"{error} So that it is not lost, the report was printed instead.") from error


def show_report(arguments: argparse.Namespace) -> int:
    """Shows a report that was saved."""
    content, document = report.load(arguments.report)
    typical = verdict.typical(Server(arguments.server)) if arguments.server else {}
    if arguments.server and not typical:
        print(f"{arguments.server} knows no typical card, or cannot be reached.", file=sys.stderr)
    try:
        print(content.decode() if arguments.json else show.page(document, typical), end="")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"{arguments.report} is not a complete report ({type(error).__name__}: {error})."
        ) from error
    return 0


def submit_reports(arguments: argparse.Namespace) -> int:
    """Sends reports one after the other -> the worst status."""
    server = _server(arguments)
    loaded = [(path, *report.load(path)) for path in arguments.reports]
    if arguments.dry_run:
        for _, content, _ in loaded:
            sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return 0
    for path, _, document in loaded:
        doubts.ask(doubts.of_report(document), agreed=arguments.even_if_no_card, what=str(path))
    outcomes = [_submit_one(path, content, server) for path, content, _ in loaded]
    for path, (answer, _) in zip(arguments.reports, outcomes):
        _print_answer(path, answer, arguments)
    return max(status for _, status in outcomes)


def _submit_one(path: Path, content: bytes, server: Server) -> tuple[dict[str, Any], int]:
    """Sends one report and keeps its receipt beside it -> the receipt or the error, and the exit status.

    The secret is kept first: with it another attempt gets the delete key, whatever happens to this one.
    """
    try:
        kept = {"secret": new_secret()} | _kept_receipt(path)
        _keep_receipt(path, kept)
        receipt = submit(
            content,
            server,
            secret=kept["secret"],
            say=lambda line: print(f"{path}: {line}", file=sys.stderr),
        )
    except CardbenchError as error:
        return {"error": {"code": error.code, "detail": str(error), "field": ""}}, error.exit_status
    if receipt["id"] == kept.get("id") and not receipt.get("delete_key"):
        receipt["delete_key"] = kept.get("delete_key")
    _keep_receipt(path, kept | receipt)
    return receipt, 0


def _kept_receipt(path: Path) -> dict[str, Any]:
    """Of an earlier attempt; empty when there was none."""
    try:
        kept = json.loads(_receipt_path(path).read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _keep_receipt(path: Path, receipt: dict[str, Any]) -> None:
    """Raises UsageError when it cannot be written."""
    content = (json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode()
    report.save(_receipt_path(path), content, private=True)


def _receipt_path(path: Path) -> Path:
    return path.with_suffix(".receipt.json")


def _words(path: Path, answer: dict[str, Any]) -> str:
    if "error" in answer:
        return show.plain(f"{path}: not submitted. {answer['error']['detail']}")
    was_there = " (it was there already)" if answer.get("duplicate") else ""
    return show.plain(
        f"{path}: received as {answer['id']}{was_there}\n"
        f"  page        {answer['links'].get('page', '')}\n"
        f"  delete key  {answer.get('delete_key', '')}\n"
        f"  receipt     {_receipt_path(path)}"
    )
