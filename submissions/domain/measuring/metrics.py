"""What can be measured, described once: metrics, workloads, and the figures that may be compared.

A new metric, workload or figure is one row here; validation, columns, pages and documentation follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import units
from submissions.domain.translation import Titled

Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Metric(Titled):
    """One kind of number. `base_unit` is what is stored; only a `signed` one may be zero or less."""

    name: str
    english: str
    base_unit: str
    better: Better
    signed: bool = False


METRICS = {
    metric.name: metric
    for metric in (
        Metric("throughput", "Throughput", units.RATE, "higher"),
        Metric("iops", "Operations per second", units.IOPS, "higher"),
        Metric("slowest_second", "Throughput, slowest second", units.RATE, "higher"),
        Metric("latency_min", "Latency, shortest", units.TIME, "lower"),
        Metric("latency_mode", "Latency, most frequent", units.TIME, "lower"),
        Metric("latency_mean", "Latency, mean", units.TIME, "lower"),
        Metric("latency_p50", "Latency, median", units.TIME, "lower"),
        Metric("latency_p99", "Latency, 99th percentile", units.TIME, "lower"),
        Metric("latency_p999", "Latency, 99.9th percentile", units.TIME, "lower"),
        Metric("latency_max", "Latency, longest", units.TIME, "lower"),
        Metric("align_pre", "Read before the boundary", units.TIME, "lower"),
        Metric("align_on", "Read across the boundary", units.TIME, "lower"),
        Metric("align_post", "Read after the boundary", units.TIME, "lower"),
        Metric("align_diff", "Cost of crossing the boundary", units.TIME, "neither", signed=True),
        Metric("erase_block_size", "Erase block, estimated", units.SIZE, "neither"),
        Metric("page_size", "Page, estimated", units.SIZE, "neither"),
        Metric("open_au_linear", "Open AUs, linear", units.COUNT, "higher"),
        Metric("open_au_random", "Open AUs, random", units.COUNT, "higher"),
        Metric("fat_area_size", "FAT area, estimated", units.SIZE, "neither"),
        Metric("write_cache_size", "Write cache, estimated", units.SIZE, "higher"),
        Metric("duration", "Duration", units.TIME, "lower"),
        Metric("cpu_time", "CPU time", units.TIME, "lower"),
        Metric("device_read_size", "Read from the device", units.SIZE, "neither"),
        Metric("device_write_size", "Written to the device", units.SIZE, "neither"),
        Metric("real_capacity", "Capacity, tried out", units.SIZE, "neither"),
    )
}

_THROUGHPUT = (
    "throughput",
    "iops",
    "slowest_second",
    "latency_min",
    "latency_mode",
    "latency_mean",
    "latency_p50",
    "latency_p99",
    "latency_p999",
    "latency_max",
    "duration",
    "cpu_time",
    "device_read_size",
    "device_write_size",
)


@dataclass(frozen=True, slots=True)
class Workload(Titled):
    """One access pattern: which parameters it must state, which metrics it may yield."""

    name: str
    english: str
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
            (
                "erase_block_size",
                "page_size",
                "open_au_linear",
                "open_au_random",
                "fat_area_size",
                "write_cache_size",
            ),
        ),
        Workload("sustained", "Writing on and on", ("direction", "block_size_bytes"), _THROUGHPUT),
        Workload("chunk", "Chunks at random places", ("direction", "block_size_bytes"), _THROUGHPUT),
        Workload("sync", "The cost of synchronous writing", ("sync", "block_size_bytes"), _THROUGHPUT),
        Workload("files", "Many small files", ("action", "file_count", "file_size_bytes"), _THROUGHPUT),
        Workload("mixed", "Threads with mixed work", ("threads",), _THROUGHPUT),
        Workload("copy", "Copying a directory", ("file_count",), _THROUGHPUT),
        Workload("capacity", "Stamps planted and found again", (), ("real_capacity",)),
    )
}

KIB, MIB = 1024, 1024**2


@dataclass(frozen=True, slots=True)
class Figure(Titled):
    """A measurement with fixed semantics: only these are compared between cards.

    `where` names the exact parameters; a tuple of two numbers is an inclusive range, a frozenset holds what
    is allowed (None: not stated). I/O mode, sync mode and queue depth always stand in `where`, so that direct
    and buffered, synchronous and not, QD1 and QD32 never mix.
    """

    name: str
    english: str
    workload: str
    metric: str
    where: Mapping[str, Any] = field(default_factory=dict)

    @property
    def base_unit(self) -> str:
        return METRICS[self.metric].base_unit


# From 1 MiB on a card has reached its plateau, so blocks of 1 to 4 MiB are one figure
# (flashbench README, open-AU tables).
_LARGE = (MIB, 4 * MIB)
# A read need not say that it syncs nothing, and who writes into open AUs need not say that it writes.
_UNSYNCED, _WRITING = frozenset({None, "none"}), frozenset({None, "write"})
# Who does not say whether commands were queued may have queued them.
_PERHAPS_QUEUED = frozenset({None, True})


def _stream(
    direction: str, order: str, block: Any, *, queue_depth: int = 1, sync: Any = "none"
) -> dict[str, Any]:
    return {
        "direction": direction,
        "order": order,
        "block_size_bytes": block,
        "queue_depth": queue_depth,
        "io": "direct",
        "sync": sync if direction == "write" else _UNSYNCED,
    }


def _qd32(direction: str, order: str, block: Any) -> dict[str, Any]:
    """Parameters of Raspberry Pi's Diagnostics since July 2024: fio, libaio, O_DIRECT, fsync at the end of writes."""
    pattern = _stream(direction, order, block, queue_depth=32, sync="fsync_at_end")
    return pattern | {"command_queue": _PERHAPS_QUEUED}


