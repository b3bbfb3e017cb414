"""Plan a run: the access patterns (cells) that fit on a device, and the offsets of their operations."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from cardbench.measuring.cells import Cell
from cardbench.measuring.suites import Choice, Suite
from cardbench.sizes import KIB, MIB, SECOND_NS
from cardbench.target.surface import Surface, nth

ALIGN_POSITIONS = 8
_USUAL_BYTES_PER_S, _USUAL_OPERATION_S = 20e6, 0.001  # assumed rate and time per operation of a usual card
# Smaller sizes are smaller than any page; larger ones exceed any erase block and have too few positions.
_SMALLEST_ALIGN_BYTES, _LARGEST_ALIGN_BYTES = 4 * KIB, 128 * MIB


def cells(choice: Choice, surface: Surface, below: Surface | None = None) -> tuple[Cell, ...]:
    """Return the chosen access patterns that fit on a device, and those that read around boundaries.

    `below`: the card that stores the file to measure, if known; the reads around boundaries are planned for it.
    """
    table = tuple(_fit_cell(cell, choice.plan, surface) for cell in choice.plan.cells if _fits(cell, surface))
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


def _fit_cell(cell: Cell, suite: Suite, surface: Surface) -> Cell:
    # Sets the repeats of the suite, and limits a repeat to one pass over its window.
    blocks = surface.window(cell.span_bytes)[1] // cell.block_size_bytes
    most_repeats = max(cell.most_repeats, suite.most_repeats if cell.repeats > 1 else 1)
    return replace(cell, count=max(1, min(cell.count, blocks)), most_repeats=most_repeats)


def align_cells(surface: Surface) -> Iterator[Cell]:
    """Yield an access pattern per possible erase block or page size (2^n and 3 * 2^n bytes), the largest first."""
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
    """Return offsets of boundaries in bytes, spread over the parts that may be read, with space on both sides.

    Each is an odd multiple of the alignment, and a multiple of 3 only if the alignment is, so it is no boundary of a
    larger unit. All are within the device.
    """
    assert cell.align_bytes
    multiples = surface.multiples(cell.align_bytes, 4 * cell.block_size_bytes)
    count = sum(map(len, multiples))
    positions = []
    for part in range(ALIGN_POSITIONS):
        places = range(count * part // ALIGN_POSITIONS, count * (part + 1) // ALIGN_POSITIONS)
        # One in three positions is suitable, so up to 64 are tried.
        chosen = (nth(multiples, place) for place in chance.sample(places, k=min(64, len(places))))
        suitable = [number for number in chosen if _is_own_boundary(number, cell.align_bytes)]
        positions += [number * cell.align_bytes for number in suitable[:1]]
    return positions


def _is_own_boundary(number: int, align_bytes: int) -> bool:
    return number % 2 == 1 and (number % 3 != 0 or align_bytes % 3 == 0)


def stream_offsets(cell: Cell, surface: Surface, repeat: int, chance: random.Random) -> list[int]:
    """Return the offsets of the operations of one repeat in bytes.

    Sequential repeats continue where the last one ended.
    """
    start_bytes, span_bytes = surface.window(cell.span_bytes)
    blocks = span_bytes // cell.block_size_bytes
    chosen: Sequence[int]
    if cell.unit_bytes:
        chosen = _choose_unit_by_unit(cell, cell.unit_bytes // cell.block_size_bytes, blocks, repeat, chance)
    elif cell.order == "random":
        chosen = chance.sample(range(blocks), k=min(cell.count, blocks))
    else:
        chosen = [(repeat * cell.count + step) % blocks for step in range(min(cell.count, blocks))]
    return [start_bytes + number * cell.block_size_bytes for number in chosen]


def _choose_unit_by_unit(cell: Cell, each: int, blocks: int, repeat: int, chance: random.Random) -> list[int]:
    # Units of `each` blocks; each unit is filled before the next one.
    inside = range(each)
    firsts = [(repeat * cell.count + step) % blocks // each * each for step in range(0, cell.count, each)]
    shuffled = (chance.sample(inside, k=each) if cell.order == "random" else inside for _ in firsts)
    return [first + place for first, places in zip(firsts, shuffled) for place in places]


def estimate_usual_cost(table: Iterable[Cell]) -> tuple[int, float]:
    """Return the bytes that access patterns write on a usual card, and their seconds, without additional repeats."""
    cells_of = list(table)
    return sum(_count_written_bytes(cell) for cell in cells_of), sum(
        cell.repeats * _usual_s(cell) for cell in cells_of
    )


def _count_written_bytes(cell: Cell) -> int:
    return cell.repeats * cell.length_bytes if cell.direction == "write" else 0


def _usual_s(cell: Cell) -> float:
    seconds = cell.length_bytes / _USUAL_BYTES_PER_S + cell.count * _USUAL_OPERATION_S
    return min(cell.budget_ns / SECOND_NS, seconds)


def written_bytes(table: Iterable[Cell]) -> int:
    """Return the most bytes that the access patterns write."""
    return sum(cell.written_bytes for cell in table)
