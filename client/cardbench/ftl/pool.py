"""The allocation units that a simulated card keeps open for writing."""

from __future__ import annotations

import random
from collections import OrderedDict
from dataclasses import dataclass


@dataclass
class OpenUnit:
    """The state of an open unit: the number of bytes written to it, and whether all of them were written in order."""

    filled_bytes: int
    in_order: bool


class Pool:
    """The open units of a card: at most `linear` in all, and at most `unordered` written out of order.

    None means no limit. If one more unit is opened, an open one is closed. At first the units are open that the
    previous user of the card left open. If `unordered` is 0, a write out of order is merged at once.
    """

    def __init__(
        self,
        linear: int | None,
        unordered: int | None,
        *,
        replacement: str,
        chance: random.Random,
        units: int,
    ) -> None:
        self._linear, self._unordered = linear, unordered
        self._replacement = replacement
        self._chance = chance
        left = [chance.randrange(units // 2, units) for _ in range(chance.randint(0, linear or 0))]
        self._open = OrderedDict((unit, OpenUnit(512, in_order=True)) for unit in left)

    def write(self, unit: int, inside: int, length_bytes: int, whole_bytes: int) -> tuple[bool, int]:
        """Write at `inside` bytes of a unit.

        Return whether the unit had to be opened, and how many units were merged.
        """
        before = self._open.get(unit)
        in_order = inside == (before.filled_bytes if before else 0) and (before is None or before.in_order)
        if not in_order and self._unordered == 0:
            self._open.pop(unit, None)
            return before is None, 1
        merges = self._close_others(unit, new=before is None, in_order=in_order)
        here = self._open.setdefault(unit, OpenUnit(0, in_order))
        here.filled_bytes, here.in_order = here.filled_bytes + length_bytes, in_order
        if here.filled_bytes >= whole_bytes:
            del self._open[unit]  # a unit that is written to its end needs no merge
        elif self._replacement == "lru":
            self._open.move_to_end(unit)
        return before is None, merges

    def _close_others(self, unit: int, *, new: bool, in_order: bool) -> int:
        merges = 0
        unordered = [other for other, state in self._open.items() if not state.in_order and other != unit]
        if not in_order and self._unordered is not None and len(unordered) >= self._unordered:
            merges += self._close(unordered)
        if new and self._linear is not None and len(self._open) >= self._linear:
            merges += self._close(list(self._open))
        return merges

    def _close(self, candidates: list[int]) -> int:
        chosen = self._chance.choice(candidates) if self._replacement == "random" else candidates[0]
        del self._open[chosen]
        return 1
