"""The suites of measurements as tables of access patterns (cells), and the choice of a run among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cardbench.measuring import fileset
from cardbench.measuring.cells import Cell, FileWork
from cardbench.measuring.workloads import TIMED
from cardbench.sizes import KIB, MIB, SECOND_NS

# A smaller file contains too few boundaries of large erase blocks.
_GEOMETRY_FILE_BYTES = 1024 * MIB
_SMALLEST_FILE_BYTES = 16 * MIB
# A row for each access pattern: the smallest suite with it; workload and direction; KiB of an operation, and number of
# operations; order, queue depth, and way to sync; seconds at most of a repeat; other fields of the cell.
# quick: writing comes first, so that no card can answer later reads of these blocks without reading its flash.
# standard: the patterns of other figures on the server: at random and in a queue; small writes as of databases, each on
# the card before the next begins; and O_SYNC writes into one open unit, as flashbench makes them.
# full: writes of dd in 4 KB to 10 MB, with and without waiting for each; files of 1 to 1000 MiB with a sync at the end;
# chunks; each way to sync; and writing until a cache is full.
_CELLS = """
quick     stream    write  1024    32  sequential  1  none           2
quick     stream    write  1024    16  random      1  none           2
quick     stream    write     4   512  sequential  1  none           2
quick     stream    write     4   512  random      1  none           2
quick     stream    read   1024    64  sequential  1  none           2
quick     stream    read   1024    16  random      1  none           2
quick     stream    read      4   512  sequential  1  none           2
quick     stream    read      4   512  random      1  none           2
standard  stream    write    16  2048  random      1  none           5
standard  stream    write     4  2048  random     32  fsync_at_end   5
standard  stream    read     16  2048  random      1  none           5
standard  stream    read      4  2048  random     32  none           5
standard  stream    write  1024    64  sequential 32  fsync_at_end   5
standard  stream    read   1024    64  sequential 32  none           5
standard  stream    write     4   512  random      1  osync          5
standard  open-au   write  1024    16  sequential  1  osync          5 unit_bytes=4_194_304
standard  open-au   write    16   256  random      1  osync          5 unit_bytes=4_194_304
full      stream    write     4  4096  sequential  1  dsync          5
full      stream    write    40   409  sequential  1  none           5
full      stream    write    40   409  sequential  1  dsync          5
full      stream    write  1024    16  sequential  1  dsync          5
full      stream    write 10240     4  sequential  1  none           5
full      stream    write 10240     4  sequential  1  dsync          5
full      stream    write  1024     1  sequential  1  fsync_at_end  60 is_whole_file=1 span_bytes=1_073_741_824
full      stream    write  1024    10  sequential  1  fsync_at_end  60 is_whole_file=1 span_bytes=1_073_741_824
full      stream    write  1024   100  sequential  1  fsync_at_end  60 is_whole_file=1 span_bytes=1_073_741_824
full      stream    write  1024  1000  sequential  1  fsync_at_end  60 is_whole_file=1 span_bytes=1_073_741_824
full      chunk     write  1024   100  random      1  none           5
full      chunk     write   512   100  random      1  none           5
full      chunk     write   256   100  random      1  none           5
full      chunk     write   128   100  random      1  none           5
full      chunk     write    64   100  random      1  none           5
full      chunk     write    32   100  random      1  none           5
full      chunk     write    16   100  random      1  none           5
full      chunk     write     8   100  random      1  none           5
full      chunk     write     4   100  random      1  none           5
full      chunk     write     2   100  random      1  none           5
full      chunk     write     1   100  random      1  none           5
full      sync      write  1024    16  sequential  1  none           5
full      sync      write  1024    16  sequential  1  fsync_at_end   5
full      sync      write  1024    16  sequential  1  fsync_each     5
full      sync      write  1024    16  sequential  1  dsync          5
full      sync      write  1024    16  sequential  1  osync          5
full      sync      write     4   256  sequential  1  none           5
full      sync      write     4   256  sequential  1  fsync_at_end   5
full      sync      write     4   256  sequential  1  fsync_each     5
full      sync      write     4   256  sequential  1  dsync          5
full      sync      write     4   256  sequential  1  osync          5
full      sustained write  1024  2048  sequential  1  none         120 repeats=1 most_repeats=1 span_bytes=2_147_483_648
"""


def _cells(*suites: str) -> tuple[Cell, ...]:
    rows = map(str.split, _CELLS.strip().splitlines())
    return tuple(_cell(words) for suite, *words in rows if suite in suites)


def _cell(words: list[str]) -> Cell:
    workload, direction, size_kib, count, order, depth, sync, seconds, *more = words
    others: dict[str, Any] = {name: int(value) for name, value in (word.split("=") for word in more)}
    others |= {"queue_depth": int(depth), "budget_ns": int(seconds) * SECOND_NS}
    return Cell(workload, direction, int(size_kib) * KIB, int(count), order, sync=sync, **others)


_GROWING = ((KIB, 2000), (4 * KIB, 2000), (16 * KIB, 1000), (64 * KIB, 500), (256 * KIB, 100), (MIB, 50))
# Trees of small files that grow, past the page cache and through it; mixed work; thumbnails copied; files written in
# each way to sync that a file system or its mount offers.
_FILE_WORK = (
    *(FileWork("files", count, size) for size, count in _GROWING),
    *(FileWork("files", count, size, is_direct=True) for size, count in _GROWING[1::2]),
    FileWork("mixed", 1000, 16 * KIB, threads=4),
    FileWork("copy", 1000, 20 * KIB),
    *(FileWork("sync", 10, MIB, sync=name) for name in fileset.WAYS_TO_SYNC),
)
FLASHBENCH = "flashbench"  # a suite without cells: its patterns are in flashbench.py


@dataclass(frozen=True)
class Suite:
    """A suite of measurements: access patterns and work on files.

    If `geometry`, the hidden geometry of the card is estimated after the patterns.
    """

    cells: tuple[Cell, ...]
    geometry: bool = False
    most_repeats: int = 3
    files: tuple[FileWork, ...] = ()


SUITES = {
    "quick": Suite(_cells("quick")),
    "standard": Suite(_cells("quick", "standard"), geometry=True, most_repeats=6),
    FLASHBENCH: Suite(()),
    "full": Suite(
        _cells("quick", "standard", "full"),
        geometry=True,
        most_repeats=9,
        files=_FILE_WORK,
    ),
}
WORKLOADS = tuple(dict.fromkeys((*TIMED, "align", "geometry", *fileset.WORKLOADS)))


@dataclass(frozen=True)
class Choice:
    """The choice of measurements for a run: a suite, or some workloads from all suites."""

    suite: str = "quick"
    workloads: tuple[str, ...] = ()
    file_count: int | None = None  # in place of the usual number
    file_sizes_bytes: tuple[int, ...] = ()
    threads: int | None = None
    weights: str = ""

    @property
    def file_work(self) -> tuple[FileWork, ...]:
        """Return the chosen work on whole files."""
        sized = (
            replace(
                work,
                file_count=self.file_count or work.file_count,
                file_size_bytes=size,
                threads=self.threads or work.threads,
                weights=self.weights or work.weights,
            )
            for work in self.plan.files
            if not self.workloads or work.workload in self.workloads
            for size in self.file_sizes_bytes or (work.file_size_bytes,)
        )
        # Work of the same size is done once, even if the usual numbers of files differ.
        possible: dict[object, FileWork] = {}
        for work in sized:
            if not work.is_direct or work.file_size_bytes % (4 * KIB) == 0:
                possible.setdefault((work.workload, work.file_size_bytes, work.is_direct, work.sync), work)
        return tuple(possible.values())

    @property
    def plan(self) -> Suite:
        """Return the suite that contains the chosen access patterns."""
        return SUITES["full" if self.workloads else self.suite]

    @property
    def is_flashbench(self) -> bool:
        """Return whether the run uses the patterns of flashbench itself."""
        return self.suite == FLASHBENCH and not self.workloads

    @property
    def name(self) -> str:
        """Return the name of the suite, or of the workloads, in the report."""
        return "+".join(self.workloads) or self.suite

    @property
    def file_bytes(self) -> int:
        """Return the size in bytes of the temporary file that a run in a directory needs."""
        chosen = [cell for cell in self.plan.cells if not self.workloads or cell.workload in self.workloads]
        spans = [cell.span_bytes for cell in chosen] + [_GEOMETRY_FILE_BYTES] * self.geometry
        return max(spans, default=_SMALLEST_FILE_BYTES)

    @property
    def geometry(self) -> bool:
        """Return whether the geometry of the card is estimated."""
        return self.plan.geometry and (not self.workloads or "geometry" in self.workloads)
