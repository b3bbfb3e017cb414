"""`cardbench check`: is the card well? One sentence, and what was seen."""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from cardbench.cli import subject
from cardbench.cli.health import sentence
from cardbench.errors import UsageError
from cardbench.measuring import checkup
from cardbench.target import health, mounts, safety, target
from cardbench.target.engine import EngineError, find_engine
from cardbench.target.sysfs import Sysfs
from cardbench.target.target import Ready

BAD = 7  # exit status
_TROUBLE = re.compile(r"I/O error|error -\d+|timeout|timed out|CRC", re.IGNORECASE)
_MOST_LOG_BYTES = 8192  # of one record, as the kernel gives them


def check(arguments: argparse.Namespace) -> int:
    """Looks at a device, a directory on a card or a file -> 0 when it is well, 7 when it is not."""
    path = subject.path_of(arguments.target)
    name = subject.disk_of(path, arguments.sysfs)
    try:
        with _opened(path, arguments) as ready:
            seed = secrets.randbits(32)
            verdict = checkup.check(ready.engine, ready.surface, seed=seed, budget_s=arguments.seconds)
    except EngineError as error:
        if error.code != "EROFS":
            raise
        verdict = checkup.Verdict(
            "read_only", "It is read-only: unlock it; if it has no lock, it is worn out."
        )
    verdict = with_own_words(verdict, name, Sysfs(arguments.sysfs))
    _print(verdict, as_json=arguments.json)
    return BAD if verdict.is_bad else 0


@contextmanager
def _opened(path: Path, arguments: argparse.Namespace) -> Iterator[Ready]:
    command = find_engine(arguments.engine)
    if path.is_dir():
        if arguments.destructive:
            raise UsageError(
                f"{path} is a directory: only a file of our own is written there, and nothing is lost."
            )
        mount = mounts.of_path(path, mounts.read())
        with target.open_space(command, path, mount.filesystem if mount else "") as ready:
            yield ready
        return
    if not (path.is_block_device() or path.is_file()):
        raise UsageError(f"{path} is no block device, directory or file. “cardbench list” shows the devices.")
    if arguments.destructive:
        _ask(path.resolve(), arguments)
    with target.open_device(command, path.resolve(), may_write=arguments.destructive, whole=True) as ready:
        yield ready


def _ask(path: Path, arguments: argparse.Namespace) -> None:
    if path.is_block_device():
        subject.ask_for_all(path, "stamps and a long stretch of blocks are written", arguments)
        return
    safety.check_file(path)
    consent = safety.Consent(arguments.yes, arguments.confirm_size, arguments.confirm_serial)
    safety.confirm(safety.Victim(path.name, path.stat().st_size), consent)


def with_own_words(verdict: checkup.Verdict, name: str, tree: Sysfs) -> checkup.Verdict:
    """The verdict with what the card says of its wear, and the kernel of its errors."""
    told = health.of_emmc(tree, name)
    wear = [f"its wear: {sentence(told)}"] if told.figures else []
    more = (*wear, *kernel_log(name))
    if told.is_used_up and not verdict.is_bad:
        words = (
            "It is worn out by its own account, though it still works: save what is on it, and replace it."
        )
        verdict = checkup.Verdict("worn_out", words, verdict.details)
    return replace(verdict, details=(*verdict.details, *more))


def kernel_log(name: str, source: Path = Path("/dev/kmsg")) -> Iterator[str]:
    """How often the kernel has complained of this disk since it was started, if that may be read."""
    if not name:
        return
    found: list[str] = []
    with suppress(OSError):
        handle = os.open(source, os.O_RDONLY | os.O_NONBLOCK)
        try:
            while record := os.read(handle, _MOST_LOG_BYTES):
                found += [
                    line for line in record.decode("utf-8", "replace").splitlines() if _is_trouble(line, name)
                ]
        finally:
            os.close(handle)
    if found:
        yield f"the kernel has complained of it {len(found)} times, at last: {found[-1].rpartition(';')[2][:120]}"


def _is_trouble(line: str, name: str) -> bool:
    return bool(re.search(rf"\b{re.escape(name)}(p?\d+)?\b", line)) and bool(_TROUBLE.search(line))


def _print(verdict: checkup.Verdict, *, as_json: bool) -> None:
    if as_json:
        answer = {"verdict": verdict.kind, "well": not verdict.is_bad}
        print(
            json.dumps(
                answer | {"sentence": verdict.sentence, "details": verdict.details}, ensure_ascii=False
            )
        )
        return
    print(verdict.sentence)
    for line in verdict.details:
        print(f"  {line}")
