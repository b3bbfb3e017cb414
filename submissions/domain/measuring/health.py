"""The wear that a card states in its readings, and the days that remain at the rate so far."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from submissions.domain.report import Reading

_FEWEST_DAYS = 7  # before that a day of copying would look like a year
_MOST_PERCENT = 255  # a byte; wear goes on being counted beyond 100


def _rest(left: float) -> float:
    return round(100 - left, 2)


# Name of a reading -> percent of the life used. Names with `_rest` are those of sdmon, which prints the percent left.
_LIFE_USED: Mapping[str, Callable[[float], float]] = {
    "life_used": float,
    "healthStatusPercentUsed": float,
    "enduranceRemainLifePercent": _rest,
    "Remaining life": _rest,
    "Remaining card life": _rest,
    "Remaining Lifetime Percent": _rest,
}
_STEP, _USUAL_STEP = "life_used_step", 1.0


@dataclass(frozen=True, slots=True)
class Wear:
    """Percent of its life that a card says it has used; the true value is up to one `step` below."""

    used: float
    step: float = _USUAL_STEP


def wear(readings: Iterable[Reading]) -> Wear | None:
    """Return the wear in the readings of one run; None without such a reading, or if it is impossible."""
    values = {reading.name: reading.value for reading in readings if isinstance(reading.value, float | int)}
    used = [of(values[name]) for name, of in _LIFE_USED.items() if name in values]
    if not used or not 0 <= used[0] <= _MOST_PERCENT:
        return None
    step = values.get(_STEP, _USUAL_STEP)
    return Wear(used[0], step if 0 < step <= 10 else _USUAL_STEP)


@dataclass(frozen=True, slots=True)
class RemainingDays:
    """Days until a card says that its life is over; `longest` is None while no reading shows an end."""

    shortest: float
    longest: float | None


def estimate_remaining_days(readings: Iterable[tuple[float, Wear]]) -> RemainingDays | None:
    """Return how many days a card lasts at the rate so far; None if too little is known.

    `readings`: pairs of day and wear, the oldest first.

    Any two readings bound the rate, because each is true within its step. If no single rate fits them all, the rate of
    wear has changed, and the two bounds that contradict each other are its range.
    """
    points = list(readings)
    pairs = [(a, b) for a, b in combinations(points, 2) if b[0] - a[0] >= _FEWEST_DAYS]
    if not pairs:
        return None
    rates = [((b.used - a.used), b.step, day_b - day_a) for (day_a, a), (day_b, b) in pairs]
    at_least = max((more - step) / days for more, step, days in rates)
    at_most = min((more + step) / days for more, step, days in rates)
    slow, fast = sorted((at_least, at_most))
    if fast <= 0:
        return None
    last = points[-1][1]
    rest = max(0.0, 100 - last.used)
    return RemainingDays(rest / fast, (rest + last.step) / slow if slow > 0 else None)
