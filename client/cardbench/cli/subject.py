"""From the words on the command line to what is measured: which device, file or directory, and of what."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cardbench import geometry
from cardbench.cli import doubts, label
from cardbench.errors import SafetyError, UsageError
from cardbench.measuring import capacity, flashbench, plan, report, resume
from cardbench.measuring.session import Subject
from cardbench.measuring.suites import Choice
from cardbench.target import identity, mounts, safety, target
from cardbench.target.engine import find_engine
from cardbench.target.registers import name_of
from cardbench.target.surface import Surface
from cardbench.target.sysfs import Block, Sysfs, find, size_bytes
from cardbench.target.target import Ready

# Mount options whose value says something of the file system, and nothing of the machine.
_HARMLESS = (
    "data",
    "commit",
    "compress",
    "errors",
    "iocharset",
    "stripe",
    "discard",
    "fsync_mode",
    "alloc_mode",
)
_USUAL_BYTES_PER_S = 20e6  # of a card like many; it is said that it is a guess


def choice(arguments: argparse.Namespace) -> Choice:
    """What is to be run; the same again when an earlier run is gone on with."""
    if arguments.earlier:
        return arguments.earlier.choice
    return Choice(arguments.suite, tuple(arguments.workload or ()), arguments.file_count, arguments.file_size)


def find_block(tree: Sysfs, text: str) -> Block:
    """ "mmcblk0", "/dev/mmcblk0" or a link to it -> the block device. Raises UsageError if there is none."""
    name = Path(text).resolve().name if "/" in text else text
    block = find(tree, name) or find(tree, Path(text).name)
    if not block:
        raise UsageError(f"{text} is no block device here. “cardbench list” shows what there is.")
    return block


def disk_of(path: Path, root: Path) -> str:
    """The disk that a path is, or lies on; "" when that is not one disk of this machine."""
    tree = Sysfs(root)
    if path.is_block_device():
        block = find(tree, safety.kernel_name(path) or path.name)
        return block.disk if block else ""
    return _under(path, root)[0]


def disk_summary(tree: Sysfs, name: str) -> dict[str, Any]:
    """What `list` shows of a disk."""
    bus = identity.bus(tree, name)
    carried = [mount.mount_point for mount in mounts.read() if name in mounts.disks_of_mount(tree, mount)]
    cid = name_of(bus, tree.text(f"block/{name}/device/cid"))
    return {
        "name": name,
        "size_bytes": size_bytes(tree, Block(name)),
        "bus": bus,
        "movable": bus in ("SD", "MMC") or tree.text(f"block/{name}/removable") == "1",
        "title": cid.pnm
        if cid
        else tree.text(f"block/{name}/device/model") or tree.text(f"block/{name}/device/name"),
        "mounted_at": carried,
    }


Begun = Callable[[Subject], None]


@contextmanager
def opened(arguments: argparse.Namespace, begun: Begun) -> Iterator[tuple[Subject, Ready]]:
    """What `run` was asked to measure, described and opened; `begun` is called once nothing speaks against it."""
    path = path_of(arguments.target)
    if path.is_dir():
        manager = _directory(path, arguments, begun)
    elif path.is_block_device():
        manager = _device(path, arguments, begun)
    elif path.is_file():
        manager = _file(path, arguments, begun)
    else:
        raise UsageError(
            f"{arguments.target} is no block device, file or directory. “cardbench list” shows the devices."
        )
    with manager as described_and_ready:
        yield described_and_ready


def path_of(text: str) -> Path:
    """A bare name such as mmcblk0 is a device, unless something here has that name."""
    path = Path(text)
    return path if "/" in text or path.exists() else Path("/dev") / text


@contextmanager
def _device(path: Path, arguments: argparse.Namespace, begun: Begun) -> Iterator[tuple[Subject, Ready]]:
    path = path.resolve()
    name = safety.kernel_name(path) or path.name
    command = find_engine(arguments.engine)
    agreed = None
    block = find(Sysfs(arguments.sysfs), name) or Block(name)
    if arguments.destructive:
        safety.check_device(safety.gather(name), even_if_fixed=arguments.even_if_fixed, say=say)
        agreed = _confirm(victim(name), arguments, disk=block.disk)
    with target.open_device(command, path, may_write=arguments.destructive, whole=not block.parent) as ready:
        if agreed:
            safety.check_still(agreed, victim(name, ready.surface.size_bytes))
        subject = _subject(arguments, "device", disk=block.disk, size=ready.surface.size_bytes)
        begun(subject)
        yield subject, ready


@contextmanager
def _file(path: Path, arguments: argparse.Namespace, begun: Begun) -> Iterator[tuple[Subject, Ready]]:
    path = path.resolve()
    command = find_engine(arguments.engine)
    agreed, holes = None, target.holes(path, may_write=arguments.destructive)
    disk, filesystem = _under(path, arguments.sysfs)
    if arguments.destructive:
        safety.check_file(path)
        agreed = _confirm(safety.Victim(path.name, path.stat().st_size), arguments, disk=disk)
    with target.open_device(command, path, may_write=arguments.destructive, whole=True) as ready:
        if agreed:
            safety.check_still(agreed, safety.Victim(path.name, ready.surface.size_bytes))
            if holes:
                say(f"{sum(map(len, holes)):,} bytes of {path.name} are holes, and are written first.")
        subject = _subject(arguments, "file", disk=disk, filesystem=filesystem, path=path)
        begun(subject)
        target.fill(ready.engine, holes)
        yield subject, ready


@contextmanager
def _directory(path: Path, arguments: argparse.Namespace, begun: Begun) -> Iterator[tuple[Subject, Ready]]:
    if arguments.destructive:
        raise UsageError(
            f"{path} is a directory: it is measured through a file of our own, and nothing is lost."
        )
    disk, filesystem = _under(path, arguments.sysfs)
    subject = _subject(arguments, "directory", disk=disk, filesystem=filesystem, path=path)
    chosen = choice(arguments)

    def announced() -> None:
        if not arguments.json:
            say(_what_a_file_takes(path, chosen))
        begun(subject)

    command = find_engine(arguments.engine)
    with target.open_directory(
        command, path, filesystem, most_bytes=chosen.file_bytes, begun=announced
    ) as ready:
        yield subject, ready


def block_device(text: str) -> Path:
    """What is to be given up, by name or path. Raises UsageError when it is no block device."""
    path = path_of(text).resolve()
    if not path.is_block_device():
        raise UsageError(f"{text} is no block device. “cardbench list” shows what there is.")
    return path


def ask_for_all(path: Path, what: str, arguments: argparse.Namespace) -> safety.Victim:
    """Returns when a whole device may be given up -> what was agreed to. Raises SafetyError."""
    name = safety.kernel_name(path)
    safety.check_device(safety.gather(name), even_if_fixed=arguments.even_if_fixed, say=say)
    agreed = victim(name)
    say(f"On all {agreed.size_bytes:,} bytes of {name} {what}, one after the other.")
    safety.confirm(agreed, safety.Consent(arguments.yes, arguments.confirm_size, arguments.confirm_serial))
    return agreed


def victim(name: str, size: int | None = None) -> safety.Victim:
    """A device as the kernel knows it now; `size`: as the engine has opened it."""
    tree = Sysfs()
    sequence = tree.text(f"block/{name}/diskseq") or ""
    return safety.Victim(
        name, size or size_bytes(tree, Block(name)) or 0, identity.serial(tree, name), sequence
    )


def _under(path: Path, root: Path) -> tuple[str, str]:
    """The disk a path lies on, if it is exactly one, and the file system; `root` of sysfs."""
    mount = mounts.of_path(path, mounts.read())
    disks = mounts.disks_of_mount(Sysfs(root), mount) if mount else set()
    return disks.pop() if len(disks) == 1 else "", mount.filesystem if mount else ""


def _subject(
    arguments: argparse.Namespace,
    kind: str,
    *,
    disk: str,
    filesystem: str = "",
    size: int | None = None,
    path: Path | None = None,
) -> Subject:
    card = ({"size_bytes": size} if size else {}) | _card(arguments, disk)
    if arguments.earlier:
        resume.check_same(arguments.earlier, card, kind)
    mounted = _mounted(path) if path else {}
    return Subject(
        card=card,
        host=_host(arguments, disk, filesystem) | mounted,
        target=kind,
        choice=choice(arguments),
        destructive=arguments.destructive,
        note=arguments.note,
        earlier=arguments.earlier,
        options=_flashbench_options(arguments, card),
    )


def _card(arguments: argparse.Namespace, disk: str) -> dict[str, Any]:
    """What the system knows of it, and what the user says."""
    facts = identity.card(Sysfs(arguments.sysfs), disk) if disk else {}
    return {"registers": {}} | facts | described(arguments)


def _host(arguments: argparse.Namespace, disk: str, filesystem: str = "") -> dict[str, Any]:
    """Where it is; only the label tells an SD Express card from any other NVMe disk."""
    is_express = disk.startswith("nvme") and doubts.is_express(described(arguments)["label"])
    host = identity.host(Sysfs(arguments.sysfs), disk, filesystem=filesystem)
    return host | ({"interface": "express"} if is_express else {})


def reading(arguments: argparse.Namespace, disk: str, run: dict[str, Any]) -> dict[str, Any]:
    """A report of a card that was not measured; `run`: its suite, and what else is said of it."""
    started = {"started_at": report.now().isoformat()}
    return report.compose(card=_card(arguments, disk), host=_host(arguments, disk), run=run | started)


def _flashbench_options(arguments: argparse.Namespace, card: dict[str, Any]) -> flashbench.Options:
    """As given, else with what the card prefers for its erase block."""
    usual = flashbench.Options()
    preferred = card.get("preferred_erase_size_bytes")
    erase_block_bytes = arguments.erase_size or preferred or usual.erase_block_bytes
    open_aus = tuple(arguments.open_au_nr or usual.open_aus)
    try:
        return flashbench.Options(arguments.block_size or usual.block_bytes, erase_block_bytes, open_aus)
    except ValueError as error:
        raise UsageError(f"--erase-size and --block-size do not fit: {error}.") from error


def _mounted(path: Path) -> dict[str, Any]:
    """How the file system a path lies in is mounted; without what may name something of this machine."""
    mount = mounts.of_path(path, mounts.read())
    options = (
        [option for option in mount.options if "=" not in option or option.split("=")[0] in _HARMLESS]
        if mount
        else []
    )
    return {"filesystem_block_bytes": os.statvfs(path).f_bsize, "mount_options": ",".join(options)[:200]}


def described(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the user says of the card."""
    specimen = {"specimen": arguments.specimen} if arguments.specimen else {}
    return {"label": label.described(arguments), "condition": arguments.condition} | specimen


