"""Describe where a measurement may read and write: a device, a file, or the parts of a card that store a file."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cardbench.sizes import MIB
from cardbench.target.sysfs import SECTOR_BYTES, Sysfs

# Random positions are drawn from this range, as for the application performance classes; in directories, too.
SPAN_BYTES = 256 * MIB


@dataclass(frozen=True)
class Stretch:
    """A contiguous part of a device: its first byte and its length."""

    start_bytes: int
    length_bytes: int

    @property
    def end_bytes(self) -> int:
        """Return the position of the first byte behind this part of the device."""
        return self.start_bytes + self.length_bytes


@dataclass(frozen=True)
class Surface:
    """The bytes of a device or file that may be measured: their number, the block size, and permissions."""

    size_bytes: int
    logical_block_bytes: int
    may_write: bool
    shows_boundaries: bool  # offsets are those of the flash; false inside a file system
    is_own_file: bool = False  # a temporary file in a directory
    is_sync_mount: bool = False
    max_queue_depth: int = 32
    stretches: tuple[Stretch, ...] = ()  # the only parts that may be accessed; if empty, everything

    @property
    def reach(self) -> tuple[Stretch, ...]:
        """Return the parts of the device that may be read and written."""
        return self.stretches or (Stretch(0, self.size_bytes),)

    @property
    def reach_bytes(self) -> int:
        """Return the total length of the parts that may be read and written."""
        return sum(stretch.length_bytes for stretch in self.reach)

    def multiples(self, unit_bytes: int, margin_bytes: int) -> list[range]:
        """Return the numbers n for which n * unit_bytes may be accessed, with a margin on both sides."""
        numbered = (
            range(
                -(-(stretch.start_bytes + margin_bytes) // unit_bytes),
                (stretch.end_bytes - margin_bytes) // unit_bytes + 1,
            )
            for stretch in self.reach
        )
        return [numbers for numbers in numbered if numbers]

    def units(self, unit_bytes: int) -> list[range]:
        """Return the numbers of the units of this size that may be accessed as a whole."""
        numbered = (range(ends.start, ends.stop - 1) for ends in self.multiples(unit_bytes, 0))
        return [numbers for numbers in numbered if numbers]

    @property
    def span_bytes(self) -> int:
        """Return the length of the usual window to measure in, a multiple of 1 MiB; 0 if the device is too small."""
        return self.window(SPAN_BYTES)[1]

    @property
    def start_bytes(self) -> int:
        """Return the position in bytes where the usual window for measurements begins."""
        return self.window(SPAN_BYTES)[0]

    def window(self, most_bytes: int) -> tuple[int, int]:
        """Return start and length of a window in the middle of the device, at most `most_bytes` long.

        There it is far from partition table and FAT. The start is a multiple of 64 MiB.
        """
        span_bytes = min(most_bytes, self.size_bytes // MIB * MIB)
        return (self.size_bytes - span_bytes) // 2 // (64 * MIB) * (64 * MIB), span_bytes


@dataclass(frozen=True)
class WorkDirectory:
    """A directory in which files are measured, and the disk that stores it, if known."""

    directory: Path
    disk: str
    sysfs: Sysfs = field(default_factory=Sysfs)
    may_remount: bool = False  # the file system was made and mounted by this run

    def remount(self) -> None:
        """Remount the file system with the same options, so that all data is written to the device. Raises OSError."""
        done = subprocess.run(["mount", "-o", "remount", self.directory], capture_output=True, check=False)
        if done.returncode:
            raise OSError(errno.EPERM, f"mount -o remount: {done.stderr.decode(errors='replace').strip()}")

    def counters(self) -> tuple[int, int] | None:
        """Return the bytes that the disk has read and written since it was connected; None if unknown.

        They come from sysfs (Documentation/block/stat.rst).
        """
        fields = self.sysfs.text(f"block/{self.disk}/stat").split() if self.disk else []
        return (int(fields[2]) * SECTOR_BYTES, int(fields[6]) * SECTOR_BYTES) if len(fields) > 6 else None

    def sync(self) -> None:
        """Wait until all cached data is on the device."""
        os.sync()


def nth(ranges: Iterable[range], place: int) -> int:
    """Return the number at an index of the concatenation of several ranges. Raises IndexError."""
    for numbers in ranges:
        if place < len(numbers):
            return numbers[place]
        place -= len(numbers)
    raise IndexError(place)
