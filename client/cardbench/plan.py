"""What a suite does, as data: a table of cells. Running, progress and report all follow it."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

KIB, MIB = 1024, 1024**2
SECOND_NS = 1_000_000_000

# Random positions are drawn from 256 MiB, as for the application performance classes; in directories, too.
SPAN_BYTES = 256 * MIB
ALIGN_POSITIONS = 8
# Below: smaller than any page. Above: more than any erase block, and few positions are left.
_SMALLEST_ALIGN_BYTES, _LARGEST_ALIGN_BYTES = 4 * KIB, 128 * MIB


@dataclass(frozen=True, slots=True)
class Cell:
    """One access pattern, repeated. A repeat that reaches its budget ends early and is marked."""

    workload: str  # stream, align
    direction: str  # read, write
    block_size_bytes: int
    count: int  # operations in one repeat
    order: str | None = None  # sequential, random
    align_bytes: int | None = None
    repeats: int = 3
    budget_ns: int = 2 * SECOND_NS  # of one repeat

    @property
    def title(self) -> str:
        """For the progress line."""
        if self.align_bytes:
            return f"reads across multiples of {binary(self.align_bytes)}"
        return f"{self.order} {self.direction}, {binary(self.block_size_bytes)}"

    @property
    def weight(self) -> int:
        """Its share of the progress bar."""
        return self.repeats * (1 if self.align_bytes else 8)

    @property
    def written_bytes(self) -> int:
        """What all repeats together write at most."""
        return self.block_size_bytes * self.count * self.repeats if self.direction == "write" else 0


@dataclass(frozen=True, slots=True)
class Surface:
    """What can be measured on: its size, its grain, and what is allowed there."""

    size_bytes: int
    logical_block_bytes: int
    may_write: bool
    shows_boundaries: bool  # offsets are those of the flash; not so inside a file system
    is_own_file: bool = False  # of size_bytes, in a directory

    @property
    def span_bytes(self) -> int:
        """Length of the window of the stream cells, a multiple of 1 MiB; 0 when the surface is too small."""
        return min(SPAN_BYTES, self.size_bytes // MIB * MIB)

    @property
    def start_bytes(self) -> int:
        """Beginning of the window: a multiple of 64 MiB in the middle, away from partition table and FAT."""
        return (self.size_bytes - self.span_bytes) // 2 // (64 * MIB) * (64 * MIB)


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


@dataclass(frozen=True, slots=True)
class Suite:
    """Cells, and whether the geometry of the card is looked for after them."""

    cells: tuple[Cell, ...]
    geometry: bool = False


SUITES = {"quick": Suite(QUICK), "standard": Suite(QUICK, geometry=True)}


def cells(suite: str, surface: Surface) -> tuple[Cell, ...]:
    """The cells of a suite that can be run on this surface."""
    streams = tuple(
        cell
        for cell in SUITES[suite].cells
        if (surface.may_write or cell.direction == "read")
        and cell.block_size_bytes % surface.logical_block_bytes == 0
    )
    return (streams if surface.span_bytes else ()) + tuple(align_cells(surface))


def align_cells(surface: Surface) -> Iterator[Cell]:
    """One cell for each possible erase block or page size, powers of two and three times them, falling."""
    if not surface.shows_boundaries:
        return
    block_size_bytes = max(KIB, 2 * surface.logical_block_bytes)
    for align_bytes in sorted(_aligns(), reverse=True):
        enough = surface.size_bytes // align_bytes >= 4 * ALIGN_POSITIONS
        if enough and align_bytes >= 4 * block_size_bytes:
            yield Cell("align", "read", block_size_bytes, 3 * ALIGN_POSITIONS, align_bytes=align_bytes)


def _aligns() -> Iterator[int]:
    align_bytes = _SMALLEST_ALIGN_BYTES
    while align_bytes <= _LARGEST_ALIGN_BYTES:
        yield align_bytes
        if 3 * align_bytes <= _LARGEST_ALIGN_BYTES:
            yield 3 * align_bytes
        align_bytes *= 2


def align_positions(cell: Cell, size_bytes: int, chance: random.Random) -> list[int]:
    """Offsets of boundaries, spread over the device, with room on both sides.

    Each is an odd multiple of the alignment, and of 3 only if the alignment is: so it is no boundary of
    anything larger, and a row tells of its own size only. None lies past the end of the device.
    """
    assert cell.align_bytes
    last = (size_bytes - 4 * cell.block_size_bytes) // cell.align_bytes
    positions = []
    for part in range(ALIGN_POSITIONS):
        low, high = 1 + last * part // ALIGN_POSITIONS, last * (part + 1) // ALIGN_POSITIONS
        suitable = [
            number for number in _some_of(low, high, chance) if _is_own_boundary(number, cell.align_bytes)
        ]
        positions += [number * cell.align_bytes for number in suitable[:1]]
    return positions


def _some_of(low: int, high: int, chance: random.Random) -> list[int]:
    """Up to 64 different numbers in low..high: one in three of them is suitable."""
    return chance.sample(range(low, high + 1), k=min(64, high - low + 1))


def _is_own_boundary(number: int, align_bytes: int) -> bool:
    return number % 2 == 1 and (number % 3 != 0 or align_bytes % 3 == 0)


def stream_offsets(cell: Cell, surface: Surface, repeat: int, chance: random.Random) -> list[int]:
    """Offsets of one repeat of a stream cell; sequential repeats follow each other through the window."""
    blocks = surface.span_bytes // cell.block_size_bytes
    if cell.order == "random":
        chosen = chance.sample(range(blocks), k=min(cell.count, blocks))
    else:
        chosen = [(repeat * cell.count + step) % blocks for step in range(min(cell.count, blocks))]
    return [surface.start_bytes + number * cell.block_size_bytes for number in chosen]


def written_bytes(table: Iterable[Cell]) -> int:
    """What the cells write at most."""
    return sum(cell.written_bytes for cell in table)


def longest_s(table: Iterable[Cell]) -> float:
    """Seconds after which the cells have ended even on a slow card, but for one operation each."""
    return sum(cell.repeats * cell.budget_ns for cell in table) / SECOND_NS


def binary(size_bytes: int) -> str:
    """4096 -> "4 KiB"."""
    for unit, name in ((1024**3, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes:,} B"
