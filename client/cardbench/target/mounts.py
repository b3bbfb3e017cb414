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
    """A mounted file system, from a line of mountinfo."""

    number: str  # "179:2"; on btrfs a number that no block device has
    mount_point: str
    filesystem: str
    source: str  # "/dev/mmcblk0p2", or something else for file systems without a device
    options: tuple[str, ...] = ()  # of the mount and of the file system together


def read(proc: Path = Path("/proc")) -> list[Mount]:
    """Return all mounts that this process sees; an empty list on systems without /proc."""
    try:
        text = (proc / "self/mountinfo").read_text(errors="surrogateescape")
    except OSError:
        return []
    return [parse(line) for line in text.splitlines()]


def parse(line: str) -> Mount:
    """Return the mount in a line of /proc/self/mountinfo. Its format is in proc(5); a `-` ends the optional fields."""
    front, _, back = line.partition(" - ")
    fields, (filesystem, source, *more) = front.split(" "), back.split(" ")
    options = dict.fromkeys(",".join([fields[5], *more[:1]]).split(","))
    return Mount(fields[2], _unescape(fields[4]), filesystem, _unescape(source), tuple(options))


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def select_mount(path: Path, mounts: list[Mount]) -> Mount:
    """Return the mount in which a path lies. Later mounts hide earlier ones.

    If no mount in the list fits, the result has only a device number.
    """
    resolved = path.resolve()
    candidates = [mount for mount in mounts if resolved.is_relative_to(mount.mount_point)]
    listed = max(reversed(candidates), key=lambda mount: len(mount.mount_point), default=None)
    return listed or _describe_unlisted(resolved)


def find_mount(path: Path) -> Mount:
    """Return the mount in which a path lies now."""
    return select_mount(path, read())


def disk_below(path: Path, sysfs: Sysfs) -> str:
    """Return the disk on which a path lies; "" if there is none, or more than one."""
    disks = disks_of_mount(sysfs, find_mount(path))
    return disks.pop() if len(disks) == 1 else ""


def _describe_unlisted(path: Path) -> Mount:
    """Return a mount with only its device number, because "/" in a changed root, for example, is not listed."""
    device = path.stat().st_dev if path.exists() else 0
    if not hasattr(os, "major"):
        return Mount("", "/", "", "")
    return Mount(f"{os.major(device)}:{os.minor(device)}", "/", "", "")


def disks_of_mount(sysfs: Sysfs, mount: Mount) -> set[str]:
    """Return the names of the disks that store a mounted file system; an empty set for tmpfs and the like."""
    return disks_below(sysfs, mount.number) | disks_of_path(sysfs, mount.source)


def disks_of_path(sysfs: Sysfs, path: str) -> set[str]:
    """Return the names of the disks below a device path such as /dev/mapper/root, a symbolic link to /dev/dm-0."""
    return disks_below(sysfs, Path(os.path.realpath(path)).name) if path.startswith("/dev/") else set()


def disks_below(sysfs: Sysfs, name: str) -> set[str]:
    """Return the names of the disk of a block device and of all disks that make it up."""
    block = find(sysfs, name)
    if not block:
        return set()
    disks = {block.disk}
    for part in sysfs.names(f"{block.path}/slaves"):
        disks |= disks_below(sysfs, part)
    return disks


def swaps(sysfs: Sysfs, proc: Path = Path("/proc")) -> Iterator[tuple[str, set[str]]]:
    """Yield the path and the disks of each swap area; a swap file has no disks here, as it lies on a mounted one."""
    try:
        lines = (proc / "swaps").read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        path = _unescape(line.split()[0])
        yield path, disks_of_path(sysfs, path)
