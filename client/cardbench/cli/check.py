"""The command `check`: say in one sentence whether a card is genuine and sound, and list the evidence."""

from __future__ import annotations

import math
import secrets
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from cardbench.cli import consent, doubts, label, reports, subject
from cardbench.cli.disks import find_disk, find_target
from cardbench.cli.health import BAD, sentence
from cardbench.cli.options import flag, option, positive
from cardbench.cli.request import CardRequest, Permission, SharingRequest, TargetRequest, output_option
from cardbench.cli.terminal import print_json, redraw, say, write
from cardbench.errors import UsageError
from cardbench.measuring import capacity, checkup, diagnosis, report, resume, scan
from cardbench.measuring.capacity import Capacity
from cardbench.measuring.checkup import Evidence
from cardbench.measuring.diagnosis import Verdict
from cardbench.shapes import JsonDict, JsonMapping
from cardbench.target import health, kernel_messages, plain, safety, target
from cardbench.target.engine import EngineError, find_engine
from cardbench.target.health import Health
from cardbench.target.surface import Surface
from cardbench.target.target import Ready

_SAVED_EACH_S = 30


@dataclass(frozen=True)
class CheckRequest(TargetRequest, Permission, SharingRequest, CardRequest):
    """The options of the command `check`."""

    titles = {
        "Permission": "testing how much the card really holds (everything on it will be lost)",
        "Claims": "about the card",
    }
    seconds: int = option(
        checkup.BUDGET_S,
        "time limit in seconds; the longer, the more of the card is read (default: %(default)s)",
        type=positive,
        metavar="N",
    )
    all: bool = flag(
        "read the whole card, and write wherever writing is allowed, however long the check takes"
    )
    resume: Path | None = option(
        None, "continue an earlier check where it stopped reading", type=Path, metavar="REPORT"
    )
    output: Path | None = output_option("default: do not save it")


def check(request: CheckRequest) -> int:
    """Check a device, a file, or the card of a directory. Return the exit status 0 if it is sound, 7 if it is not."""
    path = find_target(request)
    disk = find_disk(path, request.sysfs)
    document = _compose(request, path, disk)
    earlier = _load_earlier(request.resume, document) if request.resume else {}
    document["card"] |= request.describe(resume.Earlier(earlier).claims) if earlier else {}
    if request.submit:
        document |= {"card": label.require_name(document["card"])}
        doubts.ask(doubts.find_doubts(document), agreed=request.even_if_no_card, what="it")
    evidence, verdict = _look(request, path, disk, document, earlier)
    document = add_evidence(document, evidence, verdict)
    _print(verdict, document, as_json=request.json)
    status = reports.save_and_send(document, replace(request, output=request.output or request.resume))
    return status or (BAD if verdict.is_bad else 0)


def _compose(request: CheckRequest, path: Path, disk: str) -> JsonDict:
    kind = "directory" if path.is_dir() else "device" if path.is_block_device() else "file"
    run = {"suite": "check", "target": kind, "destructive": request.destructive}
    document = subject.compose_reading(request, disk, run) | request.note_field
    if kind == "directory":
        document["host"] |= subject.describe_mount(path)
    return document


def _look(
    request: CheckRequest, path: Path, disk: str, document: JsonDict, earlier: JsonMapping
) -> tuple[Evidence, Verdict]:
    begin_s, progress = time.monotonic(), _Progress(request, document)
    stated = health.read_emmc(request.sysfs, disk)
    try:
        with _open(path, request) as ready:
            evidence = checkup.check(
                ready.engine,
                ready.surface,
                seed=secrets.randbits(32),
                budget_s=math.inf if request.all else request.seconds,
                scan=_resume_scan(earlier, ready.surface) if earlier else None,
                note=progress,
            )
        evidence = add_statements(evidence, stated, "" if path.is_file() else disk, request)
        verdict = diagnosis.judge(evidence)
        wear = [f"its wear: {sentence(stated)}"] if stated.figures else []
        before = [_describe_earlier(earlier)] if earlier else []
        verdict = replace(verdict, details=(*verdict.details, *before, *wear, *ready.caveats))
    except KeyboardInterrupt:
        progress.save()
        say(progress.interruption_words)
        raise
    except EngineError as error:
        if error.code != "EROFS":
            raise
        evidence, verdict = Evidence(0), diagnosis.READ_ONLY
    document["run"]["duration_ns"] = int((time.monotonic() - begin_s) * 1e9)
    return evidence, verdict


def _open(path: Path, request: CheckRequest) -> AbstractContextManager[Ready]:
    _ask(path, request)
    try:
        command = find_engine(request.engine)
    except UsageError:
        if request.engine or path.is_block_device():
            raise
        return plain.open_plain(path, may_write=request.destructive)
    if path.is_dir():
        return target.open_space(command, path)
    return target.open_device(command, path, may_write=request.destructive, whole=True)


