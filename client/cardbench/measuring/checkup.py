"""Check whether a card is well: read it all over, and where that is allowed write, read back and compare.

What is written are stamps all over the surface, and long pieces in an order that covers it evenly, half of them block
by block and half of them in a queue. The stamps are looked for last, when no buffer can hold them any more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cardbench.measuring import capacity
from cardbench.measuring.capacity import Capacity
from cardbench.measuring.scan import (
    DEPTH,
    Clock,
    Grid,
    Scan,
    find_end,
    narrow_end,
    raise_unless_bad,
    read_all_over,
)
from cardbench.sizes import KIB, MIB
from cardbench.target.device import Device
from cardbench.target.engine import FINAL_CODES, EngineError
from cardbench.target.surface import Surface

BUDGET_S = 300
_SCAN_SHARE_BEFORE_WRITING, _WRITE_SHARE = 0.35, 0.75  # of the time, when each ends
_PIECE_BYTES = 16 * MIB
_WRITTEN_BYTES_PER_S = (
    768 * MIB // BUDGET_S
)  # of the budget: more time tries more of the card, and wears it more
_MOST_ERRORS = 8  # after so many the rest would only take time
_SMALL_READS = 256


@dataclass(frozen=True)
class Thoroughness:
    """How long to look; `is_whole`: until all of it was read, and all that is allowed was written."""

    budget_s: float = BUDGET_S
    is_whole: bool = False


@dataclass
class Evidence:
    """What was noticed of a card."""

    size_bytes: int
    is_own_file: bool = False
    scan: Scan | None = None
    written: list[int] = field(default_factory=list)  # blocks of 1 MiB, in the order they were written
    written_in_queue: set[int] = field(default_factory=set)
    write_ns: list[int] = field(default_factory=list)
    write_errors: list[str] = field(default_factory=list)
    read_errors: list[int] = field(default_factory=list)  # of what was written
    lost: list[int] = field(default_factory=list)  # not what was written there, in the order it was written
    lost_in_queue: list[int] = field(
        default_factory=list
    )  # right one at a time, and wrong or an error in a queue
    held: Capacity | None = None
    ends_in_errors: bool = False  # past the real end
    stamps: int = 0
    queue_gain: float | None = None  # small reads at a time: in a queue, over one at a time
    gone: str = ""
    complaints: tuple[str, ...] = ()  # lines of the kernel's log
    is_used_up: bool = False  # as it says itself
    is_card: bool = True

    @property
    def bad(self) -> list[int]:
        """Return the offsets of blocks that cannot be read."""
        return [*(self.scan.bad if self.scan else ()), *self.read_errors]

    @property
    def changed(self) -> list[int]:
        """Return the offsets of blocks that read differently each time, or are not what was written."""
        return [*(self.scan.changed if self.scan else ()), *self.lost]

    @property
    def changed_in_queue(self) -> list[int]:
        """Return the offsets of blocks that are right one at a time, and not in a queue."""
        return [*(self.scan.changed_in_queue if self.scan else ()), *self.lost_in_queue]


def check(
    device: Device,
    surface: Surface,
    *,
    seed: int,
    how: Thoroughness = Thoroughness(),
    scan: Scan | None = None,
    note: Callable[[Evidence], None] = lambda _evidence: None,
) -> Evidence:
    """Look at a card and return what was noticed.

    Without `surface.may_write` nothing is written. `scan` goes on with an earlier one. `note` is called now and then.
    """
    evidence = Evidence(surface.size_bytes, is_own_file=surface.is_own_file)
    clock = Clock(how.budget_s)
    try:
        if not surface.is_own_file:  # where nothing was written yet
            evidence.scan = scan or Scan(Grid(surface.size_bytes))
        read_share = _SCAN_SHARE_BEFORE_WRITING if surface.may_write else 1.0
        _read(device, evidence, clock, how, note, read_share)
        if surface.may_write and not evidence.held and len(evidence.bad) < _MOST_ERRORS:
            _write_and_read_back(device, evidence, clock, seed, is_whole=how.is_whole)
            _read(device, evidence, clock, how, note, 1.0)
        _compare_depths(device, evidence, random.Random(seed))
    except EngineError as error:
        if error.code not in FINAL_CODES:
            raise
        evidence.gone = error.code
    return evidence


def _read(
    device: Device,
    evidence: Evidence,
    clock: Clock,
    how: Thoroughness,
    note: Callable[[Evidence], None],
    share: float,
) -> None:
    """Go on with the scan until this share of the time is up, and find where a fake ends that gives errors there."""
    if not evidence.scan or evidence.bad:
        return
    read_all_over(
        device, evidence.scan, clock, share=share, is_whole=how.is_whole, note=lambda: note(evidence)
    )
    if ends := find_end(evidence.scan):
        block_bytes = evidence.scan.grid.block_bytes
        end = narrow_end(lambda place: _can(device.read, block_bytes, place), *ends, block_bytes)
        evidence.held, evidence.ends_in_errors = Capacity("limbo", end), True


def _can(transfer: Callable[..., object], length_bytes: int, place: int, **more: int) -> bool:
    try:
        transfer(length_bytes, [place], **more)
    except EngineError as error:
        raise_unless_bad(error)
        return False
    return True


def _write_and_read_back(
    device: Device, evidence: Evidence, clock: Clock, seed: int, *, is_whole: bool
) -> None:
    stamps = capacity.places(evidence.size_bytes, random.Random(seed))
    planted = capacity.try_to_plant(device, stamps, seed=seed)
    evidence.held, evidence.ends_in_errors = planted.end, planted.end is not None
    evidence.write_errors += planted.errors
    if planted.errors:
        return
    try:
        _write_pieces(device, evidence, clock, seed, is_whole=is_whole)
        device.sync()
    except EngineError as error:
        raise_unless_bad(error)
        if error.code != "ENOSPC":
            evidence.write_errors.append(error.code)
    _read_back(device, evidence, seed)
    if not evidence.write_errors:
        evidence.stamps = len(stamps)
        evidence.held = capacity.verify(device, stamps, evidence.size_bytes, seed=seed)


def _pieces(evidence: Evidence) -> Iterator[list[int]]:
    """Yield the blocks of one piece after the other, in an order that covers the surface evenly."""
    grid = Grid(evidence.size_bytes // MIB * MIB, _PIECE_BYTES)
    for number in range(grid.count):
        (start,) = grid.places(number, number + 1)
        yield [*range(start, start + _PIECE_BYTES, MIB)]


def _write_pieces(device: Device, evidence: Evidence, clock: Clock, seed: int, *, is_whole: bool) -> None:
    """Write until the time is up, every second piece in a queue. Raises EngineError."""
    most_bytes = clock.budget_s * _WRITTEN_BYTES_PER_S
    depth = min(DEPTH, device.max_queue_depth)
    for number, places in enumerate(_pieces(evidence)):
        is_over = clock.is_over(_WRITE_SHARE) or len(evidence.written) * MIB >= most_bytes
        if is_over and not is_whole:
            return
        if not (number % 2 and depth > 1 and _write_at_once(device, evidence, places, seed, depth)):
            for place in places:
                evidence.write_ns += device.write(MIB, [place], seed=seed)
                evidence.written.append(place)
        clock.device_ns += sum(evidence.write_ns[-len(places) :])


def _write_at_once(device: Device, evidence: Evidence, places: list[int], seed: int, depth: int) -> bool:
    """Write a piece in a queue; return whether that went well."""
    try:
        elapsed_ns, _ = device.queued("write", MIB, places, depth=depth, seed=seed)
    except EngineError as error:
        raise_unless_bad(error)
        return False
    evidence.write_ns += [elapsed_ns // len(places)] * len(places)
    evidence.written += places
    evidence.written_in_queue.update(places)
    return True


def _read_back(device: Device, evidence: Evidence, seed: int) -> None:
    """Compare what was written, one block at a time, and in a queue besides."""
    depth = min(DEPTH, device.max_queue_depth)
    for first in range(0, len(evidence.written), 16):
        places = evidence.written[first : first + 16]
        wrong = {place for place in places if not _is_kept(device, evidence, place, seed)}
        evidence.lost += [place for place in places if place in wrong - set(evidence.read_errors)]
        if depth > 1 and not wrong:
            evidence.lost_in_queue += _find_wrong_in_queue(device, places, seed, depth)
        if len(evidence.read_errors) >= _MOST_ERRORS:
            return


def _is_kept(device: Device, evidence: Evidence, place: int, seed: int) -> bool:
    try:
        return device.check(MIB, [place], seed=seed) == [place]
    except EngineError as error:
        raise_unless_bad(error)
        evidence.read_errors.append(place)
        return False


def _find_wrong_in_queue(device: Device, places: list[int], seed: int, depth: int) -> list[int]:
    """Return the blocks that were read otherwise than they are, or the first one if the queue fails."""
    try:
        _, found = device.queued("check", MIB, places, depth=depth, seed=seed)
    except EngineError as error:
        raise_unless_bad(error)
        return places[:1]
    return [place for place, stamp in zip(places, found) if stamp != place]


def _compare_depths(device: Device, evidence: Evidence, chance: random.Random) -> None:
    """Measure how many more small blocks are read at a time in a queue."""
    if device.max_queue_depth == 1 or evidence.bad or (evidence.held and evidence.held.kind != "good"):
        return
    blocks = evidence.size_bytes // (4 * KIB)
    times_ns = []
    for depth in (1, DEPTH):
        places = [chance.randrange(blocks) * 4 * KIB for _ in range(_SMALL_READS)]
        try:
            times_ns.append(device.queued("read", 4 * KIB, places, depth=depth, seed=0)[0])
        except EngineError as error:
            raise_unless_bad(error)
            return
    evidence.queue_gain = times_ns[0] / max(1, times_ns[1])
