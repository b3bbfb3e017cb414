"""Arrange measurements in tables for people: one table per workload, in the layout that flashbench prints."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.intake.structures import group_by
from submissions.domain.measuring import metrics
from submissions.models import Measurement
from submissions.pages.content.parameter_labels import (
    SYNC,
    add_parameters,
    count_files,
    count_threads,
    say_sync,
)
from submissions.pages.plots.figure import Plot
from submissions.pages.plots.of_runs import run_plot


class Table(NamedTuple):
    """A table of measurements. `rows`: (heading, cells); a cell is a list of measurements, usually of one or none."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[list[Measurement], ...]], ...]


class Arrangement(NamedTuple):
    """The rules by which measurements of a workload become a table.

    Rows run from large to small, columns in the order of measurement; by default there is a column for each metric.
    """

    corner: str
    title: Callable[[Measurement], str]
    row: Callable[[Measurement], int]
    row_words: Callable[[int], str]
    column: Callable[[Measurement], Hashable] = lambda measurement: measurement.metric
    column_words: Callable[[Measurement], str] = lambda measurement: measurement.metric_title


def _size(name: str) -> Callable[[Measurement], int]:
    return lambda measurement: int(measurement.parameters[name])


_SYNC_ROWS = ("none", *SYNC)
_ACTIONS = ("create", "stat", "read", "rewrite", "append", "delete")


def _name_pattern(measurement: Measurement) -> str:
    return f"{measurement.parameters['order']} {measurement.parameters['direction']}".capitalize()


def _open_aus(measurement: Measurement) -> str:
    if measurement.parameters["order"] == "sequential":
        return _("Writing into several AUs in turn, linear")
    return _("Writing into several AUs in turn, random")


def _block(measurement: Measurement) -> dict[str, str]:
    return {"size": metrics.size_in_words(measurement.parameters["block_size_bytes"])}


def _small_files(measurement: Measurement) -> str:
    count, size = (measurement.parameters[name] for name in ("file_count", "file_size_bytes"))
    words = {"count": f"{count:,}", "size": metrics.size_in_words(size)}
    return _("Many small files: %(count)s of %(size)s") % words


def _action_row(measurement: Measurement) -> int:
    action = measurement.parameters["action"]
    return -_ACTIONS.index(action) if action in _ACTIONS else 1


def _size_rows(title: Callable[[Measurement], str], *columns: Any) -> Arrangement:
    size = _size("block_size_bytes")
    return Arrangement(gettext_noop("Block size"), title, size, metrics.size_in_words, *columns)


def _single_row(title: Callable[[Measurement], str]) -> Arrangement:
    return Arrangement("", title, lambda m: 0, lambda _: "")


