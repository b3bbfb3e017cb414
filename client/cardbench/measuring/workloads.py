"""The workloads that time single operations, and the functions that turn the times into figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cardbench.measuring import figures
from cardbench.measuring.cells import Cell
from cardbench.shapes import JsonDict
from cardbench.sizes import KIB, SECOND_NS

_LARGE_BLOCK_BYTES = 64 * KIB
_TIMES = (
    *("latency_min", "latency_mode", "latency_p50", "latency_p99", "latency_p999", "latency_max"),
    *("align_pre", "align_on", "align_post", "align_diff", "duration", "cpu_time"),
)
METRIC_UNITS = {
    **dict.fromkeys(("throughput", "slowest_second"), "B/s"),
    **dict.fromkeys(("device_read_size", "device_write_size"), "B"),
    **dict.fromkeys(_TIMES, "ns"),
    "iops": "1/s",
}


def list_measurements(
    workload: str, repeats: Sequence[Mapping[str, float]], shared: JsonDict, main: str = "iops"
) -> list[JsonDict]:
    """Return the measurements of some work for a report: one for each metric that every repeat has.

    If no repeat succeeded, there is only one, of the metric `main`, without values.
    """
    names = [name for name in repeats[0] if all(name in repeat for repeat in repeats)] if repeats else [main]
    return [
        {
            "workload": workload,
            "metric": name,
            "unit": METRIC_UNITS[name],
            "values": [_round_value(repeat[name]) for repeat in repeats],
        }
        | shared
        for name in names
    ]


def _round_value(value: float) -> float:
    # Keeps no more digits than a clock of nanoseconds can measure.
    return round(value, 1) if value < 1e6 else round(value)


# Access pattern, times of its operations in ns, and their total time in ns -> metric -> value.
Values = Callable[[Cell, Sequence[int], int], dict[str, float]]


@dataclass(frozen=True)
class Workload:
    """A workload: the function that computes its figures. The suites run it with different parameters."""

    values: Values
    is_open_ended: bool = False  # continues until its time is used up; its throughput over time is kept


def _rate(count: int, elapsed_ns: int) -> float:
    return count * SECOND_NS / max(1, elapsed_ns)


def _throughput(cell: Cell, durations_ns: Sequence[int], elapsed_ns: int) -> dict[str, float]:
    return {"throughput": _rate(cell.block_size_bytes * len(durations_ns), elapsed_ns)}


def _stream_values(cell: Cell, durations_ns: Sequence[int], elapsed_ns: int) -> dict[str, float]:
    # Large blocks are judged by throughput, small blocks by IOPS and latency.
    if cell.is_whole_file:
        return {**_throughput(cell, durations_ns, elapsed_ns), "duration": elapsed_ns}
    if cell.block_size_bytes >= _LARGE_BLOCK_BYTES:
        return _throughput(cell, durations_ns, elapsed_ns)
    return {"iops": _rate(len(durations_ns), elapsed_ns)} | figures.latencies(durations_ns)


def _chunk_values(cell: Cell, durations_ns: Sequence[int], elapsed_ns: int) -> dict[str, float]:
    return _throughput(cell, durations_ns, elapsed_ns) | {
        "latency_min": min(durations_ns),
        "latency_mode": figures.mode(durations_ns),
        "latency_p50": figures.percentile(durations_ns, 50),
        "latency_max": max(durations_ns),
    }


def _sync_values(cell: Cell, durations_ns: Sequence[int], elapsed_ns: int) -> dict[str, float]:
    whole = {**_throughput(cell, durations_ns, elapsed_ns), "duration": elapsed_ns}
    return whole | figures.latencies(durations_ns)


def _open_au_values(cell: Cell, durations_ns: Sequence[int], _elapsed_ns: int) -> dict[str, float]:
    return _throughput(cell, durations_ns, sum(durations_ns))


def _sustained_values(cell: Cell, durations_ns: Sequence[int], _elapsed_ns: int) -> dict[str, float]:
    # The throughput is that of the second half, when a write cache is full.
    half = durations_ns[len(durations_ns) // 2 :]
    slowest = figures.slowest_second(cell.block_size_bytes, durations_ns)
    return {
        **_throughput(cell, half, sum(half)),
        **({"slowest_second": slowest} if slowest else {}),
        **figures.latencies(durations_ns),
    }


TIMED: Mapping[str, Workload] = {
    "stream": Workload(_stream_values),
    "chunk": Workload(_chunk_values),
    "sync": Workload(_sync_values),
    "open-au": Workload(_open_au_values),
    "sustained": Workload(_sustained_values, is_open_ended=True),
}


def first_metric(cell: Cell) -> str:
    """Return the main metric of an access pattern, for the report if no repeat succeeded."""
    if cell.align_bytes:
        return "align_diff"
    is_rate = cell.workload != "stream" or cell.block_size_bytes >= _LARGE_BLOCK_BYTES
    return "throughput" if is_rate else "iops"
