"""The commands `run` and `demo`: measure a card, show the result, and send it."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cardbench.cli import doubts, reports, show
from cardbench.cli.opening import Opener
from cardbench.cli.options import option
from cardbench.cli.request import MeasureRequest, SuiteRequest, output_option
from cardbench.cli.terminal import command, write, write_document
from cardbench.errors import DeviceError, UsageError
from cardbench.measuring import report, resume
from cardbench.measuring.measure import Outcome
from cardbench.measuring.session import Keeper, Subject, measure_subject, skeleton
from cardbench.stopping import ENDING, INTERRUPTED
from cardbench.target import simulated, target


def run(request: MeasureRequest) -> int:
    """Measure a device, a file or a directory, and send the report if asked to. Return the exit status."""
    earlier = resume.load(request.resume) if request.resume else None
    output = request.output or request.resume
    if not output and (request.submit or not request.json):
        output = report.new_path()
    request = replace(request, output=output)
    _check_output(output)
    request.site.build_url("/")  # a wrong URL is reported before the run starts
    keep = _make_keeper(output)
    with Opener(request, earlier, _check_and_start(request, keep)).open() as (described, ready):
        document, outcome = measure_subject(
            described, ready, seed=secrets.randbits(32), quiet=request.json, keep=keep
        )
    is_shared = request.submit and not (outcome.interrupted or outcome.device_failed)
    content = _finish(document, output, request, is_shared=is_shared)
    return reports.share(output, content, request) if is_shared and output else _status(outcome)


def _check_and_start(request: MeasureRequest, keep: Keeper) -> Callable[[Subject], None]:
    def check_and_start(described: Subject) -> None:
        if request.submit:
            about = doubts.find_doubts({"card": described.card, "host": described.host})
            doubts.ask(about, agreed=request.even_if_no_card, what="it")
        if not described.earlier:
            keep(skeleton(described))

    return check_and_start


def _make_keeper(path: Path | None) -> Keeper:
    def keep(document: dict[str, Any]) -> None:
        if path:
            with suppress(UsageError):  # `_save` reports a full disk at the end
                report.save(path, report.encode(document))

    return keep


@dataclass(frozen=True)
class DemoRequest(SuiteRequest):
    """The options of the command `demo`."""

    output: Path | None = output_option("default: do not save it")
    seed: int = option(1, "number of the simulated card (default: 1)", type=int)


def demo(request: DemoRequest) -> int:
    """Measure a simulated card, which the option --seed chooses. Return the exit status."""
    seed, output = request.seed, request.output
    described = Subject(simulated.identity(seed), simulated.HOST, "simulated", request.choice)
    _check_output(output)
    ready = target.open_simulated(simulated.SimulatedEngine(seed))
    document, outcome = measure_subject(
        described, ready, seed=seed, quiet=request.json, keep=_make_keeper(output)
    )
    _finish(document, output, request)
    return _status(outcome)


def _check_output(path: Path | None) -> None:
    try:
        if path:
            report.check_savable(path)
    except UsageError as error:
        raise UsageError(f"{error} Name a different file with -o.") from error


def _status(outcome: Outcome) -> int:
    return INTERRUPTED if outcome.interrupted else DeviceError.exit_status if outcome.device_failed else 0


def _finish(
    document: dict[str, Any], output: Path | None, request: SuiteRequest, *, is_shared: bool = False
) -> bytes:
    content = report.encode(document)
    with _ignore_signals():
        if output:
            _save(output, content)
        if request.json:
            write_document(content)
            return content
        write(show.result(document, everything=request.all), end="")
        if output and not is_shared:
            write(f"\nSaved as {output}. “{command('show', str(output))}” shows every figure,")
            write(f"“{command('submit', str(output))}” shares it.")
    return content


@contextmanager
def _ignore_signals() -> Iterator[None]:
    handlers = [signal.signal(number, signal.SIG_IGN) for number in ENDING]
    try:
        yield
    finally:
        for number, handler in zip(ENDING, handlers):
            signal.signal(number, handler)


def _save(path: Path, content: bytes) -> None:
    try:
        report.save(path, content)
    except UsageError as error:
        write_document(content)
        raise UsageError(f"{error} The report was printed instead, so that it is not lost.") from error
