"""Cards with a buffer that postpones merges: as many units stay open as explains best what the merges took.

No single write tells here which unit is open. So a few are written, then blocks that need no merge, until nothing is
due any more: what all of that took longer is a number of merges, and each candidate says which one it should be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from cardbench.geometry.decide import Counts
from cardbench.geometry.estimate import Finding, abstained, found, none_found
from cardbench.geometry.probe import Budget, Buffer, GivenUp
from cardbench.geometry.units import Unit, Writer
from cardbench.sizes import KIB, MIB, binary

_BLOCK_BYTES = 128 * KIB  # fewer of them than of smaller ones fill the buffer, so that fewer meet a stall
LARGEST_BUFFER_BYTES = 4 * MIB
_FILLINGS, _OPENED_EACH, _CALM = 4, 2, 3  # times, units, blocks
_BUDGETS = {"sequential": Budget(20, 150 * MIB), "random": Budget(16, 100 * MIB)}
_MOST_UNITS = 64
_FEW = 4  # units that are written before merges are counted
_OVERFLOW = 4  # merges more than were due: every single write takes one
_LOG_ODDS = 4.6
_BY_CHANCE = {
    "sequential": -0.5,
    "random": -5.0,
}  # log likelihood: when written in order, that was told already


def find_buffered(writer: Writer, in_order: int | None = None) -> Finding | None:
    """How many units are open at once; `in_order`: the most, as found in order. None when nothing is put off."""
    try:
        with writer.probe.within(_BUDGETS[writer.order]):
            finding = _find(writer, in_order)
    except GivenUp as reason:
        finding = abstained(f"This card puts merges off. {reason}", code=reason.code)
    return finding and replace(finding, postponed=True)


def _find(writer: Writer, in_order: int | None) -> Finding | None:
    probe, block_bytes = writer.probe, max(_BLOCK_BYTES, writer.block_bytes)
    fast_ns = writer.fast_ns * block_bytes / writer.block_bytes
    writer = Writer(probe, writer.erase_block_bytes, writer.order, block_bytes, fast_ns)
    units = list[Unit]()
    probe.buffer = probe.buffer or _measure_buffer(writer, units)
    if probe.buffer is None:
        return None
    search = _Search(writer, probe.buffer, [probe.buffer.merge_ns])
    words = f"Told by merges, which a buffer puts off for up to {binary(probe.buffer.calm_bytes)}: "
    if writer.order == "random" and search.is_slow_alone():
        return none_found(_LOG_ODDS, words + "not even one unit stays open.")
    most = in_order or _MOST_UNITS
    units = units or search.opened(min(_FEW, most))
    counts = search.counted(Counts.up_to(most, _BY_CHANCE[writer.order]), units)
    count, odds = counts.best, min(_LOG_ODDS, counts.log_odds)
    if count == 0:
        return abstained(f"{words}which units are closed is left to chance.")
    if count < most:
        return found(count, odds, f"{words}the newest {_units(count)} open, and no older one.")
    if in_order:
        return found(count, odds, f"{words}{_units(count)} open, and no more even in order.")
    return abstained(f"{words}{_units(count)} open, and perhaps more.")


def _units(count: int) -> str:
    return "unit stays" if count == 1 else f"{count} units stay"


def _measure_buffer(writer: Writer, units: list[Unit]) -> Buffer | None:
    """Opens units until it has seen several times when their merges are done; None when none wait."""
    delays, merges_ns = list[int](), list[float]()
    for _ in range(_FILLINGS):
        times_ns = [_open(writer, units) for _ in range(_OPENED_EACH)]
        while not any(slow := [writer.is_slow(time_ns) for time_ns in times_ns]) or any(slow[-_CALM:]):
            if len(times_ns) * writer.block_bytes > 1.5 * LARGEST_BUFFER_BYTES:
                if 2 * sum(slow) > len(slow):
                    raise GivenUp("It does so one after the other, for long.")
                return None
            times_ns.append(writer.write_on(units[-1]))
        delays.append(len(times_ns))
        merges_ns.append(sum(time_ns - writer.fast_ns for time_ns in times_ns if writer.is_slow(time_ns)))
    _, *delays = delays
    calm = max(delays) + 2 * (max(delays) - int(median(delays))) + 2
    more = [writer.is_slow(writer.write_on(units[-1])) for _ in range(calm)]
    few = calm if any(more) else _CALM
    return Buffer(calm * writer.block_bytes, few * writer.block_bytes, median(merges_ns[1:]) / _OPENED_EACH)


def _open(writer: Writer, units: list[Unit]) -> int:
    unit, duration_ns = writer.open()
    units.append(unit)
    return duration_ns


@dataclass
class _Search:
    """Writes to units, and tells how many merges that took."""

    writer: Writer
    buffer: Buffer
    merges_ns: list[float]  # of each merge, as often as their number was known

    def is_slow_alone(self) -> bool:
        """Whether every further write into one unit takes a merge."""
        unit, duration_ns = self.writer.open()
        self._merges([duration_ns], unit)
        return self._merges([], unit) > _OVERFLOW - 1

    def counted(self, counts: Counts, units: list[Unit]) -> Counts:
        """How many units stay open: more and more are opened until the oldest one is closed.

        As long as it is open, the others are written in the same order: then the oldest ones are closed first, whether
        the card goes by when they were opened or by when they were written.
        """
        known = 0
        while True:
            counts, merges = self._tested(counts, units, most=1)
            if merges > 0.5 or len(units) == counts.most:
                break
            self._write_all(units[1:])
            known = len(units)
            units += self.opened(min(1 + known // 2, counts.most - known))
        if merges > 0.5:
            counts = self._walked(counts, units, known)
        while counts.log_odds < _LOG_ODDS:
            counts = self._verified(counts)
        return counts

    def _walked(self, counts: Counts, units: Sequence[Unit], known: int) -> Counts:
        """Writes a few units after the other, from the newest to the oldest: those that are closed take a merge each.

        Then a fresh one is written until nothing is due. It takes one merge, too, and leaves room for one unit less, as
        does the oldest one, which was written before.
        """
        order = units[:0:-1]
        for opened, start in enumerate(range(max(0, known - 1), len(order), _FEW), 1):
            part = order[start : start + _FEW]
            times_ns = self._write_all(part)
            unit, duration_ns = self.writer.open()
            merges = self._merges([*times_ns, duration_ns], unit) - 1
            closed = [max(0, start + len(part) - max(start, count - opened)) for count in counts]
            counts = counts.given(merges, [(number, number) for number in closed], len(part))
            if merges > 0.5:
                break
        return counts

    def _verified(self, counts: Counts) -> Counts:
        """Opens one more than are open: the oldest ones of the others take no merge, and that one does."""
        units = self.opened(counts.best_but_chance + 1)
        counts, merges = self._tested(counts, units[1:])
        written = units[1:]
        while merges < 0.5 and len(written) < counts.most:
            self._write_all(written[_FEW:])
            if len(written) == len(units):
                units += self.opened(1)
            written = units
            counts, merges = self._tested(counts, written)
        return counts

    def _tested(self, counts: Counts, units: Sequence[Unit], most: int = _FEW) -> tuple[Counts, float]:
        """Writes the oldest of the newest units: no merge, if so many are open, and else one or several."""
        times_ns = self._write_all(units[:most])
        merges = self._merges(times_ns, units[-1])
        expected = [(0, 0) if count >= len(units) else (1, most + _OVERFLOW) for count in counts]
        return counts.given(merges, expected, len(times_ns)), merges

    def opened(self, count: int) -> list[Unit]:
        """Fresh units, for which nothing is due any more."""
        opened = [self.writer.open() for _ in range(count)]
        units = [unit for unit, _ in opened]
        merges = self._merges([duration_ns for _, duration_ns in opened], units[-1])
        self.merges_ns.append(self._merge_ns * merges / count)
        return units

    def _write_all(self, units: Sequence[Unit]) -> list[int]:
        return [self.writer.write_on(unit) for unit in units]

    @property
    def _merge_ns(self) -> float:
        return median(self.merges_ns)

    def _merges(self, times_ns: Sequence[int], unit: Unit) -> float:
        """How many merges writes took that lasted so long, once the unit was written until nothing is due."""
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
