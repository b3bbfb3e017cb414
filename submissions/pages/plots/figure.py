"""What a plot is made of. `x` in percent of the width, `y` in pixels from the top."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from submissions.pages.plots.scale import Scale

# A series is told by its shape and its dashes first; colour only helps.
SHAPES = ("circle", "square", "diamond", "triangle", "cross", "ring")


class Tick(NamedTuple):
    place: float
    words: str


class Mark(NamedTuple):
    """`style`, below the number of shapes, chooses shape and colour; a `faint` mark is shown and counts for nothing."""

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
    """An interval on a row, with the value as a stroke at `middle`; one that `is_expected` is outlined, not filled."""

    x: float
    width: float
    middle: float
    y: float
    style: int
    tip: str
    is_expected: bool = False


class Note(NamedTuple):
    """Words within the plot. A `rule` draws a line over the whole height at `x`."""

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
    """What a plot is called and how it is read aloud. `name` is unique on a page and makes its ids.

    `note`: where the figures come from, how many there are and what an interval means."""

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
        """Return every shape that is drawn, to be defined once."""
        used = {mark.shape for mark in self.marks} | {key.shape for key in self.legend}
        return tuple(shape for shape in SHAPES if shape in used)


def percent(scale: Scale, value: float) -> float:
    return round(100 * scale.at(value), 2)


def pixels(scale: Scale, value: float, height: int) -> float:
    """Upwards: the low end of the scale lies at the bottom."""
    return round(height * (1 - scale.at(value)), 1)


def spread_out(places: Sequence[float], *, least: float) -> list[float]:
    """Return the places in their order, pushed apart so that labels `least` apart do not cover each other."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + least)
    return moved
