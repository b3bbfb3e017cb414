"""Make plots of rows on a common scale: marks of single cards, and intervals below each other."""

from collections.abc import Sequence
from typing import NamedTuple

from submissions.pages.plots.figure import Axis, Bar, DataTable, Key, Mark, Note, Plot, Tick, Words, percent
from submissions.pages.plots.scale import Scale

_ROW = 58
_HEAD, _FIRST = 14, 34
_LANES = (0, -7, 7, -14, 14)
# Percent of the width within which two dots would cover each other.
_TOO_NEAR = 1.6


class Dot(NamedTuple):
    value: float
    tip: str
    style: int = 0
    faint: bool = False


class Interval(NamedTuple):
    """An interval in a row of a plot, with a value in its middle; `is_expected`: estimated from other devices."""

    lower: float
    middle: float
    upper: float
    tip: str
    is_expected: bool = False


class Row(NamedTuple):
    """A row of a plot: its heading, the measured values, and the estimated interval."""

    heading: str
    dots: tuple[Dot, ...] = ()
    interval: Interval | None = None
    style: int = 0


def rows(
    words: Words,
    lines: Sequence[Row],
    *,
    axis: Axis,
    table: DataTable,
    legend: tuple[Key, ...] = (),
) -> Plot:
    """Return a plot with each row under its heading; dots that would cover each other are moved up or down."""
    heights = [_FIRST + index * _ROW for index in range(len(lines))]
    placed = list(zip(lines, heights, strict=True))
    return Plot(
        words=words,
        height=len(lines) * _ROW + 2,
        table=table,
        x_ticks=tuple(Tick(percent(axis.scale, tick), axis.in_words(tick)) for tick in axis.scale.ticks),
        bars=tuple(_bar(row, row.interval, y, axis.scale) for row, y in placed if row.interval),
        marks=tuple(mark for row, y in placed for mark in _place_dots(row, y, axis.scale)),
        notes=tuple(Note(0, y - _FIRST + _HEAD, row.heading) for row, y in placed),
        legend=legend,
    )


def _bar(row: Row, interval: Interval, y: float, scale: Scale) -> Bar:
    left, right = percent(scale, interval.lower), percent(scale, interval.upper)
    width, middle = round(right - left, 2), percent(scale, interval.middle)
    return Bar(left, width, middle, y, row.style, interval.tip, interval.is_expected)


def _place_dots(row: Row, y: float, scale: Scale) -> list[Mark]:
    # In order of value, each in the first lane with room at its place, else in the lane that ends first.
    ends = [-_TOO_NEAR] * len(_LANES)
    marks = []
    for dot in sorted(row.dots, key=lambda dot: dot.value):
        x = percent(scale, dot.value)
        lane = next((n for n, end in enumerate(ends) if x - end >= _TOO_NEAR), ends.index(min(ends)))
        ends[lane] = x
        marks.append(Mark(x, y + _LANES[lane], dot.style, dot.tip, dot.faint))
    return marks
