"""What each command does. Every function takes the parsed command line and returns the exit status."""

import argparse
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cardbench.cli import show, subject, verdict
from cardbench.errors import CardbenchError, DeviceError, UsageError
from cardbench.measuring import report, resume
from cardbench.measuring.measure import Outcome
from cardbench.measuring.session import Subject, measure_subject
from cardbench.server.http import Server
from cardbench.server.submit import submit
from cardbench.target import identity, simulated, sysfs, target

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


def identify(arguments: argparse.Namespace) -> int:
    """Shows the registers of a card and where it is."""
    tree = sysfs.Sysfs(arguments.sysfs)
    block = subject.find_block(tree, arguments.device)
    card, host = identity.card(tree, block.disk), identity.host(tree, block.disk)
    print(json.dumps({"card": card, "host": host}) if arguments.json else show.identity(card, host), end="")
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Measures a device, a file or a directory, and sends the report if asked to."""
    arguments.earlier = resume.load(arguments.resume) if arguments.resume else None
    arguments.output = arguments.output or arguments.resume
    if not arguments.output and (arguments.submit or not arguments.json):
        arguments.output = Path(f"cardbench-{report.now():%Y%m%d-%H%M%S}.json")
    _check_output(arguments.output)
    Server(arguments.server).address("/")  # a wrong address is said before the run, too
    with subject.opened(arguments) as (described, ready):
        if arguments.submit:
            _check_name(described.card)
        document, outcome = measure_subject(described, ready, seed=secrets.randbits(32), quiet=arguments.json)
    return _finish(document, outcome, arguments)


def _check_name(card: dict[str, Any]) -> None:
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
    document, outcome = measure_subject(described, ready, seed=arguments.seed, quiet=arguments.json)
    return _finish(document, outcome, arguments)


def _check_output(path: Path | None) -> None:
    """Before the run, not after it: a report that cannot be saved would be lost."""
    directory = path.absolute().parent if path else None
    if path and (path.is_dir() or not os.access(directory or "", os.W_OK)):
        raise UsageError(f"{path} cannot be written. Name another file with -o.")


def _finish(document: dict[str, Any], outcome: Outcome, arguments: argparse.Namespace) -> int:
    """Saves, shows and shares the report -> the exit status that says how the run ended."""
    content = report.encode(document)
    complete = not (outcome.interrupted or outcome.device_failed)
    share = complete and arguments.submit
    with _undisturbed():
        if arguments.output:
            _save(arguments.output, content)
        print(content.decode() if arguments.json else show.page(document), end="", flush=True)
        if arguments.output and not (arguments.json or share):
            print(f"\nSaved as {arguments.output}. “cardbench submit {arguments.output}” shares it.")
    if share:
        return _share(arguments.output, content, arguments)
    return 0 if complete else INTERRUPTED if outcome.interrupted else DeviceError.exit_status


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C has to wait: this takes a moment, and is worth it."""
    signals = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.signal(number, signal.SIG_IGN) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, handlers, strict=True):
            signal.signal(number, handler)


def _share(path: Path, content: bytes, arguments: argparse.Namespace) -> int:
    """Sends a report that was just saved; what cannot be sent now can be sent later."""
    if not arguments.json:
        print(f"\nSaved as {path}. Sending it to {arguments.server} …", flush=True)
    answer, status = _submit_one(path, content, Server(arguments.server, arguments.token, arguments.attempts))
    _print_answer(path, answer, arguments)
    return status


def _print_answer(path: Path, answer: dict[str, Any], arguments: argparse.Namespace) -> None:
    print(json.dumps(answer, ensure_ascii=False) if arguments.json else _words(path, answer))


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
    server = Server(arguments.server, arguments.token, arguments.attempts)
    loaded = [(path, report.load(path)[0]) for path in arguments.reports]
    if arguments.dry_run:
        for _, content in loaded:
            sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return 0
    outcomes = [_submit_one(path, content, server) for path, content in loaded]
    for path, (answer, _) in zip(arguments.reports, outcomes, strict=True):
        _print_answer(path, answer, arguments)
    return max(status for _, status in outcomes)


def _submit_one(path: Path, content: bytes, server: Server) -> tuple[dict[str, Any], int]:
    """Sends one report and keeps its receipt beside it -> the receipt or the error, and the exit status."""
    try:
        receipt = submit(content, server, say=lambda line: print(f"{path}: {line}", file=sys.stderr))
    except CardbenchError as error:
        return {"error": {"code": error.code, "detail": str(error), "field": ""}}, error.exit_status
    report.save(
        _receipt_path(path), (json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode(), private=True
    )
    return receipt, 0


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
