"""The command `powercut`: cut the power several times while blocks are written, and count the lost blocks."""

from __future__ import annotations

import random
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cardbench.cli import consent, health, reports, subject
from cardbench.cli.disks import find_disk, find_target
from cardbench.cli.options import argument, option, positive
from cardbench.cli.request import (
    CardRequest,
    Permission,
    Request,
    SharingRequest,
    TargetRequest,
    output_option,
)
from cardbench.cli.terminal import print_json, say, write
from cardbench.errors import DeviceError, UsageError
from cardbench.measuring import powercut
from cardbench.measuring.powercut import Cut
from cardbench.target import safety, target
from cardbench.target.engine import find_engine
from cardbench.target.target import Ready

_FILE_NAME = "cardbench-powercut.dat"
_FILE_BYTES = 64 * 1024**2
_BY_HAND_S, _AFTER_COMMAND_S, _COMMAND_S, _BACK_S = 120, 15, 60, 120


@dataclass(frozen=True)
class PowercutRequest(SharingRequest, TargetRequest, Permission, CardRequest):
    """The options of the command `powercut`."""

    titles = Request.titles | {"Permission": "cutting the power of a device (everything on it will be lost)"}
    target: str = argument("DEVICE|DIRECTORY", "in a directory, cardbench writes only to a temporary file")
    cuts: int = option(20, "default: %(default)s", type=positive, metavar="N")
    seconds: float = option(3.0, "longest time in seconds before a cut; default: 3", type=float, metavar="S")
    cut_command: str = option(
        "",
        "command that cuts the power, such as “uhubctl -l 1-1 -p 2 -a off”; without it, you cut the power by hand",
        metavar="COMMAND",
    )
    back_command: str = option(
        "", "command that restores the power and mounts the card where it was mounted", metavar="COMMAND"
    )
    check_command: str = option(
        "", "command that checks the file system; exit status 0 means that it is intact", metavar="COMMAND"
    )
    output: Path | None = output_option("default: do not save it")


@dataclass(frozen=True)
class Bench:
    """The path of the device or file under test, which exists again after each cut.

    `check` raises SafetyError if the path may not be written any more.
    """

    path: Path
    check: Callable[[], object]
    request: PowercutRequest

    def open(self) -> AbstractContextManager[Ready]:
        command = find_engine(self.request.engine)
        return target.open_device(command, self.path, may_write=True, whole=True)


def cut_power(request: PowercutRequest) -> int:
    """Cut the power as often as requested. Return the exit status 0 if all data was kept, 7 if not."""
    path = find_target(request)
    disk = find_disk(path, request.sysfs)
    if not request.cut_command and not sys.stdin.isatty():
        raise UsageError("There is no terminal to ask you to cut the power. Use --cut-command.")
    bench = _prepare_directory(path, request) if path.is_dir() else _prepare_device(path, request)
    cuts: list[Cut] = []
    try:
        for cut in _cut_repeatedly(bench):
            cuts.append(cut)
            say(f"cut {len(cuts)} of {request.cuts}: {_words(cut)}")
    except (DeviceError, KeyboardInterrupt) as error:
        if not cuts:
            raise
        say(f"ended after {len(cuts)} cuts: {error or 'interrupted'}")
    finally:
        if path.is_dir():
            (path / _FILE_NAME).unlink(missing_ok=True)
    return _finish(cuts, disk, request)


def _prepare_directory(directory: Path, request: PowercutRequest) -> Bench:
    consent.refuse_destructive(directory, request)
    path = directory / _FILE_NAME
    try:
        with path.open("xb") as file:
            file.truncate(_FILE_BYTES)
    except FileExistsError as error:
        raise UsageError(f"{path} already exists. Remove it if no other program is using it.") from error
    except OSError as error:
        raise UsageError(f"Cannot create a file in {directory}: {error.strerror}.") from error
    return Bench(path, lambda: None, request)


def _prepare_device(path: Path, request: PowercutRequest) -> Bench:
    if not request.destructive:
        raise UsageError(
            f"This command overwrites {path}. Add --destructive, or name a directory on the card."
        )
    if path.is_file():
        consent.ask_for_file(path, request)
        return Bench(path, lambda: safety.check_file(path), request)
    agreed = consent.ask_for_all(path, "blocks one after another, until the power is cut", request)

    def check() -> None:  # the device may have come back as another disk, or mounted
        name = safety.kernel_name(path)
        safety.check_device(
            safety.gather_facts(name), even_if_fixed=request.even_if_fixed, say=lambda _line: None
        )
        safety.check_unchanged(replace(agreed, sequence=""), replace(consent.read_victim(name), sequence=""))

    return Bench(path, check, request)


