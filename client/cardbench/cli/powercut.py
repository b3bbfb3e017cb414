"""`cardbench powercut`: the power is cut while blocks are written, again and again, and what was kept is counted."""

from __future__ import annotations

import argparse
import json
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cardbench.cli import check, commands, subject
from cardbench.errors import DeviceError, UsageError
from cardbench.measuring import powercut, report
from cardbench.measuring.powercut import Cut
from cardbench.target import safety, target
from cardbench.target.engine import find_engine
from cardbench.target.target import Ready

CUTS = 20
_FILE_NAME = "cardbench-powercut.dat"
_FILE_BYTES = 64 * 1024**2
_BY_HAND_S, _AFTER_COMMAND_S, _COMMAND_S, _BACK_S = 120, 15, 60, 120


@dataclass(frozen=True)
class Bench:
    """What is cut: a path that is there again after each cut, and may it still be written?"""

    path: Path
    may_go_on: Callable[[], object]
    arguments: argparse.Namespace

    @contextmanager
    def opened(self) -> Iterator[Ready]:
        command = find_engine(self.arguments.engine)
        with target.open_device(command, self.path, may_write=True, whole=True) as ready:
            yield ready


def run(arguments: argparse.Namespace) -> int:
    """Cuts the power so many times -> 0 when everything was kept, 7 when not."""
    path = subject.path_of(arguments.target)
    disk = subject.disk_of(path, arguments.sysfs)
    if not arguments.cut_command and not sys.stdin.isatty():
        raise UsageError("Nobody is there to cut the power. Without a terminal, use --cut-command.")
    bench = _of_directory(path, arguments) if path.is_dir() else _of_device(path.resolve(), arguments)
    cuts: list[Cut] = []
    try:
        for cut in _cuts(bench):
            cuts.append(cut)
            subject.say(f"cut {len(cuts)} of {arguments.cuts}: {_words(cut)}")
    except (DeviceError, KeyboardInterrupt) as error:
        if not cuts:
            raise
        subject.say(f"ended after {len(cuts)} cuts: {error or 'interrupted'}")
    finally:
        if path.is_dir():
            (path / _FILE_NAME).unlink(missing_ok=True)
    return _finish(cuts, disk, arguments)


def _of_directory(directory: Path, arguments: argparse.Namespace) -> Bench:
    """A file of our own; nothing else there is touched."""
    if arguments.destructive:
        raise UsageError(f"{directory} is a directory: only a file of our own is written there.")
    path = directory / _FILE_NAME
    try:
        with path.open("xb") as file:
            file.truncate(_FILE_BYTES)
    except FileExistsError as error:
        raise UsageError(f"{path} is there already. Remove it, if nobody else is using it.") from error
    except OSError as error:
        raise UsageError(f"No file can be made in {directory}: {error.strerror}.") from error
    return Bench(path, lambda: None, arguments)


def _of_device(path: Path, arguments: argparse.Namespace) -> Bench:
    if not (path.is_block_device() or path.is_file()):
        raise UsageError(f"{path} is no block device, directory or file. “cardbench list” shows the devices.")
    if not arguments.destructive:
        raise UsageError(f"This overwrites {path}. Add --destructive, or name a directory on the card.")
    if path.is_file():
        safety.check_file(path)
        consent = safety.Consent(arguments.yes, arguments.confirm_size, arguments.confirm_serial)
        safety.confirm(safety.Victim(path.name, path.stat().st_size), consent)
        return Bench(path, lambda: safety.check_file(path), arguments)
    agreed = replace(
        subject.ask_for_all(path, "blocks are written until the power is cut", arguments), sequence=""
    )

    def may_go_on() -> None:  # it may have come back as another disk, or have been mounted
        name = safety.kernel_name(path)
        safety.check_device(
            safety.gather(name), even_if_fixed=arguments.even_if_fixed, say=lambda _line: None
        )
        safety.check_still(agreed, replace(subject.victim(name), sequence=""))

    return Bench(path, may_go_on, arguments)


