"""The registry of metrics, workloads, and the figures that may be compared between cards.

Each is a row of data/metrics.csv, data/workloads.csv or data/figures.csv; validation, columns, pages and documentation
read these tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from submissions.domain import tables
from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import units
from submissions.domain.translation import Titled

KIB, MIB = 1024, 1024**2


@dataclass(frozen=True, slots=True)
class Metric(Titled):
    """A kind of number, such as throughput; a row of data/metrics.csv.

    `base_unit` is the unit in which values are stored; only values of a `signed` metric may be zero or less; `better`:
    higher, lower or neither. A metric `of_throughput` belongs to every workload without metrics of its own.
    """

    name: str
    english: str
    base_unit: str
    better: str
    signed: bool
    of_throughput: bool


@dataclass(frozen=True, slots=True)
class Workload(Titled):
    """An access pattern, with the parameters that it must state and the metrics that it may yield."""

    name: str
    english: str
    required: tuple[str, ...]
    metrics: tuple[str, ...]


# Kinds of slots that are unlike all others: one bit at a time, and PCIe.
OWN_SLOTS = ("spi", "express")


@dataclass(frozen=True, slots=True)
class Figure(Titled):
    """A measurement with fixed semantics: only figures are compared between cards.

    `where` names the exact parameters; a tuple of two numbers is an inclusive range, a frozenset lists the allowed
    values (None: not stated). I/O mode, sync mode and queue depth are always part of `where`, so that direct and
    buffered, synchronous and not, QD1 and QD32 never mix. `slot` is the kind of slot if it is in OWN_SLOTS, else "":
    figures of one kind say nothing about another. `ability`: the name of the ability (see ABILITIES) that it measures.
    """

    name: str
    english: str
    ability: str
    workload: str
    metric: str
    where: Mapping[str, Any] = field(default_factory=dict)
    slot: str = ""

    @property
    def base_unit(self) -> str:
        return METRICS[self.metric].base_unit

    @property
    def writes(self) -> bool:
        return self.where.get("direction") != "read"


METRICS = {
    row["name"]: Metric(
        *(row["name"], row["title"], row["base_unit"], row["better"]),
        signed=row["signed"] == "yes",
        of_throughput=row["of_throughput"] == "yes",
    )
    for row in tables.rows("metrics")
}
_OF_THROUGHPUT = tuple(name for name, metric in METRICS.items() if metric.of_throughput)


WORKLOADS = {
    row["name"]: Workload(
        *(row["name"], row["title"], tuple(row["required"].split())),
        metrics=tuple(row["metrics"].split()) or _OF_THROUGHPUT,
    )
    for row in tables.rows("workloads")
}

# Parameters that figures may specify, and the reasons for the allowed values:
# - From 1 MiB on a card has reached its plateau, so blocks of 1 to 16 MiB are one figure (flashbench README, open-AU
#   tables; iozone tables of ThomasKaiser/Knowledge, A1_and_A2_rated_SD_cards.md, where 1 and 16 MiB differ by 5 %).
# - Through the page cache the kernel chooses the requests to the card, not the program.
# - A read need not state that it syncs nothing, nor a write into open AUs that it is a write.
# - One sync after direct writes of 100 MB adds one flush to 25,600 operations: iozone -e -I, as microsd-benchmarks.sh
#   of pidramble.com, sd-card-bench.sh and PiBenchmarks call it, measures the same as fio without a sync.
# - A report that does not state whether commands were queued may have queued them.
_ASKED = (
    *("direction", "order", "block_size_bytes", "queue_depth", "io", "sync", "command_queue", "open_au"),
)
_WORDS: Mapping[str, Any] = {"unstated": None, "yes": True, "no": False}


# "4096" or "read" is a single value; "1048576-16777216" a range, "none|osync" a choice of values.
def _parse_cell(cell: str) -> Any:
    if "|" in cell:
        return frozenset(map(_parse_cell, cell.split("|")))
    low, to, high = cell.partition("-")
    if to:
        return int(low), int(high)
    return int(cell) if cell.isdecimal() else _WORDS.get(cell, cell)


def _figure(row: Mapping[str, str]) -> Figure:
    where = {name: _parse_cell(row[name]) for name in _ASKED if row[name]}
    named = (row["name"], row["title"], row["ability"], row["workload"], row["metric"])
    return Figure(*named, where, row["slot"])


FIGURES = {row["name"]: _figure(row) for row in tables.rows("figures")}


@dataclass(frozen=True, slots=True)
class Ability(Titled):
    """A property by which cards are compared, such as the rate of small writes; several figures may measure it.

    Needs, words and estimates belong to abilities. `queue_of`: if a command queue is part of the ability, the ability
    without a queue; else "". `slot`: as for a figure. `typical`: the value of an unknown card, in the base unit;
    `spread`: one standard deviation between cards, in natural-log units.
    """

    name: str
    english: str
    base_unit: str
    queue_of: str
    slot: str
    typical: float
    spread: float

    @property
    def is_linked(self) -> bool:
        """Return whether the bus of a host limits the ability, because it is counted in bytes per second."""
        return self.base_unit == units.RATE

    @property
    def sign(self) -> int:
        """Return 1, or -1 if less is better, as for a latency, which is estimated as its inverse."""
        return -1 if self.base_unit == units.TIME else 1


# In this order abilities are numbered in stored arrays: append only.
ABILITIES = {
    row["name"]: Ability(
        *(row["name"], row["title"], row["base_unit"], row["queue_of"], row["slot"]),
        typical=float(row["typical"]),
        spread=float(row["spread"]),
    )
    for row in tables.rows("abilities")
}
NUMBER_OF_ABILITY = {name: number for number, name in enumerate(ABILITIES)}


def describe(workload: str, metric: str) -> Metric:
    """Return the metric of a workload. Raise UnknownWorkload unless the registry has both together."""
    if workload not in WORKLOADS:
        raise UnknownWorkload(
            f"Workload “{workload}” is unknown; choose from {', '.join(WORKLOADS)}.", field="workload"
        )
    if metric not in WORKLOADS[workload].metrics:
        allowed = ", ".join(WORKLOADS[workload].metrics)
        raise UnknownWorkload(
            f"Metric “{metric}” does not belong to {workload}, which has {allowed}.", field="metric"
        )
    return METRICS[metric]


def figure_of(workload: str, metric: str, parameters: Mapping[str, Any], *, slot: str = "") -> Figure | None:
    """Return the comparable figure (a row of data/figures.csv) that a measurement is, None if it is only shown.

    `slot`: the kind of slot, as for a figure.
    """
    return _figure_of(workload, metric, slot, tuple(map(parameters.get, _ASKED)))


@lru_cache(maxsize=10_000)  # most reports have the same tests
def _figure_of(workload: str, metric: str, slot: str, stated: tuple[Any, ...]) -> Figure | None:
    parameters = dict(zip(_ASKED, stated, strict=True))
    for figure in FIGURES.values():
        same = (figure.workload, figure.metric, figure.slot) == (workload, metric, slot)
        if same and not find_differences(figure, parameters):
            return figure
    return None


def find_differences(figure: Figure, parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of the parameters by which a measurement differs from a comparable figure."""
    return [name for name, wanted in figure.where.items() if not _fits(wanted, parameters.get(name))]


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


def amount_in_words(value: float, base_unit: str) -> str:
    """Return a value in its base unit as people write it, with three digits: "5.19 MB/s", "1,905 IOPS"."""
    if base_unit == units.SIZE:
        return size_in_words(round(value))
    spoken = _SPOKEN[base_unit]
    rounded = abs(float(f"{value:.3g}"))  # before the unit is chosen: 999.9 kB/s is 1 MB/s
    unit, factor = next((choice for choice in spoken if rounded >= choice[1]), spoken[-1])
    return f"{_three_digits(value / factor)} {unit}".rstrip()


def size_in_words(size_bytes: int) -> str:
    """Return a size as people write it: "4 MiB", "1.5 KiB"; in bytes unless it is a multiple of half a unit."""
    for unit, factor in (("GiB", 1024**3), ("MiB", MIB), ("KiB", KIB)):
        halves, rest = divmod(size_bytes, factor // 2)
        if size_bytes >= factor and rest == 0:
            return f"{halves // 2:,}{'.5' if halves % 2 else ''} {unit}"
    return f"{size_bytes:,} byte{'' if size_bytes == 1 else 's'}"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
