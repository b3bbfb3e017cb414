"""What can be measured, described once: metrics, workloads, and the figures that may be compared with each other.

A new metric, workload or figure is one row here; validation, columns, pages and documentation follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from submissions.domain import units
from submissions.domain.errors import UnknownWorkload

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One kind of number. `base_unit` is what is stored."""

    name: str
    title: str
    base_unit: str
    better: Better


METRICS = {
    metric.name: metric
    for metric in (
        Metric("throughput", "Throughput", units.RATE, "higher"),
        Metric("iops", "Operations per second", units.IOPS, "higher"),
        Metric("latency_mean", "Latency, mean", units.TIME, "lower"),
        Metric("latency_p50", "Latency, median", units.TIME, "lower"),
        Metric("latency_p99", "Latency, 99th percentile", units.TIME, "lower"),
        Metric("latency_p999", "Latency, 99.9th percentile", units.TIME, "lower"),
        Metric("latency_max", "Latency, longest", units.TIME, "lower"),
        Metric("align_pre", "Read before the boundary", units.TIME, "lower"),
        Metric("align_on", "Read across the boundary", units.TIME, "lower"),
        Metric("align_post", "Read after the boundary", units.TIME, "lower"),
        Metric("align_diff", "Cost of crossing the boundary", units.TIME, "neither"),
        Metric("erase_block_size", "Erase block, estimated", units.SIZE, "neither"),
        Metric("page_size", "Page, estimated", units.SIZE, "neither"),
        Metric("open_au_linear", "Open AUs, linear", units.COUNT, "higher"),
        Metric("open_au_random", "Open AUs, random", units.COUNT, "higher"),
        Metric("duration", "Duration", units.TIME, "lower"),
    )
}

_THROUGHPUT = (
    "throughput",
    "iops",
    "latency_mean",
    "latency_p50",
    "latency_p99",
    "latency_p999",
    "latency_max",
    "duration",
)


@dataclass(frozen=True, slots=True)
class Workload:
    """One access pattern: which parameters it must state, which metrics it may yield."""

    name: str
    title: str
    required: tuple[str, ...]
    metrics: tuple[str, ...]


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("stream", "Reading or writing on", ("direction", "order", "block_size_bytes"), _THROUGHPUT),
        Workload(
            "align",
            "Reads across boundaries",
            ("block_size_bytes", "align_bytes"),
            ("align_pre", "align_on", "align_post", "align_diff"),
        ),
        Workload(
            "open-au",
            "Writing into several AUs in turn",
            ("order", "block_size_bytes", "open_au"),
            _THROUGHPUT,
        ),
        Workload(
            "fat", "Writing the first erase blocks", ("block_size_bytes", "erase_block_index"), _THROUGHPUT
        ),
        Workload(
            "geometry",
            "Inferred geometry",
            (),
            ("erase_block_size", "page_size", "open_au_linear", "open_au_random"),
        ),
    )
}

KIB, MIB = 1024, 1024**2


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement with fixed semantics: only these are compared between cards.

    `where` names the exact parameters; a tuple of two numbers is an inclusive range. I/O mode, sync mode and queue
    depth always stand in `where`, so that direct and buffered, synchronous and not, QD1 and QD32 never mix.
    """

    name: str
    title: str
    workload: str
    metric: str
    where: Mapping[str, Any] = field(default_factory=dict)


def _stream(direction: str, order: str, block: Any, **more: Any) -> dict[str, Any]:
    return {
        "direction": direction,
        "order": order,
        "block_size_bytes": block,
        "queue_depth": 1,
        "io": "direct",
    } | more


def _qd32(direction: str, order: str, block: Any) -> dict[str, Any]:
    """What Raspberry Pi's Diagnostics runs since July 2024: fio, libaio, depth 32, O_DIRECT, fsync at the end of writes."""
    depth = {"queue_depth": 32}
    return _stream(direction, order, block, **depth) | (
        {"sync": "fsync_at_end"} if direction == "write" else {}
    )


# From 1 MiB on a card has reached its plateau, so blocks of 1 to 4 MiB are one figure (flashbench README, open-AU tables).
_LARGE = (MIB, 4 * MIB)