def _ask(path: Path, request: CheckRequest) -> None:
    if path.is_dir():
        consent.refuse_destructive(path, request)
    elif request.destructive and path.is_block_device():
        consent.ask_for_all(path, "marker blocks, then long runs of data", request)
    elif request.destructive:
        consent.ask_for_file(path, request)


def _load_earlier(path: Path, document: JsonMapping) -> JsonDict:
    """Load the report of an earlier check. Raise UsageError if it is about another card or contains no scan."""
    earlier = report.load(path)[1]
    try:
        resume.check_same(resume.Earlier(earlier), document["card"], document["run"]["target"])
        earlier["scan"]
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be continued: it contains no complete scan.") from error
    return earlier


def _describe_earlier(earlier: JsonMapping) -> str:
    before = earlier["scan"]
    proof = (
        ""
        if earlier["card"].get("registers", {}).get("cid")
        else "; no register proves that this is the same card"
    )
    return f"{100 * before['read_bytes'] // before['size_bytes']} % of the card was read by the earlier check{proof}"


def _resume_scan(earlier: JsonMapping, surface: Surface) -> scan.Scan:
    try:
        return scan.resume(earlier["scan"], scan.Grid(surface.size_bytes))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"This report cannot be continued: {error}.") from error


class _Progress:
    """The progress of a check: shown on a terminal, and saved from time to time so that the check can be resumed."""

    def __init__(self, request: CheckRequest, document: JsonDict) -> None:
        self._output, self._document = request.output or request.resume, document
        self._is_shown = sys.stderr.isatty() and not request.json
        self._saved_s = time.monotonic()
        self._evidence: Evidence | None = None

    def __call__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        if self._is_shown and evidence.scan:
            bad = f", {len(evidence.scan.bad)} bad blocks" if evidence.scan.bad else ""
            redraw(f"{evidence.scan.share:4.0%} read{bad} ")
        if time.monotonic() - self._saved_s > _SAVED_EACH_S:
            self.save()

    @property
    def interruption_words(self) -> str:
        """Return a sentence that says where an interrupted check is saved, and how to resume it."""
        if self._output and self._evidence and self._evidence.scan:
            return (
                f"The results so far are saved in {self._output}: “--resume {self._output}” continues the"
                " check."
            )
        return "Nothing was saved. Only a check that reads a device or a file can be saved, with -o."

    def save(self) -> None:
        """Save the scan so far, if the user asked for a report."""
        self._saved_s = time.monotonic()
        if self._output and self._evidence and self._evidence.scan:
            report.save(self._output, report.encode(self._document | {"scan": self._evidence.scan.entry}))


def add_statements(evidence: Evidence, stated: Health, disk: str, request: CheckRequest) -> Evidence:
    """Return the evidence with the wear that the card reports, and the complaints about it in the kernel's log."""
    tree = request.sysfs
    is_fixed = bool(disk) and safety.is_fixed_disk(disk, tree) and not doubts.is_express(request.label_fields)
    return replace(
        evidence,
        complaints=kernel_messages.find_complaints(disk, tree),
        is_used_up=stated.is_used_up,
        is_card=not is_fixed,
    )


def add_evidence(document: JsonDict, evidence: Evidence, verdict: Verdict) -> JsonDict:
    """Return the report with the scan, the capacity and the verdict of a check."""
    scanned = {"scan": evidence.scan.entry} if evidence.scan and evidence.scan.done else {}
    readings = [{"name": "verdict", "value": verdict.kind, "tool": "cardbench check"}]
    readings += [{"name": "kernel log", "value": line, "tool": "kernel"} for line in evidence.complaints]
    words = {"check": [verdict.sentence, *verdict.details]}
    rows = _list_capacity(evidence)
    return document | scanned | {"measurements": rows, "readings": readings, "extra": words}


def _list_capacity(evidence: Evidence) -> list[JsonDict]:
    # A file that kept all data gives no measurement of the capacity, because it is only a part of a card.
    held, has_lost = evidence.held, bool(evidence.lost)
    is_sound = not has_lost and (held is None or held.kind == "good")
    if evidence.read_errors and is_sound:
        detail = f"{len(evidence.read_errors)} written blocks could not be read back"
        return capacity.failure_entries("EIO", detail, "direct")
    if evidence.is_own_file:
        return [] if is_sound else capacity.entries(Capacity("lost", 0), "direct")
    if held and has_lost and held.kind == "good":
        held = Capacity("damaged", held.real_bytes)
    return capacity.entries(held, "direct") if held else []


def _print(verdict: Verdict, document: JsonMapping, *, as_json: bool) -> None:
    if as_json:
        answer = {"verdict": verdict.kind, "well": verdict.is_well, "sentence": verdict.sentence}
        print_json(
            answer
            | {"details": verdict.details}
            | {name: document[name] for name in ("scan",) if name in document}
        )
        return
    write("\n  ".join((verdict.sentence, *verdict.details)))
