"""The parts of a plot. `x` is in percent of the width, `y` in pixels from the top."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from submissions.pages.plots.scale import Scale

# Shape and dashes identify a series, because not everybody sees colours.
SHAPES = ("circle", "square", "diamond", "triangle", "cross", "ring")


class Tick(NamedTuple):
    place: float
    words: str


class Mark(NamedTuple):
    """A measured value. `style`, an index of SHAPES, chooses shape and colour; a `faint` mark does not count."""

    x: float
    y: float
    style: int
    tip: str
    faint: bool = False

    @property
    def shape(self) -> str:
        return SHAPES[self.style]


class Segment(NamedTuple):
    x: float
    y: float
    x_end: float
    y_end: float
    style: int


class Bar(NamedTuple):
    """An interval on a row, with its value as a line at `middle`; one that `is_expected` is outlined, not filled."""

    x: float
    width: float
    middle: float
    y: float
    style: int
    tip: str
    is_expected: bool = False


class Note(NamedTuple):
    """Text within the plot. A `rule` draws a line over the whole height at `x`."""

    x: float
    y: float
    words: str
    anchor: str = "start"
    rule: bool = False


class Key(NamedTuple):
    """An entry of the legend."""

    words: str
    style: int

    @property
    def shape(self) -> str:
        return SHAPES[self.style]


class DataTable(NamedTuple):
    """The numbers behind a plot: the first cell of a row is its heading."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Words(NamedTuple):
    """The title of a plot and its description for screen readers. `name` is unique on a page and makes its ids.

    `note`: where the figures come from, how many there are and the meaning of an interval.
    """

    name: str
    title: str
    description: str
    note: str = ""
    x_title: str = ""
    y_title: str = ""


class Plot(NamedTuple):
    words: Words
    height: int
    table: DataTable
    x_ticks: tuple[Tick, ...] = ()
    y_ticks: tuple[Tick, ...] = ()
    bars: tuple[Bar, ...] = ()
    segments: tuple[Segment, ...] = ()
    marks: tuple[Mark, ...] = ()
    notes: tuple[Note, ...] = ()
    legend: tuple[Key, ...] = ()

    @property
    def shapes(self) -> tuple[str, ...]:
        """Return every shape that the plot uses; the page defines each once."""
        used = {mark.shape for mark in self.marks} | {key.shape for key in self.legend}
        return tuple(shape for shape in SHAPES if shape in used)


def percent(scale: Scale, value: float) -> float:
    return round(100 * scale.find_place(value), 2)


def pixels(scale: Scale, value: float, height: int) -> float:
    """Return the place of a value in pixels from the top; the low end of the scale is at the bottom."""
    return round(height * (1 - scale.find_place(value)), 1)


def spread_out(places: Sequence[float], *, least: float) -> list[float]:
    """Return the places in their order, moved apart so that labels are at least `least` pixels apart."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + least)
    return moved
