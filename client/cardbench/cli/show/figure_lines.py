"""The lines of a report page about measured times: throughput, boundaries, and open units."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from cardbench.cli.show.text import bar, heading, middle
from cardbench.measuring import fileset
from cardbench.measuring.descriptions import describe, describe_briefly
from cardbench.measuring.figures import spread
from cardbench.shapes import JsonMapping
from cardbench.sizes import binary

_WITH_TABLES = ("align", "open-au", "geometry", "capacity")  # workloads that have tables of their own
# Workloads shown in flashbench's format if the report has such lines.
_FLASHBENCH = ("align", "open-au", "fat", "scatter")
_MAIN = ("throughput", "iops", "real_capacity")
DETAILS = {
    "latency_min": "shortest",
    "latency_mode": "most frequent",
    "latency_mean": "on average",
    "latency_p50": "median",
    "latency_p99": "99 % within",
    "latency_p999": "99.9 % within",
    "latency_max": "longest",
    "slowest_second": "slowest second",
    "duration": "in all",
    "cpu_time": "of the processor",
    "device_read_size": "the device read",
    "device_write_size": "the device wrote",
    "photo_rate": "photos",
}
_IN_A_LINE = 20  # most repeats in a line
# Named in each row, even if all rows have the same value.
_OF_A_ROW = ("order", "direction", "action", "block_size_bytes")
_OPEN_AU = ("open_au", "order", "block_size_bytes")
_ALIGN = ("align_pre", "align_on", "align_post", "align_diff")


def stream_lines(report: JsonMapping) -> list[str]:
    rows = [row for row in measurements(report) if row["workload"] not in _WITH_TABLES and row.get("values")]
    if not rows:
        return []
    lines = heading("How fast", "median (and each repeat)")
    for _, group in groupby(rows, lambda row: (row["workload"], row.get("parameters", {}).get("direction"))):
        lines += group_lines([*group])
    return lines + _buffered_note(rows)


def group_lines(rows: Sequence[JsonMapping]) -> Iterator[str]:
    """Yield a line with the parameters that all measurements share, then the lines of each with all repeats."""
    shared = _shared_parameters(rows, apart=_OF_A_ROW)
    yield shared_line(rows, apart=_OF_A_ROW)
    said = ""
    for row in rows:
        own = {name: value for name, value in row.get("parameters", {}).items() if name not in shared}
        work = describe(row["workload"], own)
        if row["metric"] not in _MAIN and work != said:
            yield f"  {work}"
        title = work if row["metric"] in _MAIN else f"{DETAILS.get(row['metric'], row['metric']):>44}"
        said = work
        yield from _value_lines(title, row)


def _shared_parameters(rows: Sequence[JsonMapping], *, apart: Collection[str]) -> dict[str, Any]:
    first, *others = (row.get("parameters", {}) for row in rows)
    return {
        name: value
        for name, value in first.items()
        if name not in apart and all(other.get(name) == value for other in others)
    }


def shared_line(rows: Sequence[JsonMapping], *, apart: Collection[str] = ()) -> str:
    """Return a line with the parameters that all measurements share, except those named in `apart`."""
    return f"  each: {describe('stream', _shared_parameters(rows, apart=apart))}".rstrip()


def _value_lines(title: str, row: JsonMapping) -> Iterator[str]:
    values = row["values"]
    whole = middle(row)
    repeats = [whole.say(value)[0] for value in values]
    lines = [", ".join(repeats[at : at + _IN_A_LINE]) for at in range(0, len(values), _IN_A_LINE)]
    more = f"  ({lines[0]}; spread {spread(values):.1%})" if len(values) > 1 else ""
    yield f"  {title:<44}  {whole!s:>16}{more}"
    yield from (f"    and {line}" for line in lines[1:])


def _buffered_note(rows: Iterable[JsonMapping]) -> list[str]:
    cells = (row for row in rows if row["workload"] not in fileset.WORKLOADS)
    if all(row.get("parameters", {}).get("io") != "buffered" for row in cells):
        return []
    return ["  This file system does not allow direct I/O: these may be times of memory, not of the card."]


def boundary_lines(report: JsonMapping) -> list[str]:
    rows = [row for row in measurements(report, "align") if row.get("values")]
    if not rows:
        return []
    lines = heading(
        "The cost of crossing a boundary",
        "reads before, across and after a boundary; below the size of the erase block or page, the difference gets"
        " smaller",
    )
    for group in _tables(rows, apart=("align_bytes",)):
        lines.append(shared_line(group, apart=("align_bytes",)))
        lines.append(f"  {'multiples of':>12}{'before':>12}{'across':>12}{'after':>12}{'difference':>12}")
        lines += _boundary_rows(group)
    return lines


def _boundary_rows(rows: Iterable[JsonMapping]) -> Iterator[str]:
    by_align: dict[int, dict[str, JsonMapping]] = {}
    for row in rows:
        by_align.setdefault(row["parameters"]["align_bytes"], {})[row["metric"]] = row
    costs = {
        align: middle(known["align_diff"]).base for align, known in by_align.items() if "align_diff" in known
    }
    for align_bytes, known in sorted(by_align.items(), reverse=True):
        cells = "".join(f"{str(middle(known[name])) if name in known else '–':>12}" for name in _ALIGN)
        cost = bar(costs.get(align_bytes, 0), max(costs.values(), default=0))
        yield f"  {binary(align_bytes):>12}{cells}  {cost}".rstrip()


def _tables(rows: Iterable[JsonMapping], *, apart: Collection[str]) -> Iterable[list[JsonMapping]]:
    tables: dict[str, list[JsonMapping]] = {}
    for row in rows:
        rest = {name: value for name, value in row["parameters"].items() if name not in apart}
        tables.setdefault(describe("stream", rest), []).append(row)
    return tables.values()


def open_au_lines(report: JsonMapping) -> list[str]:
    """Return the lines with the throughput by number of units written in turn; it collapses at the card's limit."""
    rows = [
        row for row in measurements(report, "open-au") if row.get("values") and row["metric"] == "throughput"
    ]
    if not rows:
        return []
    lines = heading(
        "How many units can be open at once",
        "throughput by number of units written in turn, and size of each write",
    )
    most = max(middle(row).base for row in rows)
    for group in _tables(rows, apart=_OPEN_AU):
        lines.append(shared_line(group, apart=_OPEN_AU))
        lines += [_open_au_row(row, most) for row in group]
    return lines


def _open_au_row(row: JsonMapping, most: float) -> str:
    parameters, rate = row["parameters"], middle(row)
    order, size = parameters["order"], binary(parameters["block_size_bytes"])
    return f"  {parameters['open_au']:>4} {order:<10}{size:>8}{rate!s:>12}  {bar(rate.base, most)}".rstrip()


def describe_work(row: JsonMapping) -> str:
    """Return a description of the work that a measurement timed, for people."""
    return describe_briefly(row["workload"], row.get("parameters", {}))


def measurements(report: JsonMapping, *workloads: str) -> Iterator[JsonMapping]:
    """Yield the measurements of these workloads, or all; but none that is shown in the format of flashbench."""
    hidden = _FLASHBENCH if report.get("extra", {}).get("flashbench") else ()
    for row in report.get("measurements", ()):
        if row.get("workload") not in hidden and (not workloads or row.get("workload") in workloads):
            yield row
