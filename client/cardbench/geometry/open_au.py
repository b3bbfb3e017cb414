"""How many allocation units can be written in turn before every write costs a merge.

Open fresh units until each is slow, walk back over them, newest first: those still open are fast. Then verify by
writing round robin over n (must stay fast) and n + 1 (must not).
"""

from dataclasses import dataclass, field

from cardbench.geometry.buffered import find_buffered
from cardbench.geometry.decide import SlowTest
from cardbench.geometry.estimate import Evidence, Finding, abstained, found, no_limit_found, none_found
from cardbench.geometry.probe import BudgetSpent, Probe
from cardbench.geometry.units import BLOCK_BYTES, Exhausted, Unit, Writer
from cardbench.plan import SECOND_NS

MOST_UNITS = 96
_LONE_STALL_NS = 4 * SECOND_NS // 10
_MOST_STEPS = 24


def find_open_aus(probe: Probe, order: str, erase_block_bytes: int | None, page_bytes: int | None) -> Finding:
    """How many stay fast; `none_found` when not even one does, or when no limit is in sight."""
    block_bytes = max(BLOCK_BYTES, 2 * (page_bytes or 0))
    search = _Search(Writer(probe, erase_block_bytes, order, block_bytes))
    try:
        return search.run()
    except BudgetSpent as spent:
        return abstained(str(spent), code="time_budget") if not search.rates else search.unfinished(spent)


@dataclass(slots=True)
class _Search:
    """One search; `rates` keeps what the rounds over so many units reached, in bytes/s."""

    writer: Writer
    opened: list[Unit] = field(default_factory=list)
    rates: dict[int, list[float]] = field(default_factory=dict)
    answers: dict[int, bool] = field(default_factory=dict)
    sure: float = 0.0

    def run(self) -> Finding:
        self.writer.calibrate()
        if self.writer.order == "random" and self._keeps_none_open():
            return none_found(4.0, "Even in a single unit nearly every random write is slow.")
        limit = self._thrash()
        if limit == "unlimited":
            return no_limit_found(4.0, f"{MOST_UNITS} units were opened, and none was slow.")
        if limit == "postponed":
            return find_buffered(self.writer)
        return self._verified(self._walk_back())

    def unfinished(self, spent: BudgetSpent) -> Finding:
        return abstained(f"{spent} Tried: {', '.join(map(str, sorted(self.rates)))}.", code="time_budget")

    def _keeps_none_open(self) -> bool:
        """In one unit, in random order: is every write slow?"""
        unit = self.writer.fresh()
        slow = [self.writer.is_slow(self.writer.write(unit)) for _ in range(min(8, self.writer.rounds))]
        return sum(slow[1:]) >= 5

    def _thrash(self) -> str:
        """Opens fresh units until that is slow every time -> thrashing, postponed or unlimited."""
        times: list[int] = []
        slow: list[bool] = []
        while len(slow) < MOST_UNITS:
            unit, duration_ns = self.writer.open()
            self.opened.append(unit)
            times.append(duration_ns)
            slow.append(self.writer.is_slow(duration_ns))
            if sum(slow[-4:]) >= 3:
                return "thrashing"
            lone = len(slow) > 4 and times[-5] > _LONE_STALL_NS and not any(slow[-4:])
            if lone or sum(slow[-24:]) >= 6 or (sum(slow[-24:]) >= 3 and not any(slow[-2:])):
                return "postponed"
        return "unlimited"

    def _walk_back(self) -> int:
        """How many of the units opened last are still open."""
        while True:
            for hits, unit in enumerate(reversed(self.opened)):
                if self.writer.is_slow(self.writer.write(unit)):
                    return hits
            if len(self.opened) > 2 * MOST_UNITS:
                return len(self.opened)
            self.opened = [self.writer.open()[0] for _ in range(2 * len(self.opened))]

    def _verified(self, units: int) -> Finding:
        """From a first guess to a number that stays fast while one more does not."""
        units = max(1, units)
        for _ in range(_MOST_STEPS):
            if not self._stays_fast(units, attempts=2):
                units -= 1
            elif self._stays_fast(units + 1, attempts=1):
                units += 1
            else:
                return found(units, max(self.sure, 4.0), _words(units), self.evidence())
            if units < 1:
                return none_found(4.0, "Even a single unit does not stay fast.", self.evidence())
        return abstained(
            f"It changes from round to round, around {units}: the card does not keep to a number."
        )

    def _stays_fast(self, units: int, *, attempts: int) -> bool:
        """Whether writing round robin over so many fresh units is fast."""
        if units not in self.answers:
            self.answers[units] = any(self._is_fast(units) for _ in range(attempts))
        return self.answers[units]

    def _is_fast(self, count: int) -> bool:
        """Rounds over fresh units until none is slow, then the test; a card that evicts at random settles late."""
        test, settled, misses = SlowTest(count), False, 0
        units, rounds = self._opened_units(count), [frozenset[int]()]
        while test.verdict is None:
            slow = self._round(units, test if settled else None)
            if slow is None:
                units = self._opened_units(count)
            elif not settled:
                rounds.append(slow)
                misses += len(slow)
                settled = not slow
                if misses > 4 * count + 8 or _has_collapsed(rounds, count):
                    return False
        return not test.verdict

    def _opened_units(self, count: int) -> list[Unit]:
        return [self.writer.open()[0] for _ in range(count)]

    def _round(self, units: list[Unit], test: SlowTest | None) -> frozenset[int] | None:
        """One block into each unit -> which were slow; ends early once that is decided. None: they are full."""
        slow: set[int] = set()
        total_ns = 0
        for number, unit in enumerate(units):
            try:
                duration_ns = self.writer.write(unit)
            except Exhausted:
                return None
            total_ns += duration_ns
            is_slow = self.writer.is_slow(duration_ns)
            slow |= {number} if is_slow else set()
            if test:
                test.add(is_slow)
            if (test and test.verdict is not None) or slow == {0, 1, 2, 3}:
                break
        rate = (number + 1) * self.writer.block_bytes * SECOND_NS / max(1, total_ns)
        self.rates.setdefault(len(units), []).append(rate)
        return frozenset(slow)

    def evidence(self) -> tuple[Evidence, ...]:
        """Throughput of the rounds over each number of units that was tried."""
        shared = {
            "direction": "write",
            "order": self.writer.order,
            "block_size_bytes": self.writer.block_bytes,
            "queue_depth": 1,
            "sync": "none",
            "data": "random",
        }
        return tuple(
            Evidence("open-au", shared | {"open_au": units}, tuple(rates), units)
            for units, rates in sorted(self.rates.items())
        )


def _has_collapsed(rounds: list[frozenset[int]], count: int) -> bool:
    """The first four slow, twice all of fewer, or the same ones three times."""
    latest = rounds[-1]
    if latest >= {0, 1, 2, 3}:
        return True
    if len(latest) == count and rounds[-2] == latest:
        return True
    return bool(latest) and rounds[-3:] == [latest] * 3


def _words(units: int) -> str:
    return f"Written in turn, {units} stay{'s' if units == 1 else ''} fast, and {units + 1} do not."
