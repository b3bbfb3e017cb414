"""Read the facts about block devices under /sys. A missing or unreadable file is an empty text."""

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
        """Return the stripped content of a file below the root; "" if there is none."""
        try:
            return (self.root / path).read_bytes().decode("utf-8", "replace").strip("\0 \t\r\n")
        except (OSError, ValueError):
            return ""

    def number(self, path: str | Path) -> int | None:
        """Return the decimal number in a file; None if it holds no such number."""
        text = self.text(path)
        return int(text) if text.isascii() and text.isdigit() else None

    def names(self, path: str | Path) -> list[str]:
        """Return the sorted names in a directory; none if it does not exist."""
        try:
            return sorted(entry.name for entry in (self.root / path).iterdir())
        except OSError:
            return []

    def link_name(self, path: str | Path) -> str:
        """Return the name of the target of a symbolic link, such as a driver; "" if there is none."""
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
        """The directory of the device below the sysfs root."""
        return f"block/{self.parent}/{self.name}" if self.parent else f"block/{self.name}"

    @property
    def disk(self) -> str:
        """The name of the whole device, which for a partition is its parent."""
        return self.parent or self.name


def blocks(sysfs: Sysfs) -> Iterator[Block]:
    """Yield every disk, each followed by its partitions."""
    for disk in sysfs.names("block"):
        yield Block(disk)
        for name in sysfs.names(f"block/{disk}"):
            if name.startswith(disk) and sysfs.text(f"block/{disk}/{name}/partition"):
                yield Block(name, disk)


def find(sysfs: Sysfs, name: str) -> Block | None:
    """Return the block device of this kernel name ("mmcblk0p1"), or of this number ("179:1"); None if there is none."""
    for block in blocks(sysfs):
        if name in (block.name, sysfs.text(f"{block.path}/dev")):
            return block
    return None


def size_bytes(sysfs: Sysfs, block: Block) -> int | None:
    """Return the size of a block device in bytes; None if it is unknown or without a medium."""
    sectors = sysfs.number(f"{block.path}/size")
    return sectors * SECTOR_BYTES if sectors else None


def device_directory(sysfs: Sysfs, disk: str) -> Path:
    """Return the directory of a disk in the tree of buses, to which block/DISK/device links."""
    return (sysfs.root / "block" / disk / "device").resolve()


def mmc_host(sysfs: Sysfs, disk: str) -> str:
    """Return the controller of a disk, such as "mmc1"; "" if it is no card in a slot."""
    if not disk.startswith("mmcblk"):
        return ""
    above = [part for part in device_directory(sysfs, disk).parts if re.fullmatch(r"mmc\d+", part)]
    return above[-1] if above else "mmc" + re.sub(r"\D", "", disk.removeprefix("mmcblk"))


def usb_interface(sysfs: Sysfs, disk: str) -> Path | None:
    """Return the directory of the USB interface of a disk; None if it has none."""
    directory = device_directory(sysfs, disk)
    for place in (directory, *directory.parents):
        if re.fullmatch(r"\d+-[\d.]+:\d+\.\d+", place.name):
            return place
    return None