def _confirm(asked: safety.Victim, arguments: argparse.Namespace, *, disk: str) -> safety.Victim:
    """Says what will be written and how long it takes, then asks -> what was agreed to."""
    if not asked.size_bytes:
        raise SafetyError(f"{asked.name} has no size. Is a card in the slot?")
    surface = Surface(asked.size_bytes, 512, may_write=True, shows_boundaries=True)
    options = _flashbench_options(arguments, identity.card(Sysfs(arguments.sysfs), disk) if disk else {})
    say(f"{_what_is_written(choice(arguments), options, surface, asked.name)}.")
    consent = safety.Consent(arguments.yes, arguments.confirm_size, arguments.confirm_serial)
    safety.confirm(asked, consent)
    return asked


def _what_a_file_takes(path: Path, chosen: Choice) -> str:
    """How much is written in a directory, and how long that takes on a card like many."""
    surface = Surface(chosen.file_bytes, 512, may_write=True, shows_boundaries=True)
    written, most, seconds = _usual_and_most(chosen, surface)
    besides = chosen.file_bytes + sum(piece.written_bytes for piece in chosen.file_work)
    seconds += (2 * besides - chosen.file_bytes) / _USUAL_BYTES_PER_S
    return (
        f"A file of {chosen.file_bytes:,} bytes at most will be made in {path}. About {written + besides:,} bytes will "
        f"be written there in all, {most + besides:,} at most, in about {max(1, round(seconds))} s on a usual card; "
        "everything is removed again."
    )


