"""Reads what Linux says about block devices under /sys. What is missing or unreadable is an empty text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECTOR_BYTES = 512  # of block/*/size, whatever the device's own sectors are


@dataclass(frozen=True)
class Sysfs:
    """A sysfs tree: the kernel's, or a copy of one from another machine."""

    root: Path = Path("/sys")

    def text(self, path: str | Path) -> str:
        """Content of a file below the root, stripped; empty when there is none."""
        try:
            return (self.root / path).read_bytes().decode("utf-8", "replace").strip("\0 \t\r\n")
        except (OSError, ValueError):
            return ""

    def number(self, path: str | Path) -> int | None:
        """A file that holds one decimal number; None when it does not."""
        text = self.text(path)
        return int(text) if text.isascii() and text.isdigit() else None

    def names(self, path: str | Path) -> list[str]:
        """Sorted names in a directory; empty when there is none."""
        try:
            return sorted(entry.name for entry in (self.root / path).iterdir())
        except OSError:
            return []

    def link_name(self, path: str | Path) -> str:
        """Name of what a symbolic link points to, such as a driver."""
        try:
            return (self.root / path).readlink().name
        except OSError:
            return ""


@dataclass(frozen=True)
class Block:
    """A block device: a disk, or a partition of the disk `parent`."""

    name: str
    parent: str = ""

    @property
    def path(self) -> str:
        """Its directory below the sysfs root."""
        return f"block/{self.parent}/{self.name}" if self.parent else f"block/{self.name}"

    @property
    def disk(self) -> str:
        """The whole device it is, or lies on."""
        return self.parent or self.name


def blocks(sysfs: Sysfs) -> Iterator[Block]:
    """Every disk, each followed by its partitions."""
    for disk in sysfs.names("block"):
        yield Block(disk)
        for name in sysfs.names(f"block/{disk}"):
            if name.startswith(disk) and sysfs.text(f"block/{disk}/{name}/partition"):
                yield Block(name, disk)


def find(sysfs: Sysfs, name: str) -> Block | None:
    """The block device of this kernel name ("mmcblk0p1"), or of this number ("179:1")."""
    for block in blocks(sysfs):
        if name in (block.name, sysfs.text(f"{block.path}/dev")):
            return block
    return None


def size_bytes(sysfs: Sysfs, block: Block) -> int | None:
    """Its size; None when it is not known or when no medium is in it."""
    sectors = sysfs.number(f"{block.path}/size")
    return sectors * SECTOR_BYTES if sectors else None


def device_directory(sysfs: Sysfs, disk: str) -> Path:
    """Where block/DISK/device leads: its place in the tree of buses."""
    return (sysfs.root / "block" / disk / "device").resolve()


def mmc_host(sysfs: Sysfs, disk: str) -> str:
    """The controller such as "mmc1"; empty when the disk is no card in a slot."""
    if not disk.startswith("mmcblk"):
        return ""
    above = [part for part in device_directory(sysfs, disk).parts if re.fullmatch(r"mmc\d+", part)]
    return above[-1] if above else "mmc" + re.sub(r"\D", "", disk.removeprefix("mmcblk"))


def usb_interface(sysfs: Sysfs, disk: str) -> Path | None:
    """Directory of the USB interface a disk hangs on; None when it hangs on none."""
    directory = device_directory(sysfs, disk)
    for place in (directory, *directory.parents):
        if re.fullmatch(r"\d+-[\d.]+:\d+\.\d+", place.name):
            return place
    return None
