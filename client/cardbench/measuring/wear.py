"""Estimate the remaining life of a card from its rate of wear, and keep a history of readings.

A card reports the used part of its life in steps of 0.01 to 10 %, so the truth is up to one step below the reading. A
year of history takes a few kilobytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from cardbench.errors import UsageError
from cardbench.measuring import report

DAY_S = 86_400
_FEWEST_DAYS = 7  # in fewer days, a single day of copying would dominate the rate
_DAYS_KEPT_EACH, _WEEKS_KEPT = 60, 52
_HEADER = "# time_s life_used_percent step_percent bytes_written source"


@dataclass(frozen=True)
class Point:
    """A reading of wear: its time, the used life and its step in percent, and the bytes written so far.

    `life_used` is None if the card does not report it. The bytes count from the first reading of the history. `start`
    identifies the boot of the machine at which `counter` was 0.
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
        """Return the reading from a line of the history. Raise ValueError if the line has another form."""
        time_s, used, step, written, counter, start = line.split()
        life = None if used == "-" else float(used)
        return cls(int(time_s), life, float(step), int(written), int(counter), start)


@dataclass(frozen=True)
class Remaining:
    """The range of days until a card reports the end of its life. `longest_days` is None if there is no upper bound."""

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
    """Return the remaining life at the rate so far, or None if the history is too short or the used life decreases.

    Any two readings bound the rate, because each is true within its step. If no single rate fits them all, the card
    wore sometimes faster and sometimes slower; then the two contradicting bounds are used as the range.
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
    """Return the history with one more reading, and thinned to one a day for two months and one a week for a year.

    `now.counter` counts from the boot of the machine; the history contains the bytes written before.
    """
    written = now.counter
    if history:
        last = history[-1]
        is_same = last.start == now.start and now.counter >= last.counter
        written = last.bytes_written + now.counter - (last.counter if is_same else 0)
    return [*_thin_out(history, now.time_s), replace(now, bytes_written=written)]


def _thin_out(history: Sequence[Point], now_s: int) -> list[Point]:
    # Keeps the last reading of each day or week, and the very first, which tells most about the rate.
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
    """Return the history from a file without incomplete lines; empty if there is no file.

    Raise UsageError on failure.
    """
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
    """Write the history of wear to a file. Raise UsageError if that fails."""
    report.save(path, "\n".join([_HEADER, *(point.line() for point in points), ""]).encode(), private=True)
