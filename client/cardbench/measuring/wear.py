"""The remaining life of a card at its rate of wear, and the history of readings, a year in a few kilobytes.

A card reports the used part of its life in steps of 0.01 to 10 %, so the truth is up to one step below the reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from cardbench.errors import UsageError
from cardbench.measuring import report

DAY_S = 86_400
_FEWEST_DAYS = 7  # before that a day of copying would look like a year
_DAYS_KEPT_EACH, _WEEKS_KEPT = 60, 52
_HEADER = "# time_s life_used_percent step_percent bytes_written source"


@dataclass(frozen=True)
class Point:
    """A reading: its time, the used life and its step in percent, and the bytes written since the history began.

    `life_used` is None if the card does not report it. `start` identifies the boot at which `counter` was 0.
    """

    time_s: int
    life_used: float | None
    step: float
    bytes_written: int
    counter: int = 0
    start: str = "-"

    def line(self) -> str:
        used = "-" if self.life_used is None else f"{self.life_used:g}"
        return f"{self.time_s} {used} {self.step:g} {self.bytes_written} {self.counter} {self.start}"

    @classmethod
    def from_line(cls, line: str) -> Point:
        """Return the point of a line. Raise ValueError if it is no such line."""
        time_s, used, step, written, counter, start = line.split()
        life = None if used == "-" else float(used)
        return cls(int(time_s), life, float(step), int(written), int(counter), start)


@dataclass(frozen=True)
class Remaining:
    """The days until a card reports the end of its life. `longest_days` is None if there is no upper bound."""

    shortest_days: float
    longest_days: float | None

    def words(self) -> str:
        unit_days, unit = (365.25, "years") if self.shortest_days >= 730 else (1, "days")
        shortest = _format_number(self.shortest_days / unit_days)
        if self.longest_days is None:
            return f"at this rate, it will last at least another {shortest} {unit}"
        return (
            f"at this rate, it will last another {shortest} to"
            f" {_format_number(self.longest_days / unit_days)} {unit}"
        )


def _format_number(number: float) -> str:
    return f"{number:.1f}" if number < 10 else f"{number:,.0f}"


def estimate_remaining(points: Iterable[Point]) -> Remaining | None:
    """Return the remaining life at the rate so far, or None if too little is known, or the used life decreases.

    Any two readings bound the rate, because each is true within its step. When no one rate fits them all, the card
    wore now faster, now slower, and the two bounds that contradict each other are that range.
    """
    readings = [
        (point.time_s / DAY_S, point.life_used, point.step) for point in points if point.life_used is not None
    ]
    if not readings or readings[-1][0] - readings[0][0] < _FEWEST_DAYS:
        return None
    pairs = [(a, b) for a, b in combinations(readings, 2) if b[0] - a[0] >= _FEWEST_DAYS]
    at_least = max((after[1] - before[1] - after[2]) / (after[0] - before[0]) for before, after in pairs)
    at_most = min((after[1] - before[1] + before[2]) / (after[0] - before[0]) for before, after in pairs)
    slow, fast = sorted((at_least, at_most))
    remaining, step = max(0.0, 100 - readings[-1][1]), readings[-1][2]
    if fast <= 0:
        return None  # the used life decreases
    return Remaining(remaining / fast, (remaining + step) / slow if slow > 0 else None)


def add_reading(history: Sequence[Point], now: Point) -> list[Point]:
    """Return the history with another reading, thinned: a reading a day for two months, and one a week for a year.

    `now.counter` counts from the start of the machine; the history holds the bytes written before its start.
    """
    written = now.counter
    if history:
        last = history[-1]
        is_same = last.start == now.start and now.counter >= last.counter
        written = last.bytes_written + now.counter - (last.counter if is_same else 0)
    return [*_thin_out(history, now.time_s), replace(now, bytes_written=written)]


def _thin_out(history: Sequence[Point], now_s: int) -> list[Point]:
    # The last of each day or week, and the very first, which says most about the rate.
    kept: dict[tuple[str, int], Point] = {}
    for point in history:
        days = (now_s - point.time_s) // DAY_S
        if days < _DAYS_KEPT_EACH:
            kept["day", point.time_s // DAY_S] = point
        elif days < 7 * _WEEKS_KEPT:
            kept["week", point.time_s // (7 * DAY_S)] = point
    first = [history[0]] if history and history[0] not in kept.values() else []
    return [*first, *kept.values()]


def load(path: Path) -> list[Point]:
    """Return the history in a file, empty if there is none, without incomplete lines. Raise UsageError on failure."""
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    points = []
    for line in lines:
        try:
            points.append(Point.from_line(line))
        except ValueError:
            continue
    return points


def save(path: Path, points: Iterable[Point]) -> None:
    """Write the history to a file. Raise UsageError if that fails."""
    report.save(path, "\n".join([_HEADER, *(point.line() for point in points), ""]).encode(), private=True)