def _cut_repeatedly(bench: Bench) -> Iterator[Cut]:
    """Cut the power repeatedly, and yield the result of each cut. Raises DeviceError if the card does not come back."""
    chance, seed = random.Random(secrets.randbits(64)), secrets.randbits(62)
    with bench.open() as ready:
        stamps = powercut.plant(ready.engine, ready.surface, chance, seed)
    for number in range(bench.request.cuts):
        with bench.open() as ready:
            journal = powercut.prepare(ready.engine, ready.surface, chance, seed + ((number + 1) << 32))
            _write_until_cut(bench, ready, journal, chance)
        is_broken = _bring_back(bench)
        with bench.open() as ready:
            gone = powercut.check_same(ready.engine, _exclude_written(stamps, journal), seed)
            cut = powercut.examine(ready.engine, journal)
        stamps = [*_exclude_written(stamps, journal)]
        yield replace(cut, damaged=(*cut.damaged, *gone), is_broken=is_broken)
        stamps = [place for place in stamps if place not in gone]


def _exclude_written(stamps: list[int], journal: powercut.Journal) -> list[int]:
    region = journal.places()
    return [place for place in stamps if not region.start <= place < region.stop]


def _write_until_cut(bench: Bench, ready: Ready, journal: powercut.Journal, chance: random.Random) -> None:
    """Write until the power is cut. Raises DeviceError if it is not cut in time."""
    command, began = bench.request.cut_command, time.monotonic()
    cut_at = began + chance.uniform(0.2, bench.request.seconds)
    running: list[subprocess.Popen[bytes]] = []
    if not command:
        say("Cut the power now.")

    def goes_on() -> bool:
        now = time.monotonic()
        if command and not running and now >= cut_at:
            running.append(_start(command))
        has_failed = bool(running and running[0].poll())  # the command failed, so no cut will follow
        return not has_failed and now < (cut_at + _AFTER_COMMAND_S if command else began + _BY_HAND_S)

    how = powercut.write_on(ready.engine, journal, chance, goes_on)
    if running:
        _await(running[0], command)
    if not how:
        raise DeviceError("The power was not cut: the card continued to accept writes.", code="ETIME")


def _bring_back(bench: Bench) -> bool | None:
    """Wait until the card is back. Return whether its file system is broken; None without a command that checks it."""
    request = bench.request
    if request.back_command:
        _await(_start(request.back_command), request.back_command)
    elif sys.stdin.isatty():
        safety.read_answer("Switch the power on again, and press Enter when the card is back. ")
    deadline = time.monotonic() + _BACK_S
    while not bench.path.exists():
        if time.monotonic() > deadline:
            raise DeviceError(f"{bench.path} did not come back.", code="ENODEV")
        time.sleep(0.2)
    bench.check()
    if not request.check_command:
        return None
    return _start(request.check_command).wait() != 0


def _start(command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def _await(process: subprocess.Popen[bytes], command: str) -> None:
    try:
        status = process.wait(timeout=_COMMAND_S)
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise UsageError(f"“{command}” did not finish within {_COMMAND_S} s.") from error
    if status:
        raise UsageError(f"“{command}” failed with status {status}.")


def _words(cut: Cut) -> str:
    found = (
        f"{len(cut.lost)} writes acknowledged but lost" if cut.lost else "",
        f"{len(cut.torn)} blocks half-written" if cut.torn else "",
        f"{len(cut.damaged)} blocks damaged" if cut.damaged else "",
        "the file system is damaged" if cut.is_broken else "",
    )
    return ", ".join(filter(None, found)) or f"nothing lost, {cut.acknowledged} writes"


def _finish(cuts: list[Cut], disk: str, request: PowercutRequest) -> int:
    document = _compose(cuts, disk, request)
    if request.json:
        print_json(document | {"sentence": powercut.sentence(cuts)})
    else:
        write(powercut.sentence(cuts))
    return reports.save_and_send(document, request) or (health.BAD if any(cut.is_bad for cut in cuts) else 0)


def _compose(cuts: list[Cut], disk: str, request: PowercutRequest) -> dict[str, Any]:
    run = {"suite": "powercut", "destructive": request.destructive}
    counts = powercut.readings(cuts).items()
    readings = [{"name": name, "value": value, "unit": "count"} for name, value in counts]
    return subject.compose_reading(request, disk, run) | {"readings": readings}
