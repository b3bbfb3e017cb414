"""What a suite does, as data: a table of cells. Running, progress and report all follow it."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

KIB, MIB = 1024, 1024**2
SECOND_NS = 1_000_000_000

# Random positions are drawn from 256 MiB, as for the application performance classes; in directories, too.
SPAN_BYTES = 256 * MIB
ALIGN_POSITIONS = 8
# Below: smaller than any page. Above: more than any erase block, and few positions are left.
_SMALLEST_ALIGN_BYTES, _LARGEST_ALIGN_BYTES = 4 * KIB, 128 * MIB
# With less of a card, the boundaries of large erase blocks are too few.
_GEOMETRY_FILE_BYTES = 1024 * MIB
_SMALLEST_FILE_BYTES = 16 * MIB
_SYNC_WORDS = {
    "fsync_at_end": "with a sync at the end",
    "fsync_each": "with a sync after each",
    "dsync": "with O_DSYNC",
    "osync": "with O_SYNC",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One access pattern, repeated. A repeat that reaches its budget ends early and is marked."""

    workload: str  # stream, align, chunk, sync, sustained
    direction: str  # read, write
    block_size_bytes: int
    count: int  # operations in one repeat
    order: str | None = None  # sequential, random
    align_bytes: int | None = None
    repeats: int = 3
    most_repeats: int = 3  # while they differ too much
    budget_ns: int = 2 * SECOND_NS  # of one repeat
    queue_depth: int = 1
    sync: str = "none"  # fsync_at_end, fsync_each, dsync, osync
    span_bytes: int = SPAN_BYTES
    is_whole_file: bool = False  # all operations together stand for a file that is written

    @property
    def title(self) -> str:
        """For the progress line and for what was not run."""
        if self.align_bytes:
            return f"reads across multiples of {binary(self.align_bytes)}"
        size = f"{binary(self.length_bytes)} in " if self.is_whole_file else ""
        name = "" if self.workload == "stream" else f"{self.workload}: "
        depth = f", queue depth {self.queue_depth}" if self.queue_depth > 1 else ""
        sync = f", {_SYNC_WORDS[self.sync]}" if self.sync != "none" else ""
        return f"{name}{self.order} {self.direction}, {size}{binary(self.block_size_bytes)}{depth}{sync}"

    @property
    def length_bytes(self) -> int:
        """What one repeat reads or writes at most."""
        return self.block_size_bytes * self.count

    @property
    def weight(self) -> int:
        """Its share of the progress bar."""
        return self.repeats * (1 if self.align_bytes else 4 * self.budget_ns // SECOND_NS)

    @property
    def written_bytes(self) -> int:
        """What all repeats together write at most."""
        return self.length_bytes * self.most_repeats if self.direction == "write" else 0


@dataclass(frozen=True, slots=True)
class FileWork:
    """Work on whole files in a directory, repeated."""

    workload: str  # files, mixed, copy
    file_count: int
    file_size_bytes: int
    is_direct: bool = False
    threads: int = 1
    repeats: int = 3

    @property
    def title(self) -> str:
        """For the progress line and for what was not run."""
        how = f"{self.threads} threads" if self.threads > 1 else f"{self.file_count:,} files"
        io = "direct" if self.is_direct else "buffered"
        return f"{self.workload}: {how} of {binary(self.file_size_bytes)}, {io}"

    @property
    def weight(self) -> int:
        """Its share of the progress bar."""
        return 30

    @property
    def parameters(self) -> dict[str, object]:
        """As the report names it; everything is synced at the end."""
        counted = {"threads": self.threads} if self.workload == "mixed" else {"file_count": self.file_count}
        io = "direct" if self.is_direct else "buffered"
        return counted | {"file_size_bytes": self.file_size_bytes, "io": io, "sync": "fsync_at_end"}

    @property
    def written_bytes(self) -> int:
        """What all repeats together write; of mixed work a guess."""
        return self.file_count * self.file_size_bytes * (self.repeats + 1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a device."""

    start_bytes: int
    length_bytes: int

    @property
    def end_bytes(self) -> int:
        """The first byte behind it."""
        return self.start_bytes + self.length_bytes


@dataclass(frozen=True, slots=True)
class Surface:
    """What can be measured on: its size, its grain, and what is allowed there."""

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
        """What may be touched."""
        return self.stretches or (Stretch(0, self.size_bytes),)

    @property
    def reach_bytes(self) -> int:
        """How much that is."""
        return sum(stretch.length_bytes for stretch in self.reach)

    def multiples(self, unit_bytes: int, margin_bytes: int) -> list[range]:
        """Numbers n for which n * unit_bytes can be reached, with room on both sides."""
        found = (
            range(
                -(-(stretch.start_bytes + margin_bytes) // unit_bytes),
                (stretch.end_bytes - margin_bytes) // unit_bytes + 1,
            )
            for stretch in self.reach
        )
        return [numbers for numbers in found if numbers]

    def units(self, unit_bytes: int) -> list[range]:
        """Numbers of the whole units of this size that can be reached."""
        found = (
            range(-(-stretch.start_bytes // unit_bytes), stretch.end_bytes // unit_bytes)
            for stretch in self.reach
        )
        return [numbers for numbers in found if numbers]

    @property
    def span_bytes(self) -> int:
        """Length of the usual window, a multiple of 1 MiB; 0 when the surface is too small."""
        return self.window(SPAN_BYTES)[1]

    @property
    def start_bytes(self) -> int:
        """Beginning of the usual window."""
        return self.window(SPAN_BYTES)[0]

    def window(self, most_bytes: int) -> tuple[int, int]:
        """Beginning and length of a window in the middle, away from partition table and FAT, at 64 MiB times n."""
        span_bytes = min(most_bytes, self.size_bytes // MIB * MIB)
        return (self.size_bytes - span_bytes) // 2 // (64 * MIB) * (64 * MIB), span_bytes


# Writing comes first: what is read then has been written, and no card can answer it from an empty table.
QUICK = (
    Cell("stream", "write", MIB, 32, order="sequential"),
    Cell("stream", "write", MIB, 16, order="random"),
    Cell("stream", "write", 4 * KIB, 512, order="sequential"),
    Cell("stream", "write", 4 * KIB, 512, order="random"),
    Cell("stream", "read", MIB, 64, order="sequential"),
    Cell("stream", "read", MIB, 16, order="random"),
    Cell("stream", "read", 4 * KIB, 512, order="sequential"),
    Cell("stream", "read", 4 * KIB, 512, order="random"),
)
_LONGER_NS = 5 * SECOND_NS
_RANDOM = tuple(
    Cell("stream", direction, size, 2048, order="random", queue_depth=depth, sync=sync, budget_ns=_LONGER_NS)
    for direction in ("write", "read")
    for size, depth in ((16 * KIB, 1), (4 * KIB, 32))
    for sync in ("fsync_at_end" if direction == "write" and depth > 1 else "none",)
)
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


# A tree of small files, past the page cache and through it; mixed work; thumbnails copied.
_FILE_WORK = (
    FileWork("files", 2000, KIB),
    FileWork("files", 2000, 4 * KIB),
    FileWork("files", 2000, 4 * KIB, is_direct=True),
    FileWork("mixed", 1000, 16 * KIB, threads=4),
    FileWork("copy", 1000, 20 * KIB),
)
FLASHBENCH = "flashbench"  # not cells: flashbench's own patterns, in flashbench.py


@dataclass(frozen=True, slots=True)
class Suite:
    """Cells, and whether the geometry of the card is looked for after them."""

    cells: tuple[Cell, ...]
    geometry: bool = False
    most_repeats: int = 3
    files: tuple[FileWork, ...] = ()


SUITES = {
    "quick": Suite(QUICK),
    "standard": Suite(QUICK + _RANDOM, geometry=True, most_repeats=6),
    FLASHBENCH: Suite(()),
    "full": Suite(
        QUICK + _RANDOM + _STREAMS + _FILES + _CHUNKS + _SYNCS + _SUSTAINED,
        geometry=True,
        most_repeats=9,
        files=_FILE_WORK,
    ),
}
WORKLOADS = (
    *dict.fromkeys(cell.workload for cell in SUITES["full"].cells),
    "align",
    "geometry",
    "files",
    "mixed",
    "copy",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What of the plans is run: a suite, or of all that there is only some workloads."""

    suite: str = "quick"
    workloads: tuple[str, ...] = ()
    file_count: int | None = None  # instead of the usual ones
    file_size_bytes: int | None = None

    @property
    def file_work(self) -> tuple[FileWork, ...]:
        """What is done with whole files."""
        found = (
            replace(
                work,
                file_count=self.file_count or work.file_count,
                file_size_bytes=self.file_size_bytes or work.file_size_bytes,
            )
            for work in self.plan.files
            if not self.workloads or work.workload in self.workloads
        )
        possible = (work for work in found if not work.is_direct or work.file_size_bytes % (4 * KIB) == 0)
        return tuple(dict.fromkeys(possible))

    @property
    def plan(self) -> Suite:
        """The suite that the cells are taken from."""
        return SUITES["full" if self.workloads else self.suite]

    @property
    def is_flashbench(self) -> bool:
        """Whether flashbench's own patterns are run instead of cells."""
        return self.suite == FLASHBENCH and not self.workloads

    @property
    def name(self) -> str:
        """For the report: the suite, or the workloads."""
        return "+".join(self.workloads) or self.suite

    @property
    def file_bytes(self) -> int:
        """How long our own file in a directory should be."""
        chosen = [cell for cell in self.plan.cells if not self.workloads or cell.workload in self.workloads]
        spans = [cell.span_bytes for cell in chosen] + [_GEOMETRY_FILE_BYTES] * self.geometry
        return max(spans, default=_SMALLEST_FILE_BYTES)

    @property
    def geometry(self) -> bool:
        """Whether the geometry is looked for."""
        return self.plan.geometry and (not self.workloads or "geometry" in self.workloads)


def cells(choice: Choice, surface: Surface, below: Surface | None = None) -> tuple[Cell, ...]:
    """The chosen cells that can be run on this surface; boundaries are those of the card below, if it is known."""
    table = tuple(_fitted(cell, choice.plan, surface) for cell in choice.plan.cells if _fits(cell, surface))
    if choice.is_flashbench:
        return ()
    table = (table if surface.span_bytes else ()) + tuple(align_cells(below or surface))
    return tuple(cell for cell in table if not choice.workloads or cell.workload in choice.workloads)


def _fits(cell: Cell, surface: Surface) -> bool:
    return (
        (surface.may_write or cell.direction == "read")
        and cell.block_size_bytes % surface.logical_block_bytes == 0
        and cell.queue_depth <= surface.max_queue_depth
        and (not cell.is_whole_file or cell.length_bytes <= surface.window(cell.span_bytes)[1])
    )


def _fitted(cell: Cell, suite: Suite, surface: Surface) -> Cell:
    """With the repeats of its suite, and never twice over its window in one repeat."""
    blocks = surface.window(cell.span_bytes)[1] // cell.block_size_bytes
    most_repeats = max(cell.most_repeats, suite.most_repeats if cell.repeats > 1 else 1)
    return replace(cell, count=max(1, min(cell.count, blocks)), most_repeats=most_repeats)


def align_cells(surface: Surface) -> Iterator[Cell]:
    """One cell for each possible erase block or page size, powers of two and three times them, falling."""
    if not surface.shows_boundaries:
        return
    block_size_bytes = max(KIB, 2 * surface.logical_block_bytes)
    for align_bytes in sorted(_aligns(), reverse=True):
        enough = surface.reach_bytes // align_bytes >= 4 * ALIGN_POSITIONS
        if enough and align_bytes >= 4 * block_size_bytes:
            yield Cell("align", "read", block_size_bytes, 3 * ALIGN_POSITIONS, align_bytes=align_bytes)


def _aligns() -> Iterator[int]:
    align_bytes = _SMALLEST_ALIGN_BYTES
    while align_bytes <= _LARGEST_ALIGN_BYTES:
        yield align_bytes
        if 3 * align_bytes <= _LARGEST_ALIGN_BYTES:
            yield 3 * align_bytes
        align_bytes *= 2


def align_positions(cell: Cell, surface: Surface, chance: random.Random) -> list[int]:
    """Offsets of boundaries, spread over what can be reached, with room on both sides.

    Each is an odd multiple of the alignment, and of 3 only if the alignment is: so it is no boundary of
    anything larger, and a row tells of its own size only. None lies past the end of the device.
    """
    assert cell.align_bytes
    multiples = surface.multiples(cell.align_bytes, 4 * cell.block_size_bytes)
    count = sum(map(len, multiples))
    positions = []
    for part in range(ALIGN_POSITIONS):
        places = range(count * part // ALIGN_POSITIONS, count * (part + 1) // ALIGN_POSITIONS)
        # Of up to 64 different ones, one in three is suitable.
        chosen = (nth(multiples, place) for place in chance.sample(places, k=min(64, len(places))))
        suitable = [number for number in chosen if _is_own_boundary(number, cell.align_bytes)]
        positions += [number * cell.align_bytes for number in suitable[:1]]
    return positions


def nth(ranges: Iterable[range], place: int) -> int:
    """The number at this place of several ranges, one after the other."""
    for numbers in ranges:
        if place < len(numbers):
            return numbers[place]
        place -= len(numbers)
    raise IndexError(place)


def _is_own_boundary(number: int, align_bytes: int) -> bool:
    return number % 2 == 1 and (number % 3 != 0 or align_bytes % 3 == 0)


def stream_offsets(cell: Cell, surface: Surface, repeat: int, chance: random.Random) -> list[int]:
    """Offsets of one repeat; sequential repeats follow each other through the window."""
    start_bytes, span_bytes = surface.window(cell.span_bytes)
    blocks = span_bytes // cell.block_size_bytes
    chosen: Sequence[int]
    if cell.order == "random":
        chosen = chance.sample(range(blocks), k=min(cell.count, blocks))
    else:
        chosen = [(repeat * cell.count + step) % blocks for step in range(min(cell.count, blocks))]
    return [start_bytes + number * cell.block_size_bytes for number in chosen]


def written_bytes(table: Iterable[Cell]) -> int:
    """What the cells write at most."""
    return sum(cell.written_bytes for cell in table)


def longest_s(table: Iterable[Cell]) -> float:
    """Seconds after which the cells have ended even on a slow card, but for one operation each."""
    return sum(cell.most_repeats * cell.budget_ns for cell in table) / SECOND_NS


def binary(size_bytes: int) -> str:
    """4096 -> "4 KiB"."""
    for unit, name in ((1024**3, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes:,} B"
