"""Which disks carry what is mounted and swapped to, through partitions, encryption, volumes and arrays."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cardbench.target.sysfs import Sysfs, find


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo."""

    number: str  # "179:2"; on btrfs a number no block device has
    mount_point: str
    filesystem: str
    source: str  # "/dev/mmcblk0p2", or something else for file systems without a device
    options: tuple[str, ...] = ()  # of the mount and of the file system


def read(proc: Path = Path("/proc")) -> list[Mount]:
    """Return everything mounted, as this process sees it; nothing on systems without /proc."""
    try:
        text = (proc / "self/mountinfo").read_text(errors="surrogateescape")
    except OSError:
        return []
    return [parse(line) for line in text.splitlines()]


def parse(line: str) -> Mount:
    """One line of /proc/self/mountinfo; proc(5) describes it. A `-` ends the optional fields."""
    front, _, back = line.partition(" - ")
    fields, (filesystem, source, *more) = front.split(" "), back.split(" ")
    options = dict.fromkeys(",".join([fields[5], *more[:1]]).split(","))
    return Mount(fields[2], _unescape(fields[4]), filesystem, _unescape(source), tuple(options))


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def of_path(path: Path, mounts: list[Mount]) -> Mount:
    """Return the mount that a path lies in; one without names where nothing tells. Later mounts hide earlier ones."""
    resolved = path.resolve()
    candidates = [mount for mount in mounts if resolved.is_relative_to(mount.mount_point)]
    listed = max(reversed(candidates), key=lambda mount: len(mount.mount_point), default=None)
    return listed or _unlisted(resolved)


def find_mount(path: Path) -> Mount:
    """Return the mount that a path lies in now."""
    return of_path(path, read())


def disk_below(path: Path, sysfs: Sysfs) -> str:
    """Return the disk that a path lies on, if it is exactly one; else ""."""
    disks = disks_of_mount(sysfs, find_mount(path))
    return disks.pop() if len(disks) == 1 else ""


def _unlisted(path: Path) -> Mount:
    """Return a mount known by its device number alone, as "/" is in a changed root, where no list has it."""
    device = path.stat().st_dev if path.exists() else 0
    if not hasattr(os, "major"):
        return Mount("", "/", "", "")
    return Mount(f"{os.major(device)}:{os.minor(device)}", "/", "", "")


def disks_of_mount(sysfs: Sysfs, mount: Mount) -> set[str]:
    """Names of the disks that carry a mounted file system; empty for tmpfs and the like."""
    return disks_below(sysfs, mount.number) | disks_of_path(sysfs, mount.source)


def disks_of_path(sysfs: Sysfs, path: str) -> set[str]:
    """The same for a path such as /dev/mapper/root, which is a symbolic link to /dev/dm-0."""
    return disks_below(sysfs, Path(os.path.realpath(path)).name) if path.startswith("/dev/") else set()


def disks_below(sysfs: Sysfs, name: str) -> set[str]:
    """A block device, the disk it is a partition of, and all they are made of."""
    block = find(sysfs, name)
    if not block:
        return set()
    disks = {block.disk}
    for part in sysfs.names(f"{block.path}/slaves"):
        disks |= disks_below(sysfs, part)
    return disks


def swaps(sysfs: Sysfs, proc: Path = Path("/proc")) -> Iterator[tuple[str, set[str]]]:
    """Path and disks of each swap device; swap files lie in something mounted."""
    try:
        lines = (proc / "swaps").read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        path = _unescape(line.split()[0])
        yield path, disks_of_path(sysfs, path)
