"""What one measurement must be seen together with: its host, its link, and the rest of its run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from submissions.domain.measuring import links, metrics, units
from submissions.domain.measuring.plausibility import Evidence
from submissions.domain.report import Conditions, Report

_WITHIN: Final = 1.02  # of the raw link rate, as in plausibility.RULES
Pattern = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """One measurement in base units, not judged yet; `value` is None when all repeats failed."""

    workload: str
    metric: metrics.Metric
    parameters: Mapping[str, Any]
    value: float | None
    spread: float | None
    is_figure: bool

    @property
    def bytes_per_second(self) -> float | None:
        """None for metrics that move no data, or in blocks of a size that was not told."""
        if self.value is None or self.metric.base_unit == units.RATE:
            return self.value
        block = self.parameters.get("block_size_bytes")
        return self.value * float(block) if self.metric.base_unit == units.IOPS and block else None

    @property
    def pattern(self) -> Pattern:
        return self.workload, *sorted(self.parameters.items())


def evidence(report: Report, taken: Sequence[Taken], *, bus: str | None) -> Iterator[Evidence]:
    """For each measurement, in order."""
    link = links.of_host(report.host, bus)
    twins = _twins(taken)
    shared = Evidence(
        link=link,
        bus=bus,
        writes_fit=any(_is_fitting_write(measurement, link) for measurement in taken),
        memory_bytes=report.host.memory_bytes,
        erase_block_bytes=report.card.preferred_erase_size_bytes or 4 * metrics.MIB,
        throttled=any(state.throttled for state in (report.run.before, report.run.after) if state),
        crowded=_is_crowded(report.run.before),
    )
    for one in taken:
        throughput, iops = (twins.get((name, one.pattern)) for name in ("throughput", "iops"))
        twin = {"throughput": iops, "iops": throughput}.get(one.metric.name)
        yield replace(
            shared,
            bytes_per_second=one.bytes_per_second,
            twin_bytes_per_second=twin.bytes_per_second if twin else None,
            operations_per_second=iops.value if iops else None,
            workload=one.workload,
            parameters=one.parameters,
            spread=one.spread,
            compared=one.is_figure,
        )


def _twins(taken: Iterable[Taken]) -> dict[tuple[str, Pattern], Taken]:
    """Throughput and operations per second of each test, by metric and pattern."""
    return {
        (measurement.metric.name, measurement.pattern): measurement
        for measurement in taken
        if measurement.metric.name in ("throughput", "iops")
    }


def _is_fitting_write(measurement: Taken, link: links.Link) -> bool:
    rate = measurement.bytes_per_second
    writes = measurement.parameters.get("direction") == "write"
    return writes and rate is not None and 0 < rate <= _WITHIN * link.raw_bytes_per_second


def _is_crowded(before: Conditions | None) -> bool:
    if before is None or before.load_average is None or before.processors is None:
        return False
    return before.load_average > before.processors
