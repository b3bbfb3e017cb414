"""Count the allocation units that can be written in turn before every write takes a merge.

Fresh units are opened until each takes long: now the card's table of open units is full, and contains the newest.
Writing in turn to a few of these is fast; then one more is opened, and one more, until a round is slow. A round without
a slow write proves that all its units are open, since a stall can only make a fast write look slow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from cardbench.geometry.buffered import LARGEST_BUFFER_BYTES, find_buffered
from cardbench.geometry.estimate import (
    Finding,
    SideMeasurement,
    abstain,
    conclude,
    conclude_no_limit,
    conclude_none,
    describe_writes,
    limit_certainty,
)
from cardbench.geometry.probe import GivenUp, Probe
from cardbench.geometry.units import BLOCK_BYTES, Exhausted, Unit, Writer
from cardbench.sizes import SECOND_NS

MOST_UNITS, _MOST_UNORDERED = 96, 64
_FIRST_UNITS = 4
_MANY = 8  # units; opening as many again would take seconds, so the open ones are counted instead
_CLEAR_CHOICE = 450  # combinations of closed units that chance could have produced instead
_MOST_LOOKS = 2
_MOST_STALLS = 3  # slow writes among all opened units that may be stalls
_ERRATIC_MISSES = 2
# Chance does not close all of a few units this many times in a row, nor all of four units twice.
_BY_CHANCE = 4
_MOST_ROUNDS = 8  # before slow units are replaced
# This many units that were slow one after the other, in successive rounds, were not closed by chance.
_IN_TURN = 3
_FIRST_FEW = frozenset(range(4))  # nor were these, if slow in one round
_ALIKE = 1.5  # largest ratio of two durations that may both be merges, and not a stall and a postponed merge
_UNCLEAR = replace(
    abstain("Some writes are slow, but not in a pattern that shows open units."), postponed=True
)
_LOG_ODDS = 4.6  # of an answer n: a round of n units was fast, and n + 1 were slow
_LOG_ODDS_BY_CHANCE = 2.9  # if chance may have closed one of the n + 1: 5 of 90 such answers were wrong


def find_open_aus(
    probe: Probe,
    order: str,
    *,
    erase_block_bytes: int | None,
    page_bytes: int | None,
    before: Finding | None = None,
) -> Finding:
    """Find how many open units stay fast.

    `none_found` if not even one does, `no_limit_found` if all that were tried do. `before`: the finding for writes in
    order. With as many units the card's table is full, each further unit is slow, and more cannot stay fast in any
    other order.
    """
    block_bytes = max(BLOCK_BYTES, 2 * (page_bytes or 0))
    before = before or Finding(None, "")
    writer = Writer(probe, erase_block_bytes, order, block_bytes)
    search = _Search(writer, before.value, before.postponed, before.by_chance)
    try:
        finding = replace(search.run(), by_chance=search.is_erratic)
        return (
            _limit_by_order(finding, before) if finding.value and finding.value == before.value else finding
        )
    except GivenUp as reason:
        tried = f" Tried: {', '.join(map(str, sorted(search.rates)))}." if search.rates else ""
        return abstain(f"{reason}{tried}", code=reason.code)


def _limit_by_order(finding: Finding, before: Finding) -> Finding:
    # The count is that of writes in order, and only the search in order has shown that more units do not stay fast.
    return limit_certainty(
        finding,
        before.log_odds or 0.0,
        "Only sequential writes have shown that more units do not stay fast, so this limit is less certain.",
    )


@dataclass
class _Search:
    """A search for the number of open units; `rates` has the speed of each round in bytes/s, by the number of units."""

    writer: Writer
    in_order: int | None
    postponed: bool = False
    looks: int = 0  # number of searches for postponed merges that found none
    # The card seems to close units at random; then slow writes, even some in a row, may be bad luck.
    is_erratic: bool = False
    rates: dict[int, list[float]] = field(default_factory=dict)

    def run(self) -> Finding:
        self.writer.calibrate()
        if self.postponed:
            return (find_buffered(self.writer, self.in_order) if self.in_order else None) or _UNCLEAR
        first, first_ns = self.writer.open()
        if self.writer.order == "random" and self._is_slow_alone(first):
            return conclude_none(4.0, "Even in a single unit, almost every random write is slow.")
        return self._count_fast([first]) if self.in_order else self._find_limit([first], [first_ns])

    def _find_limit(self, opened: list[Unit], times: list[int]) -> Finding:
        how = self._open_until_slow(opened, times)
        while how == "postponed":
            finding = find_buffered(self.writer) if self.looks < _MOST_LOOKS else _UNCLEAR
            if finding:
                return finding
            opened, self.looks = [], self.looks + 1
            how = self._open_until_slow(opened, [])
        if how == "unlimited":
            return conclude_no_limit(
                4.0,
                f"{len(opened)} units were opened, and at most {_MOST_STALLS} of them were slow to open.",
            )
        return self._count_fast(opened if len(opened) >= _MANY else opened[-_FIRST_UNITS:])

    def _is_slow_alone(self, unit: Unit) -> bool:
        return sum(self.writer.is_slow(self.writer.write(unit)) for _ in range(5)) >= 4

    def _open_until_slow(self, opened: list[Unit], times: list[int]) -> str:
        # Returns "thrashing", "postponed" or "unlimited".
        slow = [self.writer.is_slow(duration_ns) for duration_ns in times]
        most = MOST_UNITS if self.writer.order == "sequential" else _MOST_UNORDERED
        while len(slow) < most:
            unit, duration_ns = self.writer.open()
            opened.append(unit)
            times.append(duration_ns)
            slow.append(self.writer.is_slow(duration_ns))
            if sum(slow[-4:]) >= 3 or (all(slow[-2:]) and max(times[-2:]) < _ALIKE * min(times[-2:])):
                self.writer.learn_merge(times[-2:] if all(slow[-2:]) else times[-4:])
                return "postponed" if self._is_late(unit, 2 * self.writer.block_bytes) else "thrashing"
            if slow[-2:] == [True, False] and (self.looks < _MOST_LOOKS or sum(slow[-24:]) >= 3):
                return "postponed"
            if slow == [False] * _MANY and self._is_late(unit, LARGEST_BUFFER_BYTES):
                return "postponed"
        is_late = self._is_late(unit, 5 * LARGEST_BUFFER_BYTES // 4 - most * self.writer.block_bytes)
        return "postponed" if is_late or sum(slow) > _MOST_STALLS else "unlimited"

    def _is_late(self, unit: Unit, written_bytes: int) -> bool:
        # Whether any write of this many bytes to an open unit is slow, because of postponed merges of others.
        blocks = written_bytes // self.writer.block_bytes if self.looks < _MOST_LOOKS else 0
        return any(self.writer.is_slow(self.writer.write_on(unit)) for _ in range(blocks))

    def _count_fast(self, units: list[Unit]) -> Finding:
        # Adds one unit at a time, then several, and keeps the newest. A small set that is slow from the start
        # may have been closed by chance; only a slow set of one unit more than a fast one is conclusive.
        most = self.in_order or MOST_UNITS
        good, bad, grown = 0, MOST_UNITS + 1, False
        while good < most:
            newest, is_clear = (
                self._count_newest_open(units) if len(units) > good + 1 else (len(units), False)
            )
            if is_clear and 0 < good <= newest:
                good, bad = newest, newest + 1
                break
            if newest == len(units) and (
                self._stays_fast(units)
                or (self._may_be_out_of_order() and self._stays_fast(self._renew(units), renew=True))
            ):
                good, grown = len(units), True
                bad = bad if bad > good else MOST_UNITS + 1
                units += self._open_units(min(self._next_count(good, bad), most) - good)
                continue
            good, bad = max(newest % len(units), good if good < len(units) else 0), len(units)
            if bad - good == 1 and (grown or bad == 1):
                break
            units, grown = self._open_units(max(1, good or bad // 2)), False
        return self._make_finding(good, bad, most)

    def _make_finding(self, good: int, bad: int, most: int) -> Finding:
        if good == MOST_UNITS:
            return conclude_no_limit(
                _LOG_ODDS, f"{MOST_UNITS} units stay fast when they are written in turn."
            )
        if good == 0:
            return conclude_none(_LOG_ODDS, "Not even a single unit stays fast.", self._evidence())
        more = f"{bad} do not" if good < most else "more do not, even when they are written sequentially"
        words = f"Written in turn, {good} stay{'s' if good == 1 else ''} fast, and {more}."
        return conclude(good, _LOG_ODDS_BY_CHANCE if self.is_erratic else _LOG_ODDS, words, self._evidence())

    def _count_newest_open(self, units: list[Unit]) -> tuple[int, bool]:
        """Return how many of the newest units are open, and whether all older units are clearly closed.

        They are written from the newest to the oldest: then a closed unit that is opened again closes only units that
        were written before. The first value is the number of all units if this cannot tell, because chance closes
        units, for instance.
        """
        if len(units) < _MANY or self.is_erratic:
            return len(units), False
        times, slow = list[int](), list[bool]()
        while len(slow) < len(units) and slow[-4:] != [True] * 4:
            try:
                times.append(self.writer.write(units[-1 - len(slow)]))
            except Exhausted:
                return len(units), False
            slow.append(self.writer.is_slow(times[-1]))
        if not slow[-1] or sum(slow) == 1:
            return len(units), False  # the oldest may be open: the slow write was a stall, or chance decides
        newest, closed = slow.index(True), sum(slow)
        is_clear = all(slow[newest:]) and math.comb(len(slow), closed) >= _CLEAR_CHOICE
        if is_clear:
            self._record_rate(newest, times[:newest])
            self._record_rate(newest + 1, times[newest:])
        return newest, is_clear

    def _record_rate(self, count: int, times_ns: list[int]) -> None:
        rate = len(times_ns) * self.writer.block_bytes * SECOND_NS / max(1, sum(times_ns))
        self.rates.setdefault(count, []).append(rate)

    def _may_be_out_of_order(self) -> bool:
        # A unit that was closed at random is out of order when it is opened again, so fewer units stay fast.
        return self.is_erratic and self.writer.order == "sequential"

    def _renew(self, units: list[Unit]) -> list[Unit]:
        # If the card closes units at random, a new set may succeed where the old one had bad luck.
        units[:] = self._open_units(len(units))
        return units

    def _next_count(self, good: int, bad: int) -> int:
        # Trying too many units costs a whole new set, even more if chance decides; after a slow set, only one is added.
        return good + 1 if self.is_erratic or bad <= MOST_UNITS else min(good + _step(good), MOST_UNITS)

    def _open_units(self, count: int) -> list[Unit]:
        return [self.writer.open()[0] for _ in range(count)]

    def _stays_fast(self, units: list[Unit], *, renew: bool = False) -> bool:
        # True if a round over all units is fast. If the card closes the oldest unit, units are closed in turn from the
        # first one on. If it closes units at random, each round is another chance that all are open at once. `renew`:
        # the units are fresh, in place of others.
        # Numbers of the slow units in each round, since units were replaced.
        rounds: list[frozenset[int]] = []
        misses, in_turn = 0, list[int]()
        while misses <= self._most_misses(len(units), renew=renew):
            try:
                rounds.append(self._write_round(units))
            except Exhausted:
                units[:] = self._open_units(len(units))
                continue
            misses += len(rounds[-1])
            if not rounds[-1]:
                self.is_erratic |= misses >= _ERRATIC_MISSES
                return True
            times = _BY_CHANCE if self.is_erratic else max(1, _BY_CHANCE + 1 - len(units))
            if _are_all_slow(rounds, len(units), times=times) or (times == 1 and rounds[-1] == _FIRST_FEW):
                return False
            if self.is_erratic and not renew:
                continue
            are_oldest_slow = _are_oldest_slow(rounds)
            if are_oldest_slow or _is_stuck(rounds, 2 if self.is_erratic else 3):
                in_turn = [*in_turn, len(rounds[-1])] if are_oldest_slow else []
                if len(in_turn) > 1 and sum(in_turn) >= _IN_TURN:
                    return False
                self.is_erratic |= not in_turn
                units[:] = self._replace_closed(units, frozenset.union(*rounds))
                rounds.clear()
        return False

    def _most_misses(self, count: int, *, renew: bool) -> int:
        # If chance closes units and `count` can be open, one miss in `count` restores all; fresh units need fewer.
        each = 4 if not self.is_erratic else 8 if renew else 6
        return each * count + 8

    def _replace_closed(self, units: list[Unit], closed: frozenset[int]) -> list[Unit]:
        kept = [unit for number, unit in enumerate(units) if number not in closed]
        return kept + self._open_units(len(closed))

    def _write_round(self, units: list[Unit]) -> frozenset[int]:
        """Write a block to each unit; return the numbers of the slow units, early if the first few are slow.

        Raises Exhausted.
        """
        slow: set[int] = set()
        times: list[int] = []
        for number, unit in enumerate(units):
            times.append(self.writer.write(unit))
            slow |= {number} if self.writer.is_slow(times[-1]) else set()
            if slow == _FIRST_FEW and not self.is_erratic:
                break
        self._record_rate(len(units), times)
        return frozenset(slow)

    def _evidence(self) -> tuple[SideMeasurement, ...]:
        shared = describe_writes(self.writer.order, self.writer.block_bytes)
        return tuple(
            SideMeasurement("open-au", shared | {"open_au": units}, tuple(rates), units)
            for units, rates in sorted(self.rates.items())
        )


def _step(count: int) -> int:
    # From many units on, enough are added that the closed ones among them are clear.
    return 1 if count < _MANY else max(5, count // 3)


def _are_all_slow(rounds: list[frozenset[int]], count: int, *, times: int) -> bool:
    # With few units, or if chance decides, a single slow round is no proof.
    return len(rounds) >= times and all(len(slow) == count for slow in rounds[-times:])


def _is_stuck(rounds: list[frozenset[int]], times: int) -> bool:
    # True if the same units are slow several times, or different ones for too many rounds.
    return rounds[-times:] == [rounds[-1]] * times or len(rounds) == _MOST_ROUNDS


def _are_oldest_slow(rounds: list[frozenset[int]]) -> bool:
    # True if only the oldest units were slow, twice the same ones.
    return rounds == [frozenset(range(len(rounds[0])))] * 2
