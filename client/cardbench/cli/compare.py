"""`compare-filesystems`: make one file system after the other on a card given up for it, and measure each."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from cardbench.cli import consent, show
from cardbench.cli.disks import find_path
from cardbench.cli.options import argument, option, size_bytes
from cardbench.cli.request import MeasureRequest, Request, output_option
from cardbench.cli.run import run
from cardbench.cli.terminal import say, write
from cardbench.errors import CardbenchError, DeviceError, UsageError
from cardbench.measuring import report
from cardbench.shapes import JsonDict
from cardbench.stopping import INTERRUPTED
from cardbench.target import safety

# File system -> how it is made, without questions.
MAKERS = {
    "ext2": ("mkfs.ext2", "-q", "-F"),
    "ext3": ("mkfs.ext3", "-q", "-F"),
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "f2fs": ("mkfs.f2fs", "-q", "-f"),
    "vfat": ("mkfs.vfat", "-I"),
    "exfat": ("mkfs.exfat",),
    "jfs": ("mkfs.jfs", "-q"),
}
# File system -> how its blocks, or clusters, are made of another size.
_BLOCKS: dict[str, Callable[[int], tuple[str, ...]]] = {
    **dict.fromkeys(("ext2", "ext3", "ext4"), lambda size: ("-b", str(size))),
    "xfs": lambda size: ("-b", f"size={size}"),
    "btrfs": lambda size: ("-s", str(size)),
    "vfat": lambda size: ("-s", str(size // 512)),
    "exfat": lambda size: ("-c", str(size)),
}
_TIMEOUT_S = 600


class NotHere(Exception):
    """This host cannot make or mount the file system."""


@dataclass(frozen=True)
class CompareRequest(MeasureRequest):
    """Hold the options of `compare-filesystems`; in a mounted directory nothing is overwritten."""

    titles = Request.titles | {"Permission": "giving the card up"}
    destructive: bool = False
    target: str = argument("DEVICE")
    filesystem: tuple[str, ...] = option(
        (), "only this one; may be given several times", action="append", choices=sorted(MAKERS)
    )
    filesystem_block: int | None = option(
        None, "of the file system; default: its own", type=size_bytes, metavar="BYTES"
    )
    mount_options: str = option("", "as mount -o takes them, such as sync", metavar="LIST")
    output: Path | None = output_option(
        "default: cardbench-DATE-TIME.json; the name of the file system is added"
    )


def compare_filesystems(request: CompareRequest) -> int:
    """Measure each file system that this host has, one report for each -> the worst exit status."""
    if os.geteuid() != 0:
        raise UsageError("Making and mounting file systems needs root.")
    path = find_path(request.target).resolve()
    if not path.is_block_device():
        raise UsageError(f"{request.target} is no block device. “cardbench list” shows what there is.")
    wanted = _available(request.filesystem)
    agreed = consent.ask_for_all(
        path, f"{len(wanted)} file systems ({', '.join(wanted)}) will be made", request
    )
    base = request.output or report.new_path()
    documents: dict[str, JsonDict] = {}
    status = 0
    for name in wanted:
        try:
            with _mount_new(path, name, agreed, request) as directory:
                output = base.with_stem(f"{base.stem}-{name}")
                documents[name], ended = _measure(replace(request, target=str(directory), output=output))
            status = max(status, ended)
        except NotHere as reason:
            say(f"{name} is left out: {reason}")
        except DeviceError as error:
            say(f"{name}: {error}")
            status = max(status, error.exit_status)
        if status == INTERRUPTED:
            break
    write("\n".join(table(documents)))
    return status


def _available(only: tuple[str, ...]) -> list[str]:
    makeable = [name for name, (maker, *_) in MAKERS.items() if shutil.which(maker)]
    wanted = [name for name in makeable if not only or name in only]
    if not wanted:
        raise UsageError(
            f"None of {', '.join(only or MAKERS)} can be made here: the mkfs programs are missing."
        )
    return wanted


@contextmanager
def _mount_new(device: Path, name: str, agreed: safety.Victim, request: CompareRequest) -> Iterator[Path]:
    """Make a file system and mount it where no one else looks. Raises NotHere and SafetyError."""
    safety.check_device(safety.gather(agreed.name), even_if_fixed=True, say=lambda _line: None)
    safety.check_still(agreed, consent.read_victim(agreed.name))
    _run(*MAKERS[name], *_block_words(name, request.filesystem_block), str(device))
    options = ("-o", request.mount_options) if request.mount_options else ()
    with tempfile.TemporaryDirectory(prefix="cardbench-") as directory:
        _run("mount", "-t", name, *options, str(device), directory)
        try:
            yield Path(directory)
        finally:
            subprocess.run(["umount", directory], check=True, env=_ENVIRONMENT)


def _block_words(name: str, size: int | None) -> tuple[str, ...]:
    """Raises NotHere where the file system has one size only."""
    if size is None:
        return ()
    if name not in _BLOCKS:
        raise NotHere("it has blocks of one size only")
    return _BLOCKS[name](size)


_ENVIRONMENT = os.environ | {"LC_ALL": "C"}


def _run(*command: str) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, env=_ENVIRONMENT, check=False, timeout=_TIMEOUT_S
    )
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise NotHere(complaint[0][:200])


def _measure(request: CompareRequest) -> tuple[JsonDict, int]:
    try:
        status = run(request)
    except CardbenchError as error:
        raise DeviceError(str(error)) from error
    return report.load(request.output or Path())[1], status


def table(documents: dict[str, JsonDict]) -> list[str]:
    """A line for each measurement that all have, a column for each file system."""
    cells: dict[str, dict[str, str]] = {}
    for name, document in documents.items():
        for row in document["measurements"]:
            if row["values"] and row["metric"] in ("throughput", "iops"):
                title = show.describe_work(row)
                cells.setdefault(title, {})[name] = show.amount(row["metric"], median(row["values"]))
    head = f"{'':<44}" + "".join(f"{name:>18}" for name in documents)
    return [head] + [
        f"{title[:43]:<44}" + "".join(f"{columns.get(name, '–'):>18}" for name in documents)
        for title, columns in cells.items()
    ]