ARRANGEMENTS = {
    "stream": _size_rows(_name_pattern),
    "align": Arrangement(
        gettext_noop("Boundary"),
        lambda m: _("Reads of %(size)s around boundaries") % _block(m),
        _size("align_bytes"),
        metrics.size_in_words,
    ),
    "open-au": _size_rows(
        _open_aus,
        lambda m: m.parameters["open_au"],
        lambda m: _("%(open_au)s open") % m.parameters,
    ),
    "fat": _size_rows(
        lambda m: _("Writing the first erase blocks"),
        lambda m: m.parameters["erase_block_index"],
        lambda m: _("Block %(erase_block_index)s") % m.parameters,
    ),
    "geometry": _single_row(lambda m: _("Geometry as stated in the report")),
    "scatter": Arrangement(
        gettext_noop("Place"),
        lambda m: _("Reads of the first blocks, %(size)s each") % _block(m),
        _size("offset_bytes"),
        metrics.size_in_words,
    ),
    "rewrite": _size_rows(lambda m: _("Writing the same file again")),
    "reread": _size_rows(lambda m: _("Reading the same file again")),
    "fill": _single_row(
        lambda m: (
            _("Writing the whole card")
            if m.parameters["direction"] == "write"
            else _("Reading the whole card")
        )
    ),
    "transfer": _single_row(lambda m: f"{m.parameters['direction']}, block size not stated".capitalize()),
    "filesystem": _single_row(lambda m: f"{m.parameters['action']}, by the file system".capitalize()),
    "chore": _single_row(lambda m: f"{m.parameters['action']}: what a person waits for".capitalize()),
    "photos": _single_row(lambda m: _("Taking photos")),
    "sustained": _size_rows(lambda m: f"{m.parameters['direction']} without a pause".capitalize()),
    "chunk": _size_rows(lambda m: f"{m.parameters['direction']} chunks at random places".capitalize()),
    "sync": Arrangement(
        "",
        lambda m: _("Synchronous writing, %(size)s") % _block(m),
        lambda m: -_SYNC_ROWS.index(m.parameters["sync"]) if m.parameters["sync"] in _SYNC_ROWS else 1,
        lambda row: _("not synchronous") if row >= 0 else say_sync(_SYNC_ROWS[-row]),
    ),
    "files": Arrangement("", _small_files, _action_row, lambda row: _ACTIONS[-row] if row <= 0 else "other"),
    "mixed": Arrangement(
        "", lambda m: _("Creating, appending, reading and deleting in turn"), _size("threads"), count_threads
    ),
    "copy": Arrangement("", lambda m: _("Copying a directory"), _size("file_count"), count_files),
    "capacity": _single_row(
        lambda m: f"Capacity, tested: {m.parameters.get('capacity_kind', 'kind not known')}"
    ),
}


def _title(measurement: Measurement) -> str:
    return add_parameters(ARRANGEMENTS[measurement.workload].title(measurement), measurement)


def describe_measurement(measurement: Measurement) -> str:
    """Return a measurement in words, by title, row and column of its table: "Random read, 4 KiB: throughput"."""
    arrangement = ARRANGEMENTS[measurement.workload]
    title = _title(measurement)
    row = arrangement.row_words(arrangement.row(measurement))
    column = arrangement.column_words(measurement)
    return f"{title}, {row}: {column}" if row else f"{title}: {column}"


def tables(measurements: Iterable[Measurement]) -> list[Table]:
    """Return a table for each workload and pattern, in the order of measurement."""
    return [
        _table(title, ARRANGEMENTS[group[0].workload], group)
        for title, group in group_measurements(measurements)
    ]


def draw_tables(measurements: Iterable[Measurement]) -> tuple[list[tuple[Plot, Table]], list[Measurement]]:
    """Return pairs of a plot and its table, and the measurements that make no plot, which fit into one table."""
    grouped = group_measurements(measurements)
    erase_block = _erase_block(group for _, group in grouped)
    pictures, rest = [], []
    for number, (title, group) in enumerate(grouped):
        if plot := run_plot(f"p{number}", title, group, erase_block=erase_block):
            pictures.append((plot, _table(title, ARRANGEMENTS[group[0].workload], group)))
        else:
            rest += group
    return pictures, rest


def group_measurements(measurements: Iterable[Measurement]) -> list[tuple[str, list[Measurement]]]:
    """Return the title of each table with its measurements."""
    by_title = group_by(measurements, lambda measurement: (measurement.workload, _title(measurement)))
    return [(title, group) for (_, title), group in by_title.items()]


def _erase_block(grouped: Iterable[list[Measurement]]) -> int | None:
    """Return the erase block that the run states, in bytes."""
    stated = (row.value for group in grouped for row in group if row.metric == "erase_block_size")
    return next((round(value) for value in stated if value), None)


def _table(title: str, arrangement: Arrangement, group: list[Measurement]) -> Table:
    columns = {
        arrangement.column(measurement): arrangement.column_words(measurement) for measurement in group
    }
    cells = group_by(group, lambda one: (arrangement.row(one), arrangement.column(one)))
    rows = sorted({row for row, _ in cells}, reverse=True)
    return Table(
        title=title,
        corner=_(arrangement.corner),
        columns=tuple(columns.values()),
        rows=tuple(
            (arrangement.row_words(row), tuple(cells.get((row, column), []) for column in columns))
            for row in rows
        ),
    )