def _unqueued(direction: str, order: str, block: Any) -> dict[str, Any]:
    """Parameters of `_qd32` with command queueing off: the card sees one command at a time, as in every slot that
    cannot queue."""
    return _qd32(direction, order, block) | {"command_queue": False}


def _one_open_au(order: str, block: int) -> dict[str, Any]:
    """Parameters of flashbench --open-au --open-au-nr=1: O_DIRECT and O_SYNC, one write at a time."""
    return _stream("write", order, block, sync="osync") | {"direction": _WRITING, "open_au": 1}


_THROUGHPUT_OF, _IOPS_OF = ("stream", "throughput"), ("stream", "iops")

FIGURES = {
    figure.name: figure
    for figure in (
        Figure("seq_read", "Sequential read", *_THROUGHPUT_OF, _stream("read", "sequential", _LARGE)),
        Figure("seq_write", "Sequential write", *_THROUGHPUT_OF, _stream("write", "sequential", _LARGE)),
        Figure("rand_read_4k", "Random read, 4 KiB", *_IOPS_OF, _stream("read", "random", 4 * KIB)),
        Figure("rand_write_4k", "Random write, 4 KiB", *_IOPS_OF, _stream("write", "random", 4 * KIB)),
        Figure(
            "seq_read_qd32", "Sequential read, QD32", *_THROUGHPUT_OF, _qd32("read", "sequential", _LARGE)
        ),
        Figure(
            "seq_write_qd32", "Sequential write, QD32", *_THROUGHPUT_OF, _qd32("write", "sequential", _LARGE)
        ),
        Figure("rand_read_4k_qd32", "Random read, 4 KiB, QD32", *_IOPS_OF, _qd32("read", "random", 4 * KIB)),
        Figure(
            "rand_write_4k_qd32", "Random write, 4 KiB, QD32", *_IOPS_OF, _qd32("write", "random", 4 * KIB)
        ),
        Figure(
            "seq_read_unqueued",
            "Sequential read, no queue",
            *_THROUGHPUT_OF,
            _unqueued("read", "sequential", _LARGE),
        ),
        Figure(
            "seq_write_unqueued",
            "Sequential write, no queue",
            *_THROUGHPUT_OF,
            _unqueued("write", "sequential", _LARGE),
        ),
        Figure(
            "rand_read_4k_unqueued",
            "Random read, 4 KiB, no queue",
            *_IOPS_OF,
            _unqueued("read", "random", 4 * KIB),
        ),
        Figure(
            "rand_write_4k_unqueued",
            "Random write, 4 KiB, no queue",
            *_IOPS_OF,
            _unqueued("write", "random", 4 * KIB),
        ),
        Figure(
            "open_au_write_osync",
            "Synchronous write, 1 MiB, one open AU",
            "open-au",
            "throughput",
            _one_open_au("sequential", MIB),
        ),
        Figure(
            "open_au_random_16k_osync",
            "Synchronous random write, 16 KiB, one open AU",
            "open-au",
            "throughput",
            _one_open_au("random", 16 * KIB),
        ),
    )
}


def describe(workload: str, metric: str) -> Metric:
    """The metric of a workload. Raises UnknownWorkload unless the registry knows both together."""
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
    """The figure that this measurement is, None for one that is shown but not compared."""
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
    if isinstance(wanted, frozenset):
        return value in wanted
    return bool(value == wanted)


_SPOKEN = {
    units.RATE: (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1)),
    units.IOPS: (("IOPS", 1),),
    units.TIME: (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)),
    units.COUNT: (("", 1),),
}


def in_words(value: float, base_unit: str) -> str:
    """A value in its base unit as people write it, three digits: "5.19 MB/s", "2.27 ms", "1,905 IOPS"."""
    if base_unit == units.SIZE:
        return size_in_words(round(value))
    spoken = _SPOKEN[base_unit]
    rounded = abs(float(f"{value:.3g}"))  # before the unit is chosen: 999.9 kB/s is 1 MB/s
    unit, factor = next((choice for choice in spoken if rounded >= choice[1]), spoken[-1])
    return f"{_three_digits(value / factor)} {unit}".rstrip()


def size_in_words(size_bytes: int) -> str:
    """4194304 -> "4 MiB", 1536 -> "1.5 KiB"; what is no multiple of 512 bytes is spelled out in bytes."""
    for unit, factor in (("GiB", 1024**3), ("MiB", MIB), ("KiB", KIB)):
        halves, rest = divmod(size_bytes, factor // 2)
        if size_bytes >= factor and rest == 0:
            return f"{halves // 2:,}{'.5' if halves % 2 else ''} {unit}"
    return f"{size_bytes:,} byte{'' if size_bytes == 1 else 's'}"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
