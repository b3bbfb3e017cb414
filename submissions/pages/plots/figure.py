"""Define the parts of a plot. `x` is in percent of the width, `y` in pixels from the top."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from submissions.pages.plots.scale import Scale

# Shape and dashes identify a series, because not everybody sees colours.
SHAPES = ("circle", "square", "diamond", "triangle", "cross", "ring")


class Axis(NamedTuple):
    scale: Scale
    in_words: Callable[[float], str]


class Tick(NamedTuple):
    place: float
    words: str


class Mark(NamedTuple):
    """The mark of a measured value in a plot. `style`: index of SHAPES and colours; `faint`: the value is not used."""

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
    """The bar of an interval in a plot, with a line at `middle`; outlined if it `is_expected`, else filled."""

    x: float
    width: float
    middle: float
    y: float
    style: int
    tip: str
    is_expected: bool = False


class Note(NamedTuple):
    """A text within a plot; with `rule`, also a vertical line at `x` over the whole height."""

    x: float
    y: float
    words: str
    anchor: str = "start"
    rule: bool = False


class Key(NamedTuple):
    """An entry of the legend of a plot."""

    words: str
    style: int

    @property
    def shape(self) -> str:
        return SHAPES[self.style]


class DataTable(NamedTuple):
    """The table of the numbers behind a plot; the first cell of a row is its heading."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Words(NamedTuple):
    """The words of a plot: its title, and its description for screen readers.

    `name` is unique on a page, as a part of HTML ids. `note`: origin and number of the values, meaning of an interval.
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
        """Return every shape that the plot uses, because the page must define each shape once."""
        used = {mark.shape for mark in self.marks} | {key.shape for key in self.legend}
        return tuple(shape for shape in SHAPES if shape in used)


def percent(scale: Scale, value: float) -> float:
    return round(100 * scale.find_place(value), 2)


def pixels(scale: Scale, value: float, height: int) -> float:
    """Return the place of a value in pixels from the top; the low end of the scale is at the bottom."""
    return round(height * (1 - scale.find_place(value)), 1)


def spread_out(places: Sequence[float], *, least: float) -> list[float]:
    """Return the places in pixels in the same order, moved down so that labels are at least `least` pixels apart."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + least)
    return moved
