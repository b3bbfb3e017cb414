"""What a process holds in advance of a limit, for who asks many times a second: it gives it out without asking Redis.

It is taken from Redis already, so all processes together never give more than the limit. What a process does not give
out is lost: a quarter of what somebody spent before he paused, and a sixteenth of what was left, at most.
"""

import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

from submissions.visitors.standing import Standing

_MOST_AHEAD: Final = 16
# One ahead for so many that came, and for so many that are left: near the limit every request asks.
_CAME_FOR_ONE, _LEFT_FOR_ONE = 4, 16
_OFTEN_S: Final = 0.02  # somebody who comes again so soon comes again
_LASTS_S: Final = 1.0
_MOST_KNOWN: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Held:
    """`standing`: as Redis said when the units were taken; `came`: how often somebody came without a pause; `at`: when
    he came last, by the monotonic clock."""

    standing: Standing
    units: int
    came: int
    at: float

    def told(self) -> Standing:
        """With what may be given out here."""
        return replace(self.standing, left=self.standing.left + self.units)


class Advance:
    """By who it is for. For all threads of a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[Hashable, _Held] = {}

    def draw(self, who: Hashable) -> Standing | None:
        """Give out one. None where Redis is to be asked."""
        with self._lock:
            held = self._lasting(who)
            if held is None or not held.units:
                return None
            self._held[who] = _Held(held.standing, held.units - 1, held.came + 1, time.monotonic())
            return self._held[who].told()

    def wanted(self, who: Hashable) -> int:
        """How many to take beside the one that is asked for."""
        held = self._lasting(who)
        if held is None or time.monotonic() - held.at > _OFTEN_S:
            return 0
        return min(_MOST_AHEAD, held.came // _CAME_FOR_ONE, held.standing.left // _LEFT_FOR_ONE)

    def keep(self, who: Hashable, standing: Standing, units: int) -> Standing:
        """Hold `units` that Redis gave beside the one that was asked for. Returns how somebody stands with them."""
        with self._lock:
            before = self._lasting(who)
            self._held.pop(who, None)
            if len(self._held) >= _MOST_KNOWN:
                del self._held[next(iter(self._held))]
            held, came = (before.units, before.came) if before else (0, 0)
            self._held[who] = _Held(standing, held + units, came + 1, time.monotonic())
            return self._held[who].told()

    def _lasting(self, who: Hashable) -> _Held | None:
        """What is held for somebody who has not paused."""
        held = self._held.get(who)
        return held if held and time.monotonic() - held.at <= _LASTS_S else None
