"""Cards with a buffer that postpones merges: only the mean over more than a buffer's length tells fast from slow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle

from cardbench.geometry.estimate import Finding, abstained, found, no_limit_found, none_found
from cardbench.geometry.units import BLOCK_BYTES, Exhausted, Unit, Writer
from cardbench.sizes import KIB, MIB, SECOND_NS, binary

# Larger blocks, where units have room for so many: fewer merges. And so many fill the buffer: with more units in turn
# than that, larger blocks only write more.
_STEPS_BYTES, _ROOM, _FEWEST_TO_FILL = (256 * KIB, 128 * KIB), 8, 4
_LARGEST_BUFFER_BYTES = 4 * MIB
_A_LITTLE_NS = 8 * SECOND_NS // 1000  # in the mean of all writes
_MOST_UNITS = 64
_STALLS = 4  # with three gaps between them
_NEARLY_ALL, _LARGE_SHARE, _SAME_SHARE = 0.85, 0.6, 0.02  # of the writes
_COLLAPSED, _REGULAR = 4.0, 2.2  # log odds; of 5 cards of the latter kind 2 close units by chance
_ROUNDS_BYTES = 3 * MIB  # at most, to compare parts of the writes: units that are kept make a part fast
_STALL = 0.3  # of the merges that are due: what is so much quicker is none of them
_MOST_DUE = 3  # merges: what more of them take is not known well enough to be left out
_ONE_A_ROUND = 0.5  # merges: less than that is none
_NO_STALL = 3  # merges: no stall takes as long


def find_buffered(writer: Writer, in_order: int | None = None) -> Finding:
    """How many units stay fast in the mean, by doubling and bisection; `in_order`: the most, as found in order."""
    return replace(_find(writer, in_order), postponed=True)


def _find(writer: Writer, in_order: int | None) -> Finding:
    probe = writer.probe
    probe.merge_buffer = probe.merge_buffer or _buffer(_in_larger_blocks(writer, _LARGEST_BUFFER_BYTES))
    if probe.merge_buffer is None:
        return abstained("Now and then a write is slow, but not in a way that tells of open units.")
    buffer = _Buffer(*probe.merge_buffer)
    writer = _in_larger_blocks(writer, buffer.size_bytes)
    words = f"In the mean, for merges wait in a buffer of about {binary(buffer.size_bytes)}: "
    search = _Search(writer, buffer)
    units = search.largest_fast(in_order)
    if units is None:
        return no_limit_found(3.0, words + f"{_MOST_UNITS} stay fast.")
    sure = _COLLAPSED if units == in_order else search.collapses(units + 1)
    if not sure:
        return abstained(words + f"{units} stay fast, and {units + 1} become slow now and then.")
    if units == 0:
        return none_found(3.0, words + "not even one stays fast.")
    more = "more do not even in order" if units == in_order else f"{units + 1} do not"
    return found(units, sure, words + f"{units} stay fast, and {more}.")


def _in_larger_blocks(writer: Writer, buffer_bytes: int) -> Writer:
    """One that knows what is fast, and whose blocks are as large as units and a buffer of this size allow."""
    most_bytes = min((writer.rounds + 1) * writer.block_bytes // _ROOM, buffer_bytes // _FEWEST_TO_FILL)
    block_bytes = max(
        next((size for size in _STEPS_BYTES if size <= most_bytes), BLOCK_BYTES), writer.block_bytes
    )
    larger = Writer(writer.probe, writer.erase_block_bytes, writer.order, block_bytes)
    larger.calibrate()
    return larger


@dataclass(frozen=True)
class _Buffer:
    """How much is written before merges are done, and how long one takes."""

    size_bytes: int
    merge_ns: float


def _buffer(writer: Writer) -> tuple[int, float] | None:
    """Bytes between the stalls while fresh units are opened all the time, and ns of each merge."""
    stalls: list[int] = []
    times: list[int] = []
    while len(stalls) < _STALLS and len(times) < _STALLS * _LARGEST_BUFFER_BYTES // writer.block_bytes:
        times.append(writer.open()[1])
        if writer.is_slow(times[-1]):
            stalls.append(len(times))
    if len(stalls) < _STALLS:
        return None
    gaps = sorted(after - before for before, after in zip(stalls, stalls[1:]))
    merges_ns = sum(times[stalls[0] :]) / (len(times) - stalls[0]) - writer.fast_ns
    return gaps[_STALLS // 2 - 1] * writer.block_bytes, merges_ns


@dataclass
class _Search:
    """Looks at more and more units; those that are open and were never closed are kept for the next look."""

    writer: Writer
    buffer: _Buffer
    units: list[Unit] = field(default_factory=list)
    is_clear: bool = False  # no merges are due: none were left, or they have just been done
    too_slow: dict[int, float] = field(
        default_factory=dict
    )  # so many units -> part of the writes that cost a merge

    def largest_fast(self, in_order: int | None) -> int | None:
        """0 when not even one unit stays fast, None when all do."""
        if in_order and self.stays_fast(in_order):
            return in_order
        fast, slow = (1 if self.writer.order == "sequential" and not in_order else 0), in_order
        count = fast
        while slow is None or slow - fast > 1:
            count = _next(fast, slow, count)
            if self.stays_fast(count):
                fast = count
            else:
                slow = count
            if fast >= _MOST_UNITS:
                return None
        return fast

    def collapses(self, count: int) -> float:
        """Log odds that so many are too many: 0 where chance may have closed a unit.

        A large part of the writes cost a merge, or, of writes in order, twice the same part of them, which chance does
        now and then, too. What is met once may be a stall.
        """
        seen = self.too_slow.get(count, 0.0)
        shares, self.units = [seen] if seen > _NEARLY_ALL else [], []
        while len(shares) < 2 or (len(shares) < 3 and min(shares) < _NEARLY_ALL):
            shares.append(self._excess_ns(count) / self.buffer.merge_ns)
            self.units = []
        least, next_least = sorted(shares)[:2]
        is_regular = self.writer.order == "sequential" and next_least - least < _SAME_SHARE
        if least > _LARGE_SHARE:
            return _COLLAPSED
        return _REGULAR if is_regular and least > _ONE_A_ROUND / count else 0.0

    def stays_fast(self, count: int) -> bool:
        """Whether not even one merge is done in each round; looked at again, if a stall may have spoiled it.

        Writes may be a little slower than before for another reason: then as many are written into half the units.
        """
        limit_ns = _ONE_A_ROUND * self.buffer.merge_ns / count
        for _ in range(2):
            excess_ns = self._excess_ns(count, enough_ns=_NO_STALL * self.buffer.merge_ns)
            if excess_ns < limit_ns:
                return True
            if excess_ns < _A_LITTLE_NS:
                return excess_ns - self._excess_ns(max(1, count // 2)) < limit_ns
            self.units = []
            if excess_ns == math.inf:
                return False
        return False

    def _excess_ns(self, count: int, *, enough_ns: float = math.inf) -> float:
        """By how much a write in turn takes longer than a fast one, in the mean of so many as fill the buffer.

        Before them comes as much as clears what opening the units has left, which tells, too, where it is known and was
        a whole round. Infinite as soon as all together is enough.
        """
        units, due = self._opened(count)
        turn = cycle(range(count))
        total_ns, written = self._cleared(units, turn, due)
        if written < max(count, 2) or due > _MOST_DUE or not self.is_clear or enough_ns == math.inf:
            total_ns, written = 0.0, 0
        length = written or self._length(count, in_rounds=enough_ns == math.inf)
        while written < length and total_ns <= enough_ns:
            duration_ns, is_fresh = self._write(units, next(turn))
            total_ns += duration_ns - self.writer.fast_ns - is_fresh * self.buffer.merge_ns
            written += 1
        self.is_clear = not _ONE_A_ROUND * self.buffer.merge_ns < total_ns <= enough_ns
        if total_ns > enough_ns:
            self.too_slow[count] = total_ns / written / self.buffer.merge_ns
            return math.inf
        self.units = units
        return total_ns / written

    def _opened(self, count: int) -> tuple[list[Unit], int]:
        """So many open units, those that were kept first, and how many merges the others have left to be done."""
        kept, self.units = self.units if len(self.units) <= count else [], []
        opened = [self.writer.open() for _ in range(count - len(kept))]
        slow = [
            number for number, (_, duration_ns) in enumerate(opened, 1) if self.writer.is_slow(duration_ns)
        ]
        return [*kept, *(unit for unit, _ in opened)], len(opened) - max(slow, default=0)

    def _cleared(self, units: list[Unit], turn: Iterator[int], due: int) -> tuple[float, int]:
        """Writes until merges were done, or none are due -> ns that was longer than with only these, and how many."""
        for written in range(1, self._filling + 2):
            duration_ns, is_fresh = self._write(units, next(turn))
            due += is_fresh
            excess_ns = duration_ns - self.writer.fast_ns - due * self.buffer.merge_ns
            if self.writer.is_slow(duration_ns) and excess_ns > -_STALL * self.buffer.merge_ns * due:
                return excess_ns, written
        return 0.0, written

    def _length(self, count: int, *, in_rounds: bool) -> int:
        """How many writes tell: as many as fill the buffer, and each unit gets one; or whole rounds, if that is few."""
        rounds = math.lcm(self._filling, count)
        if in_rounds and rounds * self.writer.block_bytes <= _ROUNDS_BYTES:
            return rounds
        return self._filling * math.ceil(max(count, 2) / self._filling)

    def _write(self, units: list[Unit], number: int) -> tuple[int, bool]:
        """Time of the next block of a unit, and whether that opens a fresh one in its place, which costs a merge."""
        try:
            return self.writer.write(units[number]), False
        except Exhausted:
            units[number], duration_ns = self.writer.open()
            return duration_ns, True

    @property
    def _filling(self) -> int:
        """How many blocks fill the buffer."""
        return max(1, round(self.buffer.size_bytes / self.writer.block_bytes))


def _next(fast: int, slow: int | None, count: int) -> int:
    """A few more, which costs little as long as they stay fast; then between what does and what does not."""
    return (fast + slow) // 2 if slow else max(fast, count) + 1 + max(fast, count) // 3
