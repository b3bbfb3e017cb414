"""Cards with a buffer that postpones merges: what a stall takes tells how many merges were due, and so were needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median, median_high

from cardbench.geometry.estimate import Finding, abstained, found, no_limit_found, none_found
from cardbench.geometry.units import BLOCK_BYTES, Exhausted, Unit, Writer
from cardbench.sizes import KIB, MIB, binary

# Larger blocks, where units have room for so many, fill the buffer sooner; but it must take so many of them.
_STEPS_BYTES, _ROOM, _FEWEST_TO_FILL = (256 * KIB, 128 * KIB), 8, 4
_LARGEST_BUFFER_BYTES = 4 * MIB
_STALLS, _DUE = 5, 3  # with gaps between them; units that are opened in each gap
_ALIKE = 0.6  # of the third longest stall: what is shorter is a stall of another kind
_UNITS_IN_TURN = (8, 20, 48, 64)  # that are looked at, as long as all of them are open
_OLDER = 2  # units that must be closed
_MANY = 16  # units of which chance does not close just the oldest
_MOST_MISSED = 2  # looks: because of stalls
_LOG_ODDS = 4.0


def find_buffered(writer: Writer, in_order: int | None = None) -> Finding:
    """How many units are open at once; `in_order`: the most, as found in order."""
    return replace(_find(writer, in_order), postponed=True)


def _find(writer: Writer, in_order: int | None) -> Finding:
    probe = writer.probe
    probe.merge_buffer = probe.merge_buffer or _buffer(_in_larger_blocks(writer, _LARGEST_BUFFER_BYTES))
    if probe.merge_buffer is None:
        return abstained("Now and then a write is slow, but not in a way that tells of open units.")
    size_bytes, merge_ns = probe.merge_buffer
    search = _Search(_in_larger_blocks(writer, size_bytes), size_bytes, merge_ns)
    words = f"Counted by merges, which wait in a buffer of about {binary(size_bytes)}: "
    units = search.first_count(in_order)
    if units is None:
        return no_limit_found(3.0, words + f"{_UNITS_IN_TURN[-1]} units stay open.")
    if units == in_order:
        return found(units, _LOG_ODDS, words + f"{_units(units)} open, and no more even in order.")
    counted = search.confirmed(units)
    if counted is None:
        return abstained(words + "it differs from time to time how many units stay open.")
    if counted == 0:
        return none_found(3.0, words + "not even one unit stays open.")
    return found(counted, _LOG_ODDS, words + f"the newest {_units(counted)} open, and no older one.")


def _units(count: int) -> str:
    return "unit stays" if count == 1 else f"{count} units stay"


def _in_larger_blocks(writer: Writer, buffer_bytes: int) -> Writer:
    """One that knows what is fast, and whose blocks are as large as units and a buffer of this size allow."""
    most_bytes = min((writer.rounds + 1) * writer.block_bytes // _ROOM, buffer_bytes // _FEWEST_TO_FILL)
    block_bytes = max(
        next((size for size in _STEPS_BYTES if size <= most_bytes), BLOCK_BYTES), writer.block_bytes
    )
    larger = Writer(writer.probe, writer.erase_block_bytes, writer.order, block_bytes)
    larger.calibrate()
    return larger


def _buffer(writer: Writer) -> tuple[int, float] | None:
    """Bytes between the stalls while a few units are opened in each gap, and ns of each merge."""
    times, opened, since = list[int](), list[bool](), 0
    unit, duration_ns = writer.open()
    while len(times) < 2 * _STALLS * _LARGEST_BUFFER_BYTES // writer.block_bytes:
        try:
            is_fresh = since < _DUE
            unit, duration_ns = writer.open() if is_fresh else (unit, writer.write(unit))
        except Exhausted:
            is_fresh, (unit, duration_ns) = True, writer.open()
        times.append(duration_ns)
        opened.append(is_fresh)
        since = 0 if writer.is_slow(duration_ns) else since + is_fresh
        stalls = _alike([at for at, time in enumerate(times) if writer.is_slow(time)], times)
        if len(stalls) == _STALLS:
            return _gap_and_merge(stalls, times, opened, writer)
    return None


def _alike(stalls: list[int], times: Sequence[int]) -> list[int]:
    """Those of the stalls that are about as long as most."""
    usual = sorted((times[at] for at in stalls), reverse=True)[2:3]
    return [at for at in stalls if usual and times[at] > _ALIKE * usual[0]]


def _gap_and_merge(
    stalls: list[int], times: Sequence[int], opened: Sequence[bool], writer: Writer
) -> tuple[int, float]:
    gaps = [(before + 1, after + 1) for before, after in zip(stalls, stalls[1:])]
    merges_ns = ((times[end - 1] - writer.fast_ns) / max(1, sum(opened[begin:end])) for begin, end in gaps)
    return median_high(end - begin for begin, end in gaps) * writer.block_bytes, median(merges_ns)


@dataclass
class _Search:
    """Opens units, and counts the merges that writing to them takes: one for each that is closed."""

    writer: Writer
    buffer_bytes: int
    merge_ns: float
    due: float = 0.0  # merges of what was opened that are not done, or were done and are not counted

    def first_count(self, in_order: int | None) -> int | None:
        """How many of the newest units are open, as one look tells; None when all are. At most `in_order`."""
        for count in (in_order,) if in_order else _UNITS_IN_TURN:
            merges = self._merges(self._opened(count))
            if merges:
                return self._at_least(count - merges)
        return in_order

    def confirmed(self, count: int) -> int | None:
        """The same, once it was seen that only the newest are open; None if that is left to chance."""
        agreed = missed = 0
        while missed <= _MOST_MISSED:
            units = self._opened(count + _OLDER)
            newer = self._merges_of_open(units[_OLDER:]) if count and self._has_room else 0
            older = self._merges(units[:_OLDER] if self._has_room else units)
            if newer == 0 and (older == _OLDER or (older > _OLDER and not count)):
                agreed += 1
                if agreed == _enough(count):
                    return count
            else:
                agreed, missed = 0, missed + 1
                count = self._at_least(count + _OLDER - newer - older)
        return None

    def _at_least(self, count: int) -> int:
        """In order the newest one is open, whatever a stall looks like."""
        return max(0 if self.writer.order == "random" else 1, count)

    @property
    def _filling(self) -> int:
        """How many blocks fill the buffer."""
        return max(1, round(self.buffer_bytes / self.writer.block_bytes))

    @property
    def _has_room(self) -> bool:
        """Whether a unit takes what fills the buffer, and the few other blocks."""
        return self._filling + 3 <= self.writer.rounds

    def _opened(self, count: int) -> list[Unit]:
        """So many fresh units. The merges that this takes are done; or due, where that would fill the newest one."""
        if not self._has_room:
            self._until_slow(self.writer.open()[0])
        opened = [self.writer.open() for _ in range(count)]
        self.due = count - sum(self._merges_in(duration_ns) for _, duration_ns in opened)
        units = [unit for unit, _ in opened]
        if self._has_room:
            self._until_slow(units[-1])
            self.due = 0
        return units

    def _merges(self, units: list[Unit]) -> int:
        """How many merges it takes to write to these units, the newest first.

        They are done as soon as a fresh unit, which takes one more, was written to for long enough.
        """
        merges = sum(self._write(unit) for unit in reversed(units))
        pad, duration_ns = self.writer.open()
        merges += self._merges_in(duration_ns) or self._until_slow(pad)
        return max(0, round(merges - self.due - 1))

    def _merges_of_open(self, units: list[Unit]) -> int:
        """The same of units that are open, it seems: then the oldest may be written to until the buffer was filled."""
        merges = sum(self._write(unit) for unit in reversed(units))
        return round(merges + sum(self._write(units[0]) for _ in range(-len(units) % self._filling)))

    def _until_slow(self, unit: Unit) -> float:
        """Writes until merges were done -> how many."""
        for _ in range(self._filling + 1):
            if merges := self._write(unit):
                return merges
        return 0.0

    def _write(self, unit: Unit) -> float:
        """How many merges were done while the next block was written. A fresh unit takes the place of a full one."""
        try:
            return self._merges_in(self.writer.write(unit))
        except Exhausted:
            fresh, duration_ns = self.writer.open()
            unit.blocks = fresh.blocks
            self.due += 1
            return self._merges_in(duration_ns)

    def _merges_in(self, duration_ns: int) -> float:
        slow = self.writer.is_slow(duration_ns)
        return (duration_ns - self.writer.fast_ns) / self.merge_ns if slow else 0.0


def _enough(count: int) -> int:
    """How often to look: where chance closes units, just the oldest of a few are closed now and then."""
    return 3 if count <= 1 else 2 if count < _MANY else 1