FIGURES = {
    figure.name: figure
    for figure in (
        Figure("seq_read", "Sequential read", "stream", "throughput", _stream("read", "sequential", _LARGE)),
        Figure(
            "seq_write",
            "Sequential write",
            "stream",
            "throughput",
            _stream("write", "sequential", _LARGE, sync="none"),
        ),
        Figure("rand_read_4k", "Random read, 4 KiB", "stream", "iops", _stream("read", "random", 4 * KIB)),
        Figure(
            "rand_write_4k",
            "Random write, 4 KiB",
            "stream",
            "iops",
            _stream("write", "random", 4 * KIB, sync="none"),
        ),
        Figure(
            "seq_read_qd32",
            "Sequential read, QD32",
            "stream",
            "throughput",
            _qd32("read", "sequential", _LARGE),
        ),
        Figure(
            "seq_write_qd32",
            "Sequential write, QD32",
            "stream",
            "throughput",
            _qd32("write", "sequential", _LARGE),
        ),
        Figure(
            "rand_read_4k_qd32",
            "Random read, 4 KiB, QD32",
            "stream",
            "iops",
            _qd32("read", "random", 4 * KIB),
        ),
        Figure(
            "rand_write_4k_qd32",
            "Random write, 4 KiB, QD32",
            "stream",
            "iops",
            _qd32("write", "random", 4 * KIB),
        ),
        Figure(
            "open_au_write_osync",
            "Synchronous write, 1 MiB, one open AU",
            "open-au",
            "throughput",
            {"order": "sequential", "block_size_bytes": MIB, "open_au": 1, "io": "direct", "sync": "osync"},
        ),
        Figure(
            "open_au_random_16k_osync",
            "Synchronous random write, 16 KiB, one open AU",
            "open-au",
            "throughput",
            {"order": "random", "block_size_bytes": 16 * KIB, "open_au": 1, "io": "direct", "sync": "osync"},
        ),
    )
}


def describe(workload: str, metric: str) -> Metric:
    """The metric of a workload. Raises UnknownWorkload when the registry knows neither or not both together."""
    if workload not in WORKLOADS:
        raise UnknownWorkload(
            f"Workload “{workload}” is not known; known are {', '.join(WORKLOADS)}.", field="workload"
        )
    if metric not in WORKLOADS[workload].metrics:
        allowed = ", ".join(WORKLOADS[workload].metrics)
        raise UnknownWorkload(
            f"Metric “{metric}” does not belong to {workload}; it has {allowed}.", field="metric"
        )
    return METRICS[metric]


def figure_of(workload: str, metric: str, parameters: Mapping[str, Any]) -> Figure | None:
    """The comparable figure this measurement is, or None when it is none (it is kept and shown all the same)."""
    for figure in FIGURES.values():
        if (figure.workload, figure.metric) == (workload, metric) and _matches(figure.where, parameters):
            return figure
    return None


def _matches(where: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    return all(_fits(wanted, parameters.get(name)) for name, wanted in where.items())


def _fits(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, tuple):
        low, high = wanted
        return value is not None and low <= value <= high
    return bool(value == wanted)


def in_words(value: float, base_unit: str) -> str:
    """A value in its base unit as people write it, three significant digits: "5.19 MB/s", "2.27 ms", "4 MiB"."""
    if base_unit == units.COUNT:
        return f"{value:g}"
    if base_unit == units.IOPS:
        return f"{_three_digits(value)} IOPS"
    if base_unit == units.SIZE:
        return size_in_words(int(value))
    for unit, factor in _SPOKEN[base_unit]:
        if abs(value) >= factor:
            return f"{_three_digits(value / factor)} {unit}"
    return f"{_three_digits(value)} {_SPOKEN[base_unit][-1][0]}"


def size_in_words(size_bytes: int) -> str:
    """4194304 -> "4 MiB"; a size that is no multiple of 1 KiB is spelled out in bytes."""
    for unit, factor in (("GiB", 1024**3), ("MiB", MIB), ("KiB", KIB)):
        if size_bytes >= factor and size_bytes % (factor // 2) == 0:
            return f"{size_bytes / factor:g} {unit}"
    return f"{size_bytes:,} bytes"


_SPOKEN = {
    units.RATE: (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1)),
    units.TIME: (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)),
}


def _three_digits(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
