"""What was timed: throughput, boundaries, places written in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median

from cardbench.cli.show.text import amount, bar, duration, heading, middle
from cardbench.measuring import fileset
from cardbench.measuring.cells import describe_access, describe_files
from cardbench.measuring.figures import spread
from cardbench.measuring.workloads import TIMED
from cardbench.shapes import JsonMapping
from cardbench.sizes import binary

_RATES = (*(name for name in TIMED if name != "open-au"), *fileset.WORKLOADS)
_SHOWN = (*_RATES, "align")
_DETAILS = {
    "latency_min": "shortest",
    "latency_mode": "most often",
    "latency_p50": "half within",
    "latency_p99": "99 % within",
    "latency_p999": "99.9 % within",
    "latency_max": "longest",
    "slowest_second": "slowest second",
    "duration": "in all",
    "cpu_time": "of the processor",
    "device_read_size": "the device read",
    "device_write_size": "the device wrote",
}


def stream_lines(report: JsonMapping) -> list[str]:
    rows = [row for name in _RATES for row in measurements(report, name) if row.get("values")]
    if not rows:
        return []
    lines = heading("How fast", "middle value (lowest to highest) of the repeats")
    for row in rows:
        lines.append(_stream_line(row))
    return lines + _buffered_note(rows)


def _stream_line(row: JsonMapping) -> str:
    values, metric = row["values"], row["metric"]
    middle = amount(metric, median(values))
    if metric in _DETAILS:
        return f"  {'':<44}{_DETAILS[metric]:>18} {middle}"
    low, high = amount(metric, min(values)), amount(metric, max(values))
    times = f"{len(values)} repeat{'s' if len(values) > 1 else ''}"
    return f"  {describe_work(row):<44}{middle:>18}  ({low} to {high}; {times}, spread {spread(values):.1%})"


def _buffered_note(rows: Iterable[JsonMapping]) -> list[str]:
    if all(
        row["parameters"].get("io") == "direct" for row in rows if row["workload"] not in fileset.WORKLOADS
    ):
        return []
    return ["  This file system does not allow direct I/O: these may be times of memory, not of the card."]


def boundary_lines(report: JsonMapping) -> list[str]:
    by_align: dict[int, dict[str, JsonMapping]] = {}
    for row in measurements(report, "align"):
        if row.get("values"):
            by_align.setdefault(row["parameters"]["align_bytes"], {})[row["metric"]] = row
    if not by_align:
        return []
    lines = heading(
        "What a boundary costs",
        "a read before, across and after; where the difference drops, erase block or page end",
    )
    lines.append(f"  {'multiples of':>12}{'before':>12}{'across':>12}{'after':>12}{'difference':>12}")
    most = max(middle(metrics["align_diff"]) for metrics in by_align.values())
    for align_bytes, metrics in sorted(by_align.items(), reverse=True):
        times = [middle(metrics[f"align_{name}"]) for name in ("pre", "on", "post", "diff")]
        cells = "".join(f"{duration(time):>12}" for time in times)
        lines.append(f"  {binary(align_bytes):>12}{cells}  {bar(times[-1], most)}".rstrip())
    return lines


def open_au_lines(report: JsonMapping) -> list[str]:
    """Throughput by the number of units written in turn: where it collapses, the card's table is full."""
    rows = [row for row in report.get("measurements", ()) if row.get("workload") == "open-au"]
    measured = [row for row in rows if row.get("values") and row["metric"] == "throughput"]
    if not measured or report.get("extra", {}).get("flashbench"):
        return []
    lines = heading(
        "How many places can be written in turn", "MB/s over so many units, and the size of a write"
    )
    most = max(middle(row) for row in measured)
    for row in measured:
        parameters = row["parameters"]
        order = "in order" if parameters["order"] == "sequential" else "at random"
        rate = middle(row)
        size = binary(parameters["block_size_bytes"])
        line = f"  {parameters['open_au']:>4} {order:<10}{size:>8}{rate / 1e6:>9.2f}  {bar(rate, most)}"
        lines.append(line.rstrip())
    return lines


def describe_work(row: JsonMapping) -> str:
    """Return what was done for a measurement, as people say it."""
    describe = describe_files if row["workload"] in fileset.WORKLOADS else describe_access
    return describe(row["workload"], row.get("parameters", {}))


def measurements(report: JsonMapping, workload: str = "") -> Iterator[JsonMapping]:
    """The measurements of a workload that have what a line needs; others are left to the server."""
    for row in report.get("measurements", ()):
        if row.get("workload") in ((workload,) if workload else _SHOWN):
            yield row
