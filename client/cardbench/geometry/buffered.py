"""Count the open units of cards with a buffer that postpones merges, by the count that explains the merge times best.

On these cards no single write shows which unit is open. So a few units are written, then blocks that need no merge,
until no merge is due any more. The extra time tells the number of merges, and each count of open units predicts a
different number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from cardbench.geometry.decide import NO_MERGE, Counts
from cardbench.geometry.estimate import Finding, abstain, conclude, conclude_none
from cardbench.geometry.probe import Budget, BudgetSpent, Buffer, GivenUp
from cardbench.geometry.units import MERGE_NS, Unit, Writer
from cardbench.sizes import KIB, MIB, binary

_BLOCK_BYTES = 128 * KIB  # large, so that few writes fill the buffer and few of them meet a stall
LARGEST_BUFFER_BYTES = 4 * MIB
# Fillings of the buffer; units opened at a time; blocks without a merge.
_FILLINGS, _OPENED_EACH, _CALM = 4, 2, 3
_BUDGETS = {"sequential": Budget(20, 150 * MIB), "random": Budget(16, 100 * MIB)}
_MOST_UNITS = 64
_FEW = 4  # units that are written before merges are counted
_OVERFLOW = 4  # merges beyond those that were due: this many mean that every write causes a merge
# At which the search ends; the least for an answer when the budget is spent.
_LOG_ODDS, _LEAST_LOG_ODDS = 4.6, 3.0
# Log likelihood that the card closes units at random: unknown in order, and denied by then in random order.
_BY_CHANCE = {"sequential": -0.5, "random": -5.0}


def find_buffered(writer: Writer, in_order: int | None = None) -> Finding | None:
    """Find how many units a card with postponed merges keeps open; return None if the card postpones no merges.

    `in_order`: the count found for writes in order, which is the most possible; None if it is not known.
    """
    try:
        with writer.probe.limit_part(_BUDGETS[writer.order]):
            finding = _find(writer, in_order)
    except GivenUp as reason:
        finding = abstain(f"This card postpones merges. {reason}", code=reason.code)
    return finding and replace(finding, postponed=True)


def _find(writer: Writer, in_order: int | None) -> Finding | None:
    probe, block_bytes = writer.probe, max(_BLOCK_BYTES, writer.block_bytes)
    fast_ns = writer.fast_ns * block_bytes / writer.block_bytes
    writer = Writer(probe, writer.erase_block_bytes, writer.order, block_bytes, fast_ns)
    units = list[Unit]()
    probe.buffer = probe.buffer or _measure_buffer(writer, units)
    if probe.buffer is None:
        return None
    probe.merge_ns = probe.buffer.merge_ns
    most = in_order or _MOST_UNITS
    search = _Search(
        writer, probe.buffer, [probe.buffer.merge_ns], Counts.all_alike(most, _BY_CHANCE[writer.order])
    )
    words = f"Counted by the merges, which a buffer postpones for up to {binary(probe.buffer.calm_bytes)}: "
    if writer.order == "random" and search.is_slow_alone():
        return conclude_none(_LOG_ODDS, words + "not even one unit stays open.")
    try:
        search.run(units or search.open_units(min(_FEW, most)))
    except BudgetSpent:
        if search.counts.log_odds < _LEAST_LOG_ODDS:
            raise
    count, odds = search.counts.best, min(_LOG_ODDS, search.counts.log_odds)
    if count == 0:
        return abstain(f"{words}no number of open units explains these merges.")
    if count < most:
        return conclude(count, odds, f"{words}the newest {_describe_units(count)} open, but no older ones.")
    if in_order:
        return conclude(
            count,
            odds,
            f"{words}{_describe_units(count)} open, and no more than that even in sequential writes.",
        )
    return abstain(f"{words}{_describe_units(count)} open, perhaps more.")


def _describe_units(count: int) -> str:
    return "unit stays" if count == 1 else f"{count} units stay"


def _measure_buffer(writer: Writer, units: list[Unit]) -> Buffer | None:
    # Opens units until the delay of their merges was observed several times. None if no merge is postponed.
    delays, merges_ns = list[int](), list[float]()
    for _ in range(_FILLINGS):
        times_ns = [_open(writer, units) for _ in range(_OPENED_EACH)]
        while not any(slow := [writer.is_slow(time_ns) for time_ns in times_ns]) or any(slow[-_CALM:]):
            if len(times_ns) * writer.block_bytes > 1.5 * LARGEST_BUFFER_BYTES:
                if 2 * sum(slow) > len(slow):
                    raise GivenUp("The merges follow each other without a pause.")
                return None
            times_ns.append(writer.write_on(units[-1]))
        delays.append(len(times_ns))
        merges_ns.append(sum(time_ns - writer.fast_ns for time_ns in times_ns if writer.is_slow(time_ns)))
    merge_ns = median(merges_ns[1:]) / _OPENED_EACH
    if merge_ns < MERGE_NS:
        return None  # only stalls
    _, *delays = delays
    calm = max(delays) + 2 * (max(delays) - int(median(delays))) + 2
    more = [writer.is_slow(writer.write_on(units[-1])) for _ in range(calm)]
    few = calm if any(more) else _CALM
    return Buffer(calm * writer.block_bytes, few * writer.block_bytes, merge_ns)


def _open(writer: Writer, units: list[Unit]) -> int:
    unit, duration_ns = writer.open()
    units.append(unit)
    return duration_ns


@dataclass
class _Search:
    """A search for the number of open units: write to units, and weigh each possible count by the merges observed."""

    writer: Writer
    buffer: Buffer
    merges_ns: list[float]  # average per merge, whenever the number of merges was known
    counts: Counts

    def is_slow_alone(self) -> bool:
        """Return whether every further write into a single unit takes a merge."""
        unit, duration_ns = self.writer.open()
        self._count_merges([duration_ns], unit)
        return self._count_merges([], unit) > _OVERFLOW - 1

    def run(self, units: list[Unit]) -> None:
        """Open units until the oldest is closed, find the other closed units, and verify the count until it is sure.

        As long as the oldest is open, the others are always written in the same order. Then the order of opening and
        that of the last write agree, so that both kinds of cards close the oldest units first.
        """
        known = 0
        while self._is_open(units, 1) and len(units) < self.counts.most:
            self._write_all(units[1:])
            known = len(units)
            units += self.open_units(min(1 + known // 2, self.counts.most - known))
        self._count_closed(units, known)
        while self.counts.log_odds < _LOG_ODDS:
            self._verify_count()

    def _count_closed(self, units: Sequence[Unit], known: int) -> None:
        # A few units are written at a time, from the newest to the oldest: each closed unit takes a merge. Then a fresh
        # unit is written until no merge is due. It takes one merge, too, and leaves room for one unit less, as does the
        # oldest unit, which was written before.
        order, merges = units[:0:-1], 0.0
        for opened, start in enumerate(range(max(0, known - 1), len(order), _FEW), 1):
            if merges > NO_MERGE:
                return
            part = order[start : start + _FEW]
            times_ns = self._write_all(part)
            unit, duration_ns = self.writer.open()
            merges = self._count_merges([*times_ns, duration_ns], unit) - 1
            closed = [max(0, start + len(part) - max(start, count - opened)) for count in self.counts]
            self.counts = self.counts.weigh_merges(merges, [(number, number) for number in closed], len(part))

    def _verify_count(self) -> None:
        # One unit more than the count is opened. Writing to it takes a merge, and writing to the oldest others none.
        units = self.open_units(self.counts.best_but_chance + 1)
        are_open = units[1:]
        while self._is_open(are_open, _FEW) and len(are_open) < self.counts.most:
            self._write_all(are_open[_FEW:])
            units += self.open_units(1) if len(are_open) == len(units) else []
            are_open = units

    def _is_open(self, units: Sequence[Unit], written: int) -> bool:
        # If all these units are open, writing to the oldest of them takes no merge; otherwise it takes one or several.
        times_ns = self._write_all(units[:written])
        merges = self._count_merges(times_ns, units[-1])
        expected = [(0, 0) if count >= len(units) else (1, written + _OVERFLOW) for count in self.counts]
        self.counts = self.counts.weigh_merges(merges, expected, len(times_ns))
        return merges < NO_MERGE

    def open_units(self, count: int) -> list[Unit]:
        """Open fresh units, and write until none of the merges that this causes is still due."""
        opened = [self.writer.open() for _ in range(count)]
        units = [unit for unit, _ in opened]
        merges = self._count_merges([duration_ns for _, duration_ns in opened], units[-1])
        if merges > NO_MERGE:
            self.merges_ns.append(self._merge_ns * merges / count)
        else:  # no unit had to be closed for the new ones
            self.counts = self.counts.weigh_merges(merges, [(count, count)] * self.counts.most, 1)
        return units

    def _write_all(self, units: Sequence[Unit]) -> list[int]:
        return [self.writer.write_on(unit) for unit in units]

    @property
    def _merge_ns(self) -> float:
        return median(self.merges_ns[-3:])

    def _count_merges(self, times_ns: Sequence[int], unit: Unit) -> float:
        # The unit is written until no merge is due, so that postponed merges are counted, too.
        due_ns = sum(map(self._waited_ns, times_ns))
        most_ns = (len(times_ns) + _OVERFLOW) * self._merge_ns
        calm_bytes, enough_bytes = 0, self.buffer.calm_bytes
        while calm_bytes < enough_bytes and due_ns < most_ns:
            waited_ns = self._waited_ns(self.writer.write_on(unit))
            due_ns += waited_ns
            calm_bytes += self.writer.block_bytes
            if waited_ns:
                calm_bytes, enough_bytes = 0, self.buffer.calm_after_merges_bytes
        return due_ns / self._merge_ns

    def _waited_ns(self, duration_ns: int) -> float:
        return duration_ns - self.writer.fast_ns if self.writer.is_slow(duration_ns) else 0.0
