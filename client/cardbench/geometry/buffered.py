"""Cards with a buffer that postpones merges: only the mean over more than a buffer's length tells fast from slow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import cycle

from cardbench.geometry.estimate import Finding, abstained, found, no_limit_found, none_found
from cardbench.geometry.units import BLOCK_BYTES, Exhausted, Writer
from cardbench.sizes import KIB, MIB, SECOND_NS, binary

_STEP_BYTES, _ROOMY_BYTES = 256 * KIB, 3 * MIB  # larger blocks where units have room for some: fewer merges
_LARGEST_BUFFER_BYTES = 4 * MIB
_A_LITTLE_NS = 8 * SECOND_NS // 1000  # in the mean of all writes
_MOST_UNITS = 64
_LARGE_SHARE, _SAME_SHARE = 0.6, 0.05  # of the writes
_ONE_A_ROUND = 0.5  # merges: less than that is none
_NO_STALL = 3  # merges: no stall takes as long


def find_buffered(writer: Writer, in_order: int | None = None) -> Finding:
    """How many units stay fast in the mean, by doubling and bisection; `in_order`: the most, as found in order."""
    return replace(_find(writer, in_order), postponed=True)


def _find(writer: Writer, in_order: int | None) -> Finding:
    block_bytes = _STEP_BYTES if writer.rounds * writer.block_bytes > _ROOMY_BYTES else BLOCK_BYTES
    block_bytes = max(block_bytes, writer.block_bytes)
    writer = Writer(writer.probe, writer.erase_block_bytes, writer.order, block_bytes)
    writer.calibrate()
    buffer = _buffer(writer)
    if buffer is None:
        return abstained("Now and then a write is slow, but not in a way that tells of open units.")
    words = f"In the mean, for merges wait in a buffer of about {binary(buffer.size_bytes)}: "
    try:
        units = _largest_fast(writer, buffer, in_order)
        if units not in (None, in_order) and not _collapses(writer, units + 1, buffer):
            return abstained(words + f"{units} stay fast, and {units + 1} become slow now and then.")
    except Exhausted:
        return abstained(words + "units are too small to see through it.")
    if units is None:
        return no_limit_found(3.0, words + f"{_MOST_UNITS} stay fast.")
    if units == 0:
        return none_found(3.0, words + "not even one stays fast.")
    more = "more do not even in order" if units == in_order else f"{units + 1} do not"
    return found(units, 4.0, words + f"{units} stay fast, and {more}.")


@dataclass(frozen=True)
class _Buffer:
    """How much is written before merges are done, and how long one takes."""

    size_bytes: int
    merge_ns: float


def _buffer(writer: Writer) -> _Buffer | None:
    """Distance and length of the stalls while fresh units are opened all the time."""
    stalls: list[int] = []
    times: list[int] = []
    while len(stalls) < 5 and len(times) < 5 * _LARGEST_BUFFER_BYTES // writer.block_bytes:
        times.append(writer.open()[1])
        if writer.is_slow(times[-1]):
            stalls.append(len(times))
    if len(stalls) < 5:
        return None
    gaps = sorted(after - before for before, after in zip(stalls, stalls[1:]))
    merges_ns = sum(times[stalls[0] :]) / (len(times) - stalls[0]) - writer.fast_ns
    return _Buffer(gaps[2] * writer.block_bytes, merges_ns)


def _largest_fast(writer: Writer, buffer: _Buffer, in_order: int | None) -> int | None:
    """0 when not even one unit stays fast, None when all do."""
    if in_order:
        return in_order if _stays_fast(writer, in_order, buffer) else _bisected(writer, 0, in_order, buffer)
    fast, slow = (1, 2) if writer.order == "sequential" else (0, 1)
    while slow < _MOST_UNITS and not _writes(writer, slow, buffer):
        slow *= 2  # few units are soon full; if more stay fast, so do they
    while _stays_fast(writer, slow, buffer):
        fast, slow = slow, 2 * slow
        if fast >= _MOST_UNITS:
            return None
    return _bisected(writer, fast, slow, buffer)


def _bisected(writer: Writer, fast: int, slow: int, buffer: _Buffer) -> int:
    """The largest number that stays fast, from one that does, or none, to one that does not."""
    while slow - fast > 1:
        middle = (fast + slow) // 2
        if _stays_fast(writer, middle, buffer):
            fast = middle
        else:
            slow = middle
    return fast


def _collapses(writer: Writer, count: int, buffer: _Buffer) -> bool:
    """Whether a large part of the writes cost a merge, or, of writes in order, the same part of them each time.

    Where chance has closed a unit, neither is so.
    """
    shares = [_excess_ns(writer, count, buffer) / buffer.merge_ns for _ in range(3)]
    is_regular = writer.order == "sequential" and max(shares) - min(shares) < _SAME_SHARE
    return min(shares) > (_ONE_A_ROUND / count if is_regular else _LARGE_SHARE)


def _stays_fast(writer: Writer, count: int, buffer: _Buffer) -> bool:
    """Whether not even one merge is done in each round; looked at again, if a stall may have spoiled it.

    Writes may be a little slower than before for another reason: then as many are written into half the units.
    """
    limit_ns = _ONE_A_ROUND * buffer.merge_ns / count
    for _ in range(2):
        excess_ns = _excess_ns(writer, count, buffer, enough_ns=_NO_STALL * buffer.merge_ns)
        if excess_ns < limit_ns:
            return True
        if excess_ns < _A_LITTLE_NS:
            return excess_ns - _excess_ns(writer, max(1, count // 2), buffer) < limit_ns
        if excess_ns == math.inf:
            return False
    return False


def _excess_ns(writer: Writer, count: int, buffer: _Buffer, *, enough_ns: float = math.inf) -> float:
    """By how much a write in turn takes longer than a fast one, in the mean of so many as fill the buffer two times.

    Before them comes as much as clears what opening the units has left. Infinite as soon as all together is enough.
    """
    writes = _writes(writer, count, buffer)
    if not writes:
        raise Exhausted
    clearing, measured = writes
    turn = cycle([writer.open()[0] for _ in range(count)])
    for _ in range(clearing):
        writer.write(next(turn))
    total_ns = 0.0
    for _ in range(measured):
        total_ns += writer.write(next(turn)) - writer.fast_ns
        if total_ns > enough_ns:
            return math.inf
    return total_ns / measured


def _writes(writer: Writer, count: int, buffer: _Buffer) -> tuple[int, int] | None:
    """How many clear the buffer, and how many are measured: whole buffers, and at least one into each unit.

    None where the units have no room for as many.
    """
    filling = max(1, round(buffer.size_bytes / writer.block_bytes))
    fewest, clearing = math.ceil(count / filling), filling + 1
    for fillings in (max(2, fewest), fewest):
        measured = filling * fillings
        if clearing + measured < count * (writer.rounds - 1):
            return clearing, measured
    return None
