"""Cards with a buffer that postpones merges: only the mean over more than a buffer's length tells fast from slow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import cycle

from cardbench.geometry.estimate import Finding, abstained, found, no_limit_found, none_found
from cardbench.geometry.units import BLOCK_BYTES, Exhausted, Unit, Writer
from cardbench.sizes import KIB, MIB, SECOND_NS, binary

_STEPS_BYTES, _ROOM = (
    (256 * KIB, 128 * KIB),
    8,
)  # larger blocks where units have room for so many: fewer merges
_LARGEST_BUFFER_BYTES = 4 * MIB
_A_LITTLE_NS = 8 * SECOND_NS // 1000  # in the mean of all writes
_MOST_UNITS = 64
_STALLS = 4  # with three gaps between them
_NEARLY_ALL, _LARGE_SHARE, _SAME_SHARE = 0.85, 0.6, 0.02  # of the writes
_COLLAPSED, _REGULAR = 4.0, 2.2  # log odds; of 5 cards of the latter kind 2 close units by chance
_ONE_A_ROUND = 0.5  # merges: less than that is none
_NO_STALL = 3  # merges: no stall takes as long


def find_buffered(writer: Writer, in_order: int | None = None) -> Finding:
    """How many units stay fast in the mean, by doubling and bisection; `in_order`: the most, as found in order."""
    return replace(_find(writer, in_order), postponed=True)


def _find(writer: Writer, in_order: int | None) -> Finding:
    room_bytes = (writer.rounds + 1) * writer.block_bytes
    roomy = (size for size in _STEPS_BYTES if room_bytes >= _ROOM * size)
    block_bytes = max(next(roomy, BLOCK_BYTES), writer.block_bytes)
    writer = Writer(writer.probe, writer.erase_block_bytes, writer.order, block_bytes)
    writer.calibrate()
    writer.probe.merge_buffer = writer.probe.merge_buffer or _buffer(writer)
    if writer.probe.merge_buffer is None:
        return abstained("Now and then a write is slow, but not in a way that tells of open units.")
    buffer = _Buffer(*writer.probe.merge_buffer)
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
        shares: list[float] = []
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

        Before them comes as much as clears what opening the units has left: until merges were done, or none are due.
        Infinite as soon as all together is enough.
        """
        kept, self.units = self.units if len(self.units) <= count else [], []
        units = [*kept, *(self.writer.open()[0] for _ in range(count - len(kept)))]
        turn = cycle(range(count))
        for _ in range(self._filling + 1):
            if self.writer.is_slow(self._write(units, next(turn))[0]):
                break
        total_ns, length = 0.0, self._filling * math.ceil(max(count, 2) / self._filling)
        for _ in range(length):
            duration_ns, is_fresh = self._write(units, next(turn))
            total_ns += duration_ns - self.writer.fast_ns - is_fresh * self.buffer.merge_ns
            if total_ns > enough_ns:
                return math.inf
        self.units = units
        return total_ns / length

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
