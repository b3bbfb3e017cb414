"""Read facts about block devices from /sys. A missing or unreadable file counts as an empty text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECTOR_BYTES = 512  # the unit of block/*/size, even if the device has larger sectors


@dataclass(frozen=True)
class Sysfs:
    """A sysfs tree: that of the kernel, or a copy from another machine."""

    root: Path = Path("/sys")

    def text(self, path: str | Path) -> str:
        """Return the stripped content of a file below the root; "" if it is missing or unreadable."""
        try:
            return (self.root / path).read_bytes().decode("utf-8", "replace").strip("\0 \t\r\n")
        except (OSError, ValueError):
            return ""

    def number(self, path: str | Path) -> int | None:
        """Return the decimal number in a file; None if it does not contain just one."""
        text = self.text(path)
        return int(text) if text.isascii() and text.isdigit() else None

    def names(self, path: str | Path) -> list[str]:
        """Return the sorted names of the files in a directory; none if it does not exist."""
        try:
            return sorted(entry.name for entry in (self.root / path).iterdir())
        except OSError:
            return []

    def link_name(self, path: str | Path) -> str:
        """Return the file name of the target of a symbolic link, such as a driver; "" if there is no link."""
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
        """Return the directory of the block device, relative to the root of sysfs."""
        return f"block/{self.parent}/{self.name}" if self.parent else f"block/{self.name}"

    @property
    def disk(self) -> str:
        """Return the name of the disk: the parent of a partition, else the device itself."""
        return self.parent or self.name


def blocks(sysfs: Sysfs) -> Iterator[Block]:
    """Yield every disk, each followed by its partitions."""
    for disk in sysfs.names("block"):
        yield Block(disk)
        for name in sysfs.names(f"block/{disk}"):
            if name.startswith(disk) and sysfs.text(f"block/{disk}/{name}/partition"):
                yield Block(name, disk)


def find(sysfs: Sysfs, name: str) -> Block | None:
    """Return the block device with this name ("mmcblk0p1") or number ("179:1"); None if there is none."""
    for block in blocks(sysfs):
        if name in (block.name, sysfs.text(f"{block.path}/dev")):
            return block
    return None


def size_bytes(sysfs: Sysfs, block: Block) -> int | None:
    """Return the size of a block device in bytes; None if it is unknown or no medium is inserted."""
    sectors = sysfs.number(f"{block.path}/size")
    return sectors * SECTOR_BYTES if sectors else None


def device_directory(sysfs: Sysfs, disk: str) -> Path:
    """Return the directory of a disk in the tree of buses: the target of the link block/DISK/device."""
    return (sysfs.root / "block" / disk / "device").resolve()


def mmc_host(sysfs: Sysfs, disk: str) -> str:
    """Return the name of the controller of a card, such as "mmc1"; "" if the disk is no card on an MMC bus."""
    if not disk.startswith("mmcblk"):
        return ""
    above = [part for part in device_directory(sysfs, disk).parts if re.fullmatch(r"mmc\d+", part)]
    return above[-1] if above else "mmc" + re.sub(r"\D", "", disk.removeprefix("mmcblk"))


def usb_interface(sysfs: Sysfs, disk: str) -> Path | None:
    """Return the directory of the USB interface of a disk; None if the disk is not on USB."""
    directory = device_directory(sysfs, disk)
    for place in (directory, *directory.parents):
        if re.fullmatch(r"\d+-[\d.]+:\d+\.\d+", place.name):
            return place
    return None
