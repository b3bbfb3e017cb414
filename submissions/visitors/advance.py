"""What a process holds in advance of a limit, for who asks many times a second: it gives it out without asking Redis.

It is taken from Redis already, so all processes together never give more than the limit; what a process does not give
out is lost, at most a sixteenth of what was left.
"""

import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

MOST_AHEAD: Final = 16
SHARE_AHEAD: Final = 1 / 16  # of what is left: near the limit every request asks
OFTEN_S: Final = 0.02  # somebody who comes again so soon comes again
LASTS_S: Final = 1.0
_MOST_KNOWN: Final = 1_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How somebody stands: `most` may come at once, or in so many seconds; `left` of them; until all may come again."""

    most: int
    period_s: int
    left: int
    reset_s: float
    wait_s: float | None


@dataclass(frozen=True, slots=True)
class _Held:
    """`standing`: as Redis said when the units were taken; `at`: when one was asked for, by the monotonic clock."""

    standing: Standing
    units: int
    at: float


class Advance:
    """By who it is for. For all threads of a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[Hashable, _Held] = {}

    def draw(self, who: Hashable) -> Standing | None:
        """Give out one. None where Redis is to be asked."""
        now = time.monotonic()
        with self._lock:
            held = self._held.get(who)
            if held is None or not held.units or now - held.at > LASTS_S:
                return None
            held = self._held[who] = replace(held, units=held.units - 1, at=now)
            return _with(held)

    def wanted(self, who: Hashable) -> int:
        """How many to take beside the one that is asked for."""
        held = self._held.get(who)
        if held is None or time.monotonic() - held.at > OFTEN_S:
            return 0
        return min(MOST_AHEAD, int(SHARE_AHEAD * held.standing.left))

    def keep(self, who: Hashable, standing: Standing, units: int) -> Standing:
        """Hold `units` that Redis just gave. Returns how somebody stands who may come so often still."""
        with self._lock:
            held = self._held.pop(who, None)
            more = held.units if held and time.monotonic() - held.at <= LASTS_S else 0
            if len(self._held) >= _MOST_KNOWN:
                del self._held[next(iter(self._held))]
            held = self._held[who] = _Held(standing, units + more, time.monotonic())
            return _with(held)


def _with(held: _Held) -> Standing:
    return replace(held.standing, left=held.standing.left + held.units)
