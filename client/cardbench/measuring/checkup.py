"""Check whether a card is well: read all of it, and if writing is allowed, write, read back and compare.

A check writes marker blocks (stamps) all over the card, and long pieces in an order that covers it evenly, half of them
block by block and half of them in a queue. The stamps are read last, when no buffer can hold them any more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cardbench.measuring import capacity
from cardbench.measuring.capacity import Capacity
from cardbench.measuring.scan import (
    BLOCK_BYTES,
    DEPTH,
    Clock,
    Grid,
    Scan,
    find_end,
    merge_areas,
    narrow_end,
    raise_unless_bad,
    read_all_over,
)
from cardbench.sizes import KIB, MIB
from cardbench.target.device import Device
from cardbench.target.engine import FINAL_CODES, EngineError
from cardbench.target.surface import Surface

BUDGET_S = 300
_SCAN_SHARE_BEFORE_WRITING, _WRITE_SHARE = 0.35, 0.75  # share of the time at which each ends
_PIECE_BYTES = 16 * MIB
# More time tries more of the card, and wears it more.
_WRITTEN_BYTES_PER_S = 768 * MIB // BUDGET_S
_MOST_ERRORS = 8  # after this many the rest would only take time
_SMALL_BYTES, _SMALL_READS = 4 * KIB, 256


@dataclass
class Evidence:
    """The observations of a check, from which a verdict on the card follows."""

    size_bytes: int
    is_own_file: bool = False
    scan: Scan | None = None
    written: list[int] = field(default_factory=list)  # blocks of 1 MiB, in the order they were written
    written_in_queue: set[int] = field(default_factory=set)
    write_ns: list[int] = field(default_factory=list)
    write_errors: list[str] = field(default_factory=list)
    read_errors: list[int] = field(default_factory=list)  # offsets of written blocks that cannot be read
    # Blocks with other bytes than were written, in the order of writing.
    lost: list[int] = field(default_factory=list)
    # Blocks that are read correctly one at a time, but not in a queue.
    lost_in_queue: list[int] = field(default_factory=list)
    # Offsets of pieces that could be written only one block at a time.
    refused_in_queue: list[int] = field(default_factory=list)
    held: Capacity | None = None
    ends_in_errors: bool = False  # reading past the real end gives errors
    stamps: int = 0
    widest_gap_bytes: int = 0  # longest part of the card without a written stamp or block
    queue_gain: float | None = None  # rate of small reads in a queue, relative to one at a time
    gone: str = ""
    complaints: tuple[str, ...] = ()  # lines of the kernel's log
    is_used_up: bool = False  # as the card itself reports
    is_card: bool = True

    @property
    def bad_areas(self) -> list[list[int]]:
        """Return the areas that cannot be read, as pairs of start and length in bytes."""
        scanned = merge_areas(self.scan.bad, self.scan.grid.block_bytes) if self.scan else []
        return sorted([*scanned, *merge_areas(self.read_errors, MIB)])

    @property
    def changed_blocks(self) -> list[int]:
        """Return the offsets of blocks that read differently each time, or differ from the bytes written."""
        return [*(self.scan.changed if self.scan else ()), *self.lost]

    @property
    def changed_in_queue(self) -> list[int]:
        """Return the offsets of blocks that are read correctly one at a time, but not in a queue."""
        scanned = self.scan.changed_in_queue if self.scan else ()
        return [*scanned, *self.lost_in_queue, *self.refused_in_queue]


@dataclass
class _Checkup:
    """A check in progress: its device, its time budget, and its evidence so far."""

    device: Device
    evidence: Evidence
    clock: Clock
    seed: int
    note: Callable[[Evidence], None]

    @property
    def depth(self) -> int:
        """Return the number of transfers in progress at once in a queue."""
        return min(DEPTH, self.device.max_queue_depth)

    def scan(self, share: float) -> None:
        """Read on until this share of the time is used up.

        Then find the end of a fake card that gives errors past it.
        """
        evidence = self.evidence
        if not evidence.scan:
            return
        read_all_over(
            self.device,
            evidence.scan,
            self.clock,
            share=share,
            note=lambda: self.note(evidence),
        )
        if ends := find_end(evidence.scan):
            end = narrow_end(self._can_read, *ends, evidence.scan.grid.block_bytes)
            evidence.held, evidence.ends_in_errors = Capacity("limbo", end), True

    def _can_read(self, place: int) -> bool:
        try:
            self.device.read(BLOCK_BYTES, [place])
        except EngineError as error:
            raise_unless_bad(error)
            return False
        return True

    def write_and_read_back(self) -> None:
        """Write stamps everywhere, write pieces until the time is used up, then read and compare all of it."""
        evidence, seed = self.evidence, self.seed
        stamps = capacity.places(evidence.size_bytes, random.Random(seed))
        planted = capacity.try_to_plant(self.device, stamps, seed=seed)
        evidence.held, evidence.ends_in_errors = planted.end, planted.end is not None
        evidence.write_errors += planted.errors
        if planted.errors:
            return
        try:
            self._write_pieces()
            self.device.sync()
        except EngineError as error:
            raise_unless_bad(error)
            if error.code != "ENOSPC":
                evidence.write_errors.append(error.code)
        self._read_back()
        if not evidence.write_errors:
            evidence.stamps = len(stamps)
            evidence.widest_gap_bytes = _find_widest_gap([*stamps, *evidence.written], evidence.size_bytes)
            evidence.held = capacity.verify(self.device, stamps, evidence.size_bytes, seed=seed)

    def _write_pieces(self) -> None:
        """Write pieces until the time is used up, every second piece in a queue. Raises EngineError."""
        evidence, most_bytes = self.evidence, self.clock.budget_s * _WRITTEN_BYTES_PER_S
        for number, places in enumerate(_list_pieces(evidence.size_bytes)):
            if self.clock.is_over(_WRITE_SHARE) or len(evidence.written) * MIB >= most_bytes:
                return
            if not (number % 2 and self.depth > 1 and self._write_at_once(places)):
                for place in places:
                    evidence.write_ns += self.device.write(MIB, [place], seed=self.seed)
                    evidence.written.append(place)
            self.clock.device_ns += sum(evidence.write_ns[-len(places) :])

    def _write_at_once(self, places: list[int]) -> bool:
        # Returns whether the piece could be written in a queue.
        evidence = self.evidence
        try:
            elapsed_ns, _ = self.device.run_queue("write", MIB, places, depth=self.depth, seed=self.seed)
        except EngineError as error:
            raise_unless_bad(error)
            evidence.refused_in_queue.append(places[0])
            return False
        evidence.write_ns += [elapsed_ns // len(places)] * len(places)
        evidence.written += places
        evidence.written_in_queue.update(places)
        return True

    def _read_back(self) -> None:
        evidence = self.evidence
        for first in range(0, len(evidence.written), _PIECE_BYTES // MIB):
            places = evidence.written[first : first + _PIECE_BYTES // MIB]
            kept = [place for place in places if self._is_kept(place)]
            if self.depth > 1 and kept == places:
                evidence.lost_in_queue += self._find_wrong_in_queue(places)
            if len(evidence.read_errors) >= _MOST_ERRORS:
                return

    def _is_kept(self, place: int) -> bool:
        """Return whether a block holds the bytes written there; record it as evidence if not."""
        evidence = self.evidence
        try:
            if self.device.check(MIB, [place], seed=self.seed) == [place]:
                return True
            evidence.lost.append(place)
        except EngineError as error:
            raise_unless_bad(error)
            evidence.read_errors.append(place)
        return False

    def _find_wrong_in_queue(self, places: list[int]) -> list[int]:
        try:
            _, found = self.device.run_queue("check", MIB, places, depth=self.depth, seed=self.seed)
        except EngineError as error:
            raise_unless_bad(error)
            return places[:1]  # enough to report that the queue fails
        return [place for place, stamp in zip(places, found) if stamp != place]

    def compare_depths(self) -> None:
        """Measure the rate of small reads in a queue relative to one at a time."""
        evidence = self.evidence
        # Reading space that is reserved in a file, but was never written, accesses no card.
        blocks = evidence.written if evidence.is_own_file else range(0, evidence.size_bytes - MIB + 1, MIB)
        is_sound = not evidence.bad_areas and (evidence.held is None or evidence.held.kind == "good")
        if self.depth == 1 or not blocks or not is_sound:
            return
        chance, times_ns = random.Random(self.seed), []
        for depth in (1, DEPTH):
            places = [
                chance.choice(blocks) + chance.randrange(MIB // _SMALL_BYTES) * _SMALL_BYTES
                for _ in range(_SMALL_READS)
            ]
            try:
                times_ns.append(self.device.run_queue("read", _SMALL_BYTES, places, depth=depth, seed=0)[0])
            except EngineError as error:
                raise_unless_bad(error)
                return
        evidence.queue_gain = times_ns[0] / max(1, times_ns[1])


def check(
    device: Device,
    surface: Surface,
    *,
    seed: int,
    budget_s: float = BUDGET_S,
    scan: Scan | None = None,
    note: Callable[[Evidence], None] = lambda _evidence: None,
) -> Evidence:
    """Check a card, and return the observations.

    Nothing is written unless `surface.may_write`. `budget_s`: the time limit, infinite to read everything and write
    wherever that is allowed. `scan`: an earlier scan to continue. `note` is called now and then with the observations
    so far.
    """
    evidence = Evidence(surface.size_bytes, is_own_file=surface.is_own_file)
    if not surface.is_own_file:  # a temporary file has no content to read yet
        evidence.scan = scan or Scan(Grid(surface.size_bytes))
    checkup = _Checkup(device, evidence, Clock(budget_s), seed, note)
    try:
        checkup.scan(_SCAN_SHARE_BEFORE_WRITING if surface.may_write else 1.0)
        if surface.may_write and not evidence.held and len(evidence.bad_areas) < _MOST_ERRORS:
            checkup.write_and_read_back()
            if not evidence.bad_areas:
                checkup.scan(1.0)
        checkup.compare_depths()
    except EngineError as error:
        if error.code not in FINAL_CODES:
            raise
        evidence.gone = error.code
    return evidence


def _find_widest_gap(places: list[int], size_bytes: int) -> int:
    ends = [0, *sorted(places), size_bytes]
    return max(after - before for before, after in zip(ends, ends[1:]))


def _list_pieces(size_bytes: int) -> Iterator[list[int]]:
    # Returns blocks in an order that covers the card evenly.
    grid = Grid(size_bytes // MIB * MIB, _PIECE_BYTES)
    for start in grid.places(0, grid.count):
        yield [*range(start, start + _PIECE_BYTES, MIB)]
