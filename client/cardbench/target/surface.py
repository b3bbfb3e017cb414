"""The surface of a measurement: a device, a file, or the parts of a card that a file lies on."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cardbench.sizes import MIB
from cardbench.target.sysfs import SECTOR_BYTES, Sysfs

# Random positions are drawn from 256 MiB, as for the application performance classes; in directories, too.
SPAN_BYTES = 256 * MIB


@dataclass(frozen=True)
class Stretch:
    """A part of a device."""

    start_bytes: int
    length_bytes: int

    @property
    def end_bytes(self) -> int:
        """The first byte behind it."""
        return self.start_bytes + self.length_bytes


@dataclass(frozen=True)
class Surface:
    """The bytes of a device or file that can be measured: their size, block size and permissions."""

    size_bytes: int
    logical_block_bytes: int
    may_write: bool
    shows_boundaries: bool  # offsets are those of the flash; not so inside a file system
    is_own_file: bool = False  # of size_bytes, in a directory
    is_sync_mount: bool = False
    max_queue_depth: int = 32
    stretches: tuple[Stretch, ...] = ()  # only these may be touched; none: everything

    @property
    def reach(self) -> tuple[Stretch, ...]:
        """The stretches that may be read and written."""
        return self.stretches or (Stretch(0, self.size_bytes),)

    @property
    def reach_bytes(self) -> int:
        """The length of all stretches in `reach`."""
        return sum(stretch.length_bytes for stretch in self.reach)

    def multiples(self, unit_bytes: int, margin_bytes: int) -> list[range]:
        """Return the numbers n for which n * unit_bytes is in reach, with a margin on both sides."""
        numbered = (
            range(
                -(-(stretch.start_bytes + margin_bytes) // unit_bytes),
                (stretch.end_bytes - margin_bytes) // unit_bytes + 1,
            )
            for stretch in self.reach
        )
        return [numbers for numbers in numbered if numbers]

    def units(self, unit_bytes: int) -> list[range]:
        """Return the numbers of the whole units of this size in reach."""
        numbered = (range(ends.start, ends.stop - 1) for ends in self.multiples(unit_bytes, 0))
        return [numbers for numbers in numbered if numbers]

    @property
    def span_bytes(self) -> int:
        """The length of the usual window, a multiple of 1 MiB; 0 if the surface is too small."""
        return self.window(SPAN_BYTES)[1]

    @property
    def start_bytes(self) -> int:
        """The beginning of the usual window."""
        return self.window(SPAN_BYTES)[0]

    def window(self, most_bytes: int) -> tuple[int, int]:
        """Return start and length of a window in the middle, far from partition table and FAT, aligned to 64 MiB."""
        span_bytes = min(most_bytes, self.size_bytes // MIB * MIB)
        return (self.size_bytes - span_bytes) // 2 // (64 * MIB) * (64 * MIB), span_bytes


@dataclass(frozen=True)
class WorkDirectory:
    """A directory to work in, and the disk below it as far as it is known."""

    directory: Path
    disk: str
    sysfs: Sysfs = field(default_factory=Sysfs)
    may_remount: bool = False  # a file system of our own is mounted there

    def remount(self) -> None:
        """Remount the file system with the same options, which makes it write everything. Raises OSError."""
        done = subprocess.run(["mount", "-o", "remount", self.directory], capture_output=True, check=False)
        if done.returncode:
            raise OSError(errno.EPERM, f"mount -o remount: {done.stderr.decode(errors='replace').strip()}")

    def counters(self) -> tuple[int, int] | None:
        """Return the bytes read and written since the device was connected (Documentation/block/stat.rst), or None."""
        fields = self.sysfs.text(f"block/{self.disk}/stat").split() if self.disk else []
        return (int(fields[2]) * SECTOR_BYTES, int(fields[6]) * SECTOR_BYTES) if len(fields) > 6 else None

    def sync(self) -> None:
        """Wait until everything is on the device."""
        os.sync()


def nth(ranges: Iterable[range], place: int) -> int:
    """Return the number at a place in the concatenation of several ranges. Raises IndexError."""
    for numbers in ranges:
        if place < len(numbers):
            return numbers[place]
        place -= len(numbers)
    raise IndexError(place)
