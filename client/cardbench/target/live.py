"""Measure a card in use without harm, through a temporary file with known addresses on the card.

The file is reserved and written once, so that none of its blocks moves later. Then, a read or write by address on the
card accesses the block of the file at this address; nothing outside the file is ever accessed.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cardbench.sizes import MIB
from cardbench.target import mounts
from cardbench.target.device import Device, Timed
from cardbench.target.engine import EngineError
from cardbench.target.extents import Extent, NoAddresses, extents
from cardbench.target.surface import Stretch, Surface
from cardbench.target.sysfs import SECTOR_BYTES, Block, Sysfs, find, size_bytes

# File systems with addresses in a pool or a log, not on a disk.
_POOLING = ("btrfs", "zfs", "bcachefs", "overlay")


class ByAddress:
    """A device that is read and written by address on the disk, but only inside a file."""

    def __init__(self, device: Device, pieces: Sequence[Extent]) -> None:
        self._device = device
        self._pieces = sorted(pieces, key=lambda piece: piece.address_bytes)
        self._addresses = [piece.address_bytes for piece in self._pieces]

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each address on the disk. Return the times in ns. Raises EngineError outside the file."""
        return self._device.read(length_bytes, self._inside(length_bytes, offsets_bytes))

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write once at each address on the disk. Return the times in ns. Raises EngineError outside the file."""
        return self._device.write(
            length_bytes, self._inside(length_bytes, offsets_bytes), seed=seed, sync=sync
        )

    def rest(self, seconds: float) -> None:
        """Leave the device idle for some seconds, so that it may clean up."""
        self._device.rest(seconds)

    def _inside(self, length_bytes: int, addresses: Iterable[int]) -> list[int]:
        return [self._offset(address, length_bytes) for address in addresses]

    def _offset(self, address: int, length_bytes: int) -> int:
        number = bisect.bisect_right(self._addresses, address) - 1
        piece = self._pieces[max(0, number)]
        distance = address - piece.address_bytes
        if number < 0 or distance + length_bytes > piece.length_bytes:
            raise EngineError(f"byte {address} of the card is not in cardbench's file", code="ERANGE")
        return piece.offset_bytes + distance


@dataclass(frozen=True)
class Below:
    """The card that stores a file: a device that takes addresses on the card, and the parts that may be measured."""

    device: Timed
    surface: Surface


def find_card(device: Device, surface: Surface, *, handle: int, directory: Path, sysfs: Sysfs) -> Below:
    """Return the card that stores the temporary file of this run. Raises NoAddresses with the reason if it is unknown.

    `handle`: the open file, which is already written from end to end.
    """
    disk, start_bytes = _find_disk_and_start(directory, sysfs)
    before = extents(handle)
    middle = surface.size_bytes // 2 // MIB * MIB
    device.write(MIB, [middle], seed=0)
    device.sync()
    if extents(handle) != before:
        raise NoAddresses("this file system writes to a new place each time (copy on write)")
    pieces = [
        Extent(extent.offset_bytes, start_bytes + extent.address_bytes, extent.length_bytes)
        for extent in before
        if extent.offset_bytes + extent.length_bytes <= surface.size_bytes
    ]
    pieces.sort(key=lambda piece: piece.address_bytes)
    stretches = tuple(Stretch(piece.address_bytes, piece.length_bytes) for piece in pieces)
    whole = Surface(
        size_bytes=size_bytes(sysfs, Block(disk)) or stretches[-1].end_bytes,
        logical_block_bytes=surface.logical_block_bytes,
        may_write=True,
        shows_boundaries=True,
        stretches=stretches,
    )
    return Below(ByAddress(device, pieces), whole)


def _find_disk_and_start(directory: Path, sysfs: Sysfs) -> tuple[str, int]:
    mount = mounts.find_mount(directory)
    if mount.filesystem in _POOLING:
        raise NoAddresses(f"{mount.filesystem} does not report where its files are on the disk")
    block = find(sysfs, mount.number)
    if block is None:
        raise NoAddresses(f"{mount.filesystem} is not on a disk of this machine")
    if sysfs.names(f"{block.path}/slaves"):
        raise NoAddresses(f"it is on {block.name}, which consists of other disks")
    sectors = sysfs.number(f"{block.path}/start") if block.parent else 0
    if sectors is None:
        raise NoAddresses(f"it is not known where {block.name} starts")
    return block.disk, sectors * SECTOR_BYTES