def _what_is_written(chosen: Choice, options: flashbench.Options, surface: Surface, name: str) -> str:
    """How much, where, and how long that takes on a card like many."""
    if chosen.is_flashbench:
        seconds = options.written_bytes / _USUAL_BYTES_PER_S
        most = options.written_bytes
        return (
            f"Up to {most:,} bytes will be written, from the start of {name} on, in {seconds:.0f} s or more"
        )
    written, most, seconds = _usual_and_most(chosen, surface)
    written, most = written + capacity.USUALLY_PLANTED_BYTES, most + capacity.PLANTED_BYTES
    return (
        f"About {written:,} bytes will be written, {most:,} at most, anywhere on {name} from its beginning to its end, "
        f"in about {max(1, round(seconds))} s on a usual card"
    )


def _usual_and_most(chosen: Choice, surface: Surface) -> tuple[int, int, float]:
    """Bytes that are written to a surface on a card like many, and at most; and seconds, reading and all."""
    table = plan.cells(chosen, surface)
    written, seconds = plan.usual(table)
    most = plan.written_bytes(table)
    if chosen.geometry:
        quantities = geometry.table(surface)
        usual = geometry.usual(quantities, surface.size_bytes)
        written, seconds = written + usual.written_bytes, seconds + usual.duration_s
        most += geometry.written_bytes(quantities)
    return written, most, seconds


def say(line: str) -> None:
    """To the user, beside whatever the answer is."""
    print(line, file=sys.stderr)
