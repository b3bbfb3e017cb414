"""Make plots of lines over a common x axis, such as plots of flashbench's tables."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from submissions.pages.plots.figure import (
    SHAPES,
    Axis,
    DataTable,
    Key,
    Mark,
    Note,
    Plot,
    Segment,
    Tick,
    Words,
    percent,
    pixels,
    spread_out,
)
from submissions.pages.plots.scale import Scale

HEIGHT = 260
_LABEL_HEIGHT = 14.0


class Point(NamedTuple):
    """A measured value in a plot; `faint`: the value is not used for estimates."""

    x: float
    y: float
    tip: str
    faint: bool = False


class Series(NamedTuple):
    """A series of points, which a line joins in this order if `joined`; `short`: label at the end of the line."""

    name: str
    short: str
    points: tuple[Point, ...]
    joined: bool = True


class Rule(NamedTuple):
    """A place on the x axis that is marked with a vertical line and words."""

    x: float
    words: str


def lines(
    words: Words,
    series: Sequence[Series],
    *,
    x: Axis,
    y: Axis,
    table: DataTable,
    rules: Sequence[Rule] = (),
) -> Plot:
    """Return a plot with a line for each series: each line with its own shape and dashes, and a label at its end."""
    drawn = [_marks(line, style % len(SHAPES), x.scale, y.scale) for style, line in enumerate(series)]
    return Plot(
        words=words,
        height=HEIGHT,
        table=table,
        x_ticks=tuple(Tick(percent(x.scale, tick), x.in_words(tick)) for tick in x.scale.ticks),
        y_ticks=tuple(Tick(pixels(y.scale, tick, HEIGHT), y.in_words(tick)) for tick in y.scale.ticks),
        segments=tuple(
            Segment(a.x, a.y, b.x, b.y, a.style)
            for line, marks in zip(series, drawn, strict=True)
            if line.joined
            for a, b in pairwise(marks)
        ),
        marks=tuple(mark for marks in drawn for mark in marks),
        notes=(*_label_rules(rules, x.scale), *_label_ends(series, drawn)),
        legend=tuple(Key(line.name, style % len(SHAPES)) for style, line in enumerate(series))
        if len(series) > 1
        else (),
    )


def _marks(series: Series, style: int, x: Scale, y: Scale) -> list[Mark]:
    return [
        Mark(percent(x, point.x), pixels(y, point.y, HEIGHT), style, point.tip, point.faint)
        for point in series.points
    ]


def _label_ends(series: Sequence[Series], drawn: Sequence[Sequence[Mark]]) -> list[Note]:
    labelled = [
        (line.short, marks[-1]) for line, marks in zip(series, drawn, strict=True) if line.short and marks
    ]
    places = spread_out([mark.y for _, mark in labelled], least=_LABEL_HEIGHT)
    return [Note(mark.x, place + 4, short) for (short, mark), place in zip(labelled, places, strict=True)]


def _label_rules(rules: Sequence[Rule], x: Scale) -> list[Note]:
    # There is room left of a rule in the right half, and right of one in the left half.
    places = [(rule, percent(x, rule.x)) for rule in rules]
    return [
        Note(place, 12, rule.words, "end" if place > 50 else "start", rule=True) for rule, place in places
    ]
