"""Find the disks below mounts and swap devices, through partitions, encryption, volumes and arrays."""

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
    """Return the mount in a line of /proc/self/mountinfo, as proc(5) describes it. A `-` ends the optional fields."""
    front, _, back = line.partition(" - ")
    fields, (filesystem, source, *more) = front.split(" "), back.split(" ")
    options = dict.fromkeys(",".join([fields[5], *more[:1]]).split(","))
    return Mount(fields[2], _unescape(fields[4]), filesystem, _unescape(source), tuple(options))


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def select_mount(path: Path, mounts: list[Mount]) -> Mount:
    """Return the mount that a path lies in; without names if none is listed. Later mounts hide earlier ones."""
    resolved = path.resolve()
    candidates = [mount for mount in mounts if resolved.is_relative_to(mount.mount_point)]
    listed = max(reversed(candidates), key=lambda mount: len(mount.mount_point), default=None)
    return listed or _describe_unlisted(resolved)


def find_mount(path: Path) -> Mount:
    """Return the mount that a path lies in now."""
    return select_mount(path, read())


def disk_below(path: Path, sysfs: Sysfs) -> str:
    """Return the disk that a path lies on, if it is exactly one; else ""."""
    disks = disks_of_mount(sysfs, find_mount(path))
    return disks.pop() if len(disks) == 1 else ""


def _describe_unlisted(path: Path) -> Mount:
    """Return a mount with only its device number, such as "/" in a changed root, which is not listed."""
    device = path.stat().st_dev if path.exists() else 0
    if not hasattr(os, "major"):
        return Mount("", "/", "", "")
    return Mount(f"{os.major(device)}:{os.minor(device)}", "/", "", "")


def disks_of_mount(sysfs: Sysfs, mount: Mount) -> set[str]:
    """Return the names of the disks below a mounted file system; an empty set for tmpfs and the like."""
    return disks_below(sysfs, mount.number) | disks_of_path(sysfs, mount.source)


def disks_of_path(sysfs: Sysfs, path: str) -> set[str]:
    """Return the names of the disks below a path such as /dev/mapper/root, a symbolic link to /dev/dm-0."""
    return disks_below(sysfs, Path(os.path.realpath(path)).name) if path.startswith("/dev/") else set()


def disks_below(sysfs: Sysfs, name: str) -> set[str]:
    """Return the disk of a block device, and all disks that it is made of, by name."""
    block = find(sysfs, name)
    if not block:
        return set()
    disks = {block.disk}
    for part in sysfs.names(f"{block.path}/slaves"):
        disks |= disks_below(sysfs, part)
    return disks


def swaps(sysfs: Sysfs, proc: Path = Path("/proc")) -> Iterator[tuple[str, set[str]]]:
    """Yield path and disks of each swap device; a swap file lies on a mounted disk."""
    try:
        lines = (proc / "swaps").read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        path = _unescape(line.split()[0])
        yield path, disks_of_path(sysfs, path)
