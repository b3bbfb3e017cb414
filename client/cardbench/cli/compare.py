"""The command `compare-filesystems`: measure a card without and with each file system, which overwrites the card."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from cardbench.cli import consent, show
from cardbench.cli.disks import find_path
from cardbench.cli.options import argument, option, size_bytes
from cardbench.cli.request import MeasureRequest, Request, output_option
from cardbench.cli.run import run
from cardbench.cli.terminal import say, write
from cardbench.errors import CardbenchError, DeviceError, UsageError
from cardbench.measuring import fileset, report
from cardbench.measuring.suites import WORKLOADS
from cardbench.shapes import JsonDict
from cardbench.sizes import binary
from cardbench.stopping import INTERRUPTED
from cardbench.target import safety

# File system -> the command that makes it without asking.
MAKERS = {
    "ext2": "mkfs.ext2 -q -F",
    "ext3": "mkfs.ext3 -q -F",
    "ext4": "mkfs.ext4 -q -F",
    "xfs": "mkfs.xfs -q -f",
    "btrfs": "mkfs.btrfs -q -f",
    "f2fs": "mkfs.f2fs -q -f",
    "vfat": "mkfs.vfat -I",
    "exfat": "mkfs.exfat",
    "jfs": "mkfs.jfs -q",
}
# File system -> the options for another size of its blocks or clusters, in bytes or sectors.
_BLOCKS = {
    **dict.fromkeys(("ext2", "ext3", "ext4"), "-b {}"),
    "xfs": "-b size={}",
    "btrfs": "-s {}",
    "vfat": "-s {sectors}",
    "exfat": "-c {}",
}
_BARE_WORKLOADS = {*WORKLOADS} - {*fileset.WORKLOADS} | {"sync"}
_BARE = "none"  # no file system
_TIMEOUT_S = 600


class NotHere(Exception):
    """This host cannot make or mount the requested file system."""


@dataclass(frozen=True)
class CompareRequest(MeasureRequest):
    """The options of the command `compare-filesystems`.

    Its measurements in a mounted file system overwrite nothing, so `destructive` is false.
    """

    titles = Request.titles | {"Permission": "overwriting the card"}
    destructive: bool = False
    target: str = argument("DEVICE")
    filesystem: tuple[str, ...] = option(
        (), "only this file system; can be repeated", action="append", choices=sorted((_BARE, *MAKERS))
    )
    filesystem_block: tuple[int, ...] = option(
        (), (
            "block size of the file system; can be repeated; default: chosen by the mkfs program"
        ), action="append", type=size_bytes,
        metavar="BYTES",
    )  # fmt: skip
    mount_options: tuple[str, ...] = option(
        (),
        "mount options, as for mount -o, such as sync; can be repeated",
        action="append",
        metavar="LIST",
    )
    output: Path | None = output_option(
        "default: cardbench-DATE-TIME.json; the name of each file system is added"
    )


def compare_filesystems(request: CompareRequest) -> int:
    """Measure a card without and with each file system of this host, with a report for each.

    Return the worst exit status.
    """
    if os.geteuid() != 0:
        raise UsageError("You need to be root to make and mount file systems.")
    path = find_path(request.target).resolve()
    if not path.is_block_device():
        raise UsageError(
            f"{request.target} is not a block device. “cardbench list” shows the block devices of this"
            " machine."
        )
    wanted = _find_available(request)
    made = [str(one) for one in wanted if one.name != _BARE]
    agreed = consent.ask_for_all(path, f"cardbench makes {', '.join(made)} on it in turn", request)
    request = replace(request, output=request.output or report.new_path())
    documents: dict[str, JsonDict] = {}
    status = 0
    for one in wanted:
        try:
            documents[str(one)], ended = _measure_one(one, path, agreed, request)
            status = max(status, ended)
        except NotHere as reason:
            say(f"{one} was left out: {reason}")
        except DeviceError as error:
            say(f"{one}: {error}")
            status = max(status, error.exit_status)
        if status == INTERRUPTED:
            break
    write("\n".join(table(documents)))
    return status


@dataclass(frozen=True)
class FileSystem:
    """A file system to make, the size of its blocks (None for its default), and its mount options."""

    name: str
    block_bytes: int | None = None
    options: str = ""

    def __str__(self) -> str:
        return "-".join(
            filter(None, (self.name, f"{self.block_bytes or ''}", self.options.replace("/", "_")))
        )


def _find_available(request: CompareRequest) -> list[FileSystem]:
    asked = {*(request.filesystem or (_BARE, *MAKERS))}
    if asked == {_BARE}:
        raise UsageError(
            "Name at least one file system. To measure the bare card alone, use “cardbench run”."
        )
    makeable = [name for name in MAKERS if name in asked and shutil.which(f"mkfs.{name}")]
    if not makeable:
        missing = ", ".join(name for name in MAKERS if name in asked)
        raise UsageError(f"None of {missing} can be made here, because the mkfs programs are missing.")
    only_files = request.workload and _BARE_WORKLOADS.isdisjoint(request.workload)  # which need a file system
    bare = [] if only_files or _BARE not in asked else [FileSystem(_BARE)]
    return bare + [
        FileSystem(name, size, options)
        for name in makeable
        for size in request.filesystem_block or (None,)
        for options in request.mount_options or ("",)
    ]


def _measure_one(
    one: FileSystem, path: Path, agreed: safety.Victim, request: CompareRequest
) -> tuple[JsonDict, int]:
    base = request.output or Path()
    named = replace(request, output=base.with_stem(f"{base.stem}-{one}"))
    if one.name == _BARE:
        safety.check_unchanged(agreed, consent.read_victim(agreed.name))
        given_up = replace(
            named, destructive=True, yes=True, confirm_size=agreed.size_bytes, even_if_fixed=True
        )
        return _measure(replace(given_up, target=str(path)))
    _make(path, one, agreed)
    with mount_new(path, one) as directory:
        return _measure(replace(named, target=str(directory), own_mount=True))


def _make(device: Path, made: FileSystem, agreed: safety.Victim) -> None:
    """Make a file system on the device that was agreed on. Raises NotHere and SafetyError."""
    safety.check_device(safety.gather_facts(agreed.name), even_if_fixed=True, say=lambda _line: None)
    safety.check_unchanged(agreed, consent.read_victim(agreed.name))
    _run(*MAKERS[made.name].split(), *_block_options(made), str(device))


@contextmanager
def mount_new(device: Path, made: FileSystem) -> Iterator[Path]:
    """Mount a file system in a new directory, and unmount it even on errors.

    Raises NotHere if it cannot be mounted, DeviceError if it cannot be unmounted. Nothing below the
    directory is ever removed: while it cannot be unmounted, that is the card.
    """
    directory = Path(tempfile.mkdtemp(prefix="cardbench-"))
    options = ("-o", made.options) if made.options else ()
    try:
        _run("mount", "-t", made.name, *options, str(device), str(directory))
        try:
            yield directory
        finally:
            _unmount(device, directory)
    finally:
        with suppress(OSError):
            directory.rmdir()


def _unmount(device: Path, directory: Path) -> None:
    try:
        _run("umount", str(directory))
    except NotHere as reason:
        raise DeviceError(f"{device} is still mounted on {directory}: {reason}") from None


def _block_options(made: FileSystem) -> list[str]:
    if made.block_bytes is None:
        return []
    if made.name not in _BLOCKS:
        raise NotHere("this file system has only one block size")
    return _BLOCKS[made.name].format(made.block_bytes, sectors=made.block_bytes // 512).split()


_ENVIRONMENT = os.environ | {"LC_ALL": "C"}


def _run(*command: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=_ENVIRONMENT, check=False, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise DeviceError(f"{command[0]} did not end within {_TIMEOUT_S} s: is the card failing?") from error
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
    """Return a table of all reports: a line per measurement and a column per file system, then how each was made."""
    cells: dict[str, dict[str, str]] = {}
    for name, document in documents.items():
        for row in document["measurements"]:
            if row["values"] and row["metric"] in ("throughput", "iops"):
                title = show.describe_work(row)
                cells.setdefault(title, {})[name] = str(show.middle(row))
    width = max(map(len, cells), default=0) + 2
    head = f"{'':<{width}}" + "".join(f"{name:>18}" for name in documents)
    rows = [
        f"{title:<{width}}" + "".join(f"{columns.get(name, '–'):>18}" for name in documents)
        for title, columns in cells.items()
    ]
    return [head, *rows, *(f"{name}: {_describe_mount(document)}" for name, document in documents.items())]


def _describe_mount(document: JsonDict) -> str:
    host = document["host"]
    if "mount_options" not in host:
        return "the bare card"
    return f"blocks of {binary(host['filesystem_block_bytes'])}, mounted with {host['mount_options']}"
