"""Arranges measurements for reading: a table per workload, as a flashbench reader expects them."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from submissions.domain import metrics
from submissions.models import Measurement


@dataclass(frozen=True, slots=True)
class Table:
    """`rows`: (heading, cells); a cell holds the measurements of one place, none where nothing was measured."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[list[Measurement], ...]], ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the measurements of a workload become a table. Rows run from large to small, columns as they come."""

    corner: str
    title: Callable[[Measurement], str]
    row: Callable[[Measurement], int]
    row_words: Callable[[int], str]
    column: Callable[[Measurement], Hashable]
    column_words: Callable[[Measurement], str]


def _size(name: str) -> Callable[[Measurement], int]:
    return lambda measurement: int(measurement.parameters[name])


def _pattern(measurement: Measurement) -> str:
    """ "Sequential read": what a stream does, with the semantics that forbid comparing it with others."""
    given = measurement.parameters
    depth = given.get("queue_depth")
    extras = [
        "buffered" if given.get("io") == "buffered" else "",
        f"queue depth {depth}" if depth and depth > 1 else "",
        {"fsync_at_end": "final fsync", "osync": "O_SYNC", "dsync": "O_DSYNC"}.get(given.get("sync", ""), ""),
    ]
    words = ", ".join(filter(None, extras))
    return f"{given['order']} {given['direction']}".capitalize() + (f" ({words})" if words else "")


ARRANGEMENTS = {
    "stream": Arrangement(
        "Block size",
        _pattern,
        _size("block_size_bytes"),
        metrics.size_in_words,
        lambda m: m.metric,
        lambda m: m.metric_title,
    ),
    "align": Arrangement(
        "Boundary",
        lambda m: f"Reads of {metrics.size_in_words(m.parameters['block_size_bytes'])} around boundaries",
        _size("align_bytes"),
        metrics.size_in_words,
        lambda m: m.metric,
        lambda m: m.metric_title,
    ),
    "open-au": Arrangement(
        "Block size",
        lambda m: (
            f"Writing into several AUs in turn, {'linear' if m.parameters['order'] == 'sequential' else 'random'}"
        ),
        _size("block_size_bytes"),
        metrics.size_in_words,
        lambda m: m.parameters["open_au"],
        lambda m: f"{m.parameters['open_au']} open",
    ),
    "fat": Arrangement(
        "Block size",
        lambda m: "Writing the first erase blocks",
        _size("block_size_bytes"),
        metrics.size_in_words,
        lambda m: m.parameters["erase_block_index"],
        lambda m: f"Block {m.parameters['erase_block_index']}",
    ),
    "geometry": Arrangement(
        "",
        lambda m: "Geometry, as stated",
        lambda m: 0,
        lambda _: "",
        lambda m: m.metric,
        lambda m: m.metric_title,
    ),
}


def tables(measurements: Iterable[Measurement]) -> list[Table]:
    """One table per workload and pattern, in the order in which they were measured."""
    groups: dict[tuple[str, str], list[Measurement]] = {}
    for measurement in measurements:
        title = ARRANGEMENTS[measurement.workload].title(measurement)
        groups.setdefault((measurement.workload, title), []).append(measurement)
    return [_table(title, ARRANGEMENTS[workload], group) for (workload, title), group in groups.items()]


def _table(title: str, arrangement: Arrangement, group: list[Measurement]) -> Table:
    columns = {arrangement.column(one): arrangement.column_words(one) for one in group}
    cells: dict[tuple[int, Hashable], list[Measurement]] = {}
    for one in group:
        cells.setdefault((arrangement.row(one), arrangement.column(one)), []).append(one)
    rows = sorted({row for row, _ in cells}, reverse=True)
    return Table(
        title=title,
        corner=arrangement.corner,
        columns=tuple(columns.values()),
        rows=tuple(
            (arrangement.row_words(row), tuple(cells.get((row, column), []) for column in columns))
            for row in rows
        ),
    )
