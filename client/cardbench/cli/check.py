"""`check`: say in one sentence whether a card is well, and then what was seen."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from cardbench.cli import consent
from cardbench.cli.disks import find_disk, find_target
from cardbench.cli.health import BAD, sentence
from cardbench.cli.options import option, positive
from cardbench.cli.request import Permission, TargetRequest
from cardbench.cli.terminal import print_json, write
from cardbench.measuring import checkup
from cardbench.target import health, target
from cardbench.target.engine import EngineError, find_engine
from cardbench.target.sysfs import Sysfs
from cardbench.target.target import Ready

_TROUBLE = re.compile(r"I/O error|error -\d+|timeout|timed out|CRC", re.IGNORECASE)
_MOST_LOG_BYTES = 8192  # of one record, as the kernel gives them


@dataclass(frozen=True)
class CheckRequest(TargetRequest, Permission):
    """Hold the options of `check`."""

    titles = {"Permission": "to try out how much it holds; everything on it will be lost"}
    seconds: int = option(
        checkup.BUDGET_S, "of the card's time (default %(default)s)", type=positive, metavar="N"
    )


def check(request: CheckRequest) -> int:
    """Look at a device, a directory on a card or a file -> 0 when it is well, 7 when it is not."""
    path = find_target(request)
    name = find_disk(path, request.sysfs)
    try:
        with _open(path, request) as ready:
            seed = secrets.randbits(32)
            verdict = checkup.check(ready.engine, ready.surface, seed=seed, budget_s=request.seconds)
    except EngineError as error:
        if error.code != "EROFS":
            raise
        verdict = checkup.READ_ONLY
    verdict = with_own_words(verdict, name, request.sysfs)
    _print(verdict, as_json=request.json)
    return BAD if verdict.is_bad else 0


def _open(path: Path, request: CheckRequest) -> AbstractContextManager[Ready]:
    command, may_write = find_engine(request.engine), request.destructive
    if path.is_dir():
        consent.refuse_destructive(path, request)
        return target.open_space(command, path)
    if may_write and path.is_block_device():
        consent.ask_for_all(path, "stamps and a long stretch of blocks are written", request)
    elif may_write:
        consent.ask_for_file(path, request)
    return target.open_device(command, path, may_write=may_write, whole=True)


def with_own_words(verdict: checkup.Verdict, name: str, tree: Sysfs) -> checkup.Verdict:
    """Add the wear that the card states, and the errors in the kernel's log, to a verdict."""
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
        print_json(answer | {"sentence": verdict.sentence, "details": verdict.details})
        return
    write(verdict.sentence)
    for line in verdict.details:
        write(f"  {line}")