def _cuts(bench: Bench) -> Iterator[Cut]:
    """What was found after each cut. Raises DeviceError when the card does not come back."""
    chance, seed = random.Random(secrets.randbits(64)), secrets.randbits(62)
    with bench.opened() as ready:
        stamps = powercut.plant(ready.engine, ready.surface, chance, seed)
    for number in range(bench.arguments.cuts):
        with bench.opened() as ready:
            journal = powercut.prepare(ready.engine, ready.surface, chance, seed + ((number + 1) << 32))
            _until_cut(bench, ready, journal, chance)
        is_broken = _bring_back(bench)
        with bench.opened() as ready:
            gone = powercut.check_same(ready.engine, _outside(stamps, journal), seed)
            cut = powercut.examine(ready.engine, journal)
        stamps = [*_outside(stamps, journal)]
        yield replace(cut, damaged=(*cut.damaged, *gone), is_broken=is_broken)
        stamps = [place for place in stamps if place not in gone]


def _outside(stamps: list[int], journal: powercut.Journal) -> list[int]:
    """Those that the region has not been written over."""
    region = journal.places()
    return [place for place in stamps if not region.start <= place < region.stop]


def _until_cut(bench: Bench, ready: Ready, journal: powercut.Journal, chance: random.Random) -> None:
    """Raises DeviceError when no cut came."""
    command, began = bench.arguments.cut_command, time.monotonic()
    cut_at = began + chance.uniform(0.2, bench.arguments.seconds)
    running: list[subprocess.Popen[bytes]] = []
    if not command:
        subject.say("Cut the power now.")

    def goes_on() -> bool:
        now = time.monotonic()
        if command and not running and now >= cut_at:
            running.append(_start(command))
        has_failed = bool(running and running[0].poll())  # then no cut comes
        return not has_failed and now < (cut_at + _AFTER_COMMAND_S if command else began + _BY_HAND_S)

    how = powercut.write_on(ready.engine, journal, chance, goes_on)
    if running:
        _await(running[0], command)
    if not how:
        raise DeviceError("The power was not cut: the card went on taking writes.", code="ETIME")


def _bring_back(bench: Bench) -> bool | None:
    """Waits until the card is there again -> whether its file system is broken, where that is looked at."""
    arguments = bench.arguments
    if arguments.back_command:
        _await(_start(arguments.back_command), arguments.back_command)
    elif sys.stdin.isatty():
        print("Switch it on again, and press Enter when it is there. ", end="", file=sys.stderr, flush=True)
        sys.stdin.readline()
    deadline = time.monotonic() + _BACK_S
    while not bench.path.exists():
        if time.monotonic() > deadline:
            raise DeviceError(f"{bench.path} has not come back.", code="ENODEV")
        time.sleep(0.2)
    bench.may_go_on()
    if not arguments.check_command:
        return None
    return _start(arguments.check_command).wait() != 0


def _start(command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def _await(process: subprocess.Popen[bytes], command: str) -> None:
    try:
        status = process.wait(timeout=_COMMAND_S)
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise UsageError(f"“{command}” has not ended in {_COMMAND_S} s.") from error
    if status:
        raise UsageError(f"“{command}” failed with status {status}.")


def _words(cut: Cut) -> str:
    found = (
        f"{len(cut.lost)} acknowledged and lost" if cut.lost else "",
        f"{len(cut.torn)} torn" if cut.torn else "",
        f"{len(cut.damaged)} damaged" if cut.damaged else "",
        "the file system is broken" if cut.is_broken else "",
    )
    return ", ".join(filter(None, found)) or f"all kept, {cut.acknowledged} writes"


def _finish(cuts: list[Cut], disk: str, arguments: argparse.Namespace) -> int:
    document = _document(cuts, disk, arguments)
    if arguments.json:
        print(json.dumps(document | {"sentence": powercut.sentence(cuts)}, ensure_ascii=False))
    else:
        print(powercut.sentence(cuts))
    if arguments.output:
        report.save(arguments.output, report.encode(document))
    status = commands.send(document, arguments) if arguments.submit else 0
    return status or (check.BAD if any(cut.is_bad for cut in cuts) else 0)


def _document(cuts: list[Cut], disk: str, arguments: argparse.Namespace) -> dict[str, Any]:
    run = {"suite": "powercut", "destructive": arguments.destructive}
    counts = powercut.readings(cuts).items()
    readings = [{"name": name, "value": value, "unit": "count"} for name, value in counts]
    return subject.reading(arguments, disk, run) | {"readings": readings}
