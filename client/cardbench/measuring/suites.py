"""The suites of measurements as tables of access patterns (cells), and the choice of a run among them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cardbench.measuring import fileset
from cardbench.measuring.cells import Cell, FileWork
from cardbench.measuring.workloads import TIMED
from cardbench.sizes import KIB, MIB, SECOND_NS

# A smaller file contains too few boundaries of large erase blocks.
_GEOMETRY_FILE_BYTES = 1024 * MIB
_SMALLEST_FILE_BYTES = 16 * MIB
# Writing comes first: no card can answer later reads of these blocks without reading its flash.
QUICK = tuple(
    Cell("stream", direction, size, count, order=order)
    for direction, most in (("write", 32), ("read", 64))
    for size, order, count in (
        (MIB, "sequential", most),
        (MIB, "random", 16),
        (4 * KIB, "sequential", 512),
        (4 * KIB, "random", 512),
    )
)
_LONGER_NS = 5 * SECOND_NS
_RANDOM = tuple(
    Cell("stream", direction, size, 2048, order="random", queue_depth=depth, sync=sync, budget_ns=_LONGER_NS)
    for direction in ("write", "read")
    for size, depth in ((16 * KIB, 1), (4 * KIB, 32))
    for sync in ("fsync_at_end" if direction == "write" and depth > 1 else "none",)
)
# Patterns for other figures on the server: in order at queue depth 32, and O_SYNC writes into one open unit, as
# flashbench makes them.
_DEEP = tuple(
    Cell("stream", direction, MIB, 64, order="sequential", queue_depth=32, sync=sync, budget_ns=_LONGER_NS)
    for direction, sync in (("write", "fsync_at_end"), ("read", "none"))
)
# Databases work like this: each small write is on the card before the next begins.
_SYNCED = (Cell("stream", "write", 4 * KIB, 512, order="random", sync="osync", budget_ns=_LONGER_NS),)
_UNIT_BYTES = 4 * MIB
_OPEN_UNIT = tuple(
    Cell(
        "open-au",
        "write",
        size,
        count,
        order=order,
        sync="osync",
        budget_ns=_LONGER_NS,
        unit_bytes=_UNIT_BYTES,
    )
    for order, size, count in (("sequential", MIB, 16), ("random", 16 * KIB, 256))
)
_WEIGHED = _RANDOM + _DEEP + _SYNCED + _OPEN_UNIT
# Writes of dd in 4 KB to 10 MB, with and without waiting for each, and files of 1 to 1000 MiB with a sync at the end.
_STREAMS = tuple(
    Cell(
        "stream", "write", size, max(4, 16 * MIB // size), order="sequential", sync=sync, budget_ns=_LONGER_NS
    )
    for size in (4 * KIB, 40 * KIB, MIB, 10 * MIB)
    for sync in ("none", "dsync")
    if (size, sync) not in ((MIB, "none"), (4 * KIB, "none"))
)
_FILES = tuple(
    Cell(
        "stream",
        "write",
        MIB,
        count,
        order="sequential",
        sync="fsync_at_end",
        budget_ns=60 * SECOND_NS,
        span_bytes=1024 * MIB,
        is_whole_file=True,
    )
    for count in (1, 10, 100, 1000)
)
_CHUNKS = tuple(
    Cell("chunk", "write", KIB << step, 100, order="random", budget_ns=_LONGER_NS)
    for step in range(10, -1, -1)
)
_SYNCS = tuple(
    Cell("sync", "write", size, count, order="sequential", sync=sync, budget_ns=_LONGER_NS)
    for size, count in ((MIB, 16), (4 * KIB, 256))
    for sync in ("none", "fsync_at_end", "fsync_each", "dsync", "osync")
)
_SUSTAINED = (
    Cell(
        "sustained",
        "write",
        MIB,
        2048,
        order="sequential",
        repeats=1,
        most_repeats=1,
        budget_ns=120 * SECOND_NS,
        span_bytes=2048 * MIB,
    ),
)


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
    "quick": Suite(QUICK),
    "standard": Suite(QUICK + _WEIGHED, geometry=True, most_repeats=6),
    FLASHBENCH: Suite(()),
    "full": Suite(
        QUICK + _WEIGHED + _STREAMS + _FILES + _CHUNKS + _SYNCS + _SUSTAINED,
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
        """The chosen work on whole files."""
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
        """The suite that contains the chosen access patterns."""
        return SUITES["full" if self.workloads else self.suite]

    @property
    def is_flashbench(self) -> bool:
        """Whether the run uses the patterns of flashbench itself."""
        return self.suite == FLASHBENCH and not self.workloads

    @property
    def name(self) -> str:
        """The name of the suite, or of the workloads, in the report."""
        return "+".join(self.workloads) or self.suite

    @property
    def file_bytes(self) -> int:
        """The size in bytes of the temporary file that a run in a directory needs."""
        chosen = [cell for cell in self.plan.cells if not self.workloads or cell.workload in self.workloads]
        spans = [cell.span_bytes for cell in chosen] + [_GEOMETRY_FILE_BYTES] * self.geometry
        return max(spans, default=_SMALLEST_FILE_BYTES)

    @property
    def geometry(self) -> bool:
        """Whether the geometry of the card is estimated."""
        return self.plan.geometry and (not self.workloads or "geometry" in self.workloads)
