"""A report -> what plausibility rules look at: each measurement with its host, its link and the rest of its run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from submissions.domain.measuring import host_link, metrics, units
from submissions.domain.measuring.plausibility import Circumstances
from submissions.domain.report import Conditions, Report

_WITHIN = 1.02  # of the raw link rate, as in plausibility.RULES
Pattern = tuple[Any, ...]


@dataclass(frozen=True)
class UnjudgedMeasurement:
    """One measurement in base units, not judged yet; `value` is None when all repeats failed."""

    workload: str
    metric: metrics.Metric
    parameters: Mapping[str, Any]
    value: float | None
    spread: float | None
    is_figure: bool

    @property
    def bytes_per_second(self) -> float | None:
        """None for metrics that move no data, and for operations per second without a block size."""
        if self.value is None or self.metric.base_unit == units.RATE:
            return self.value
        block = self.parameters.get("block_size_bytes")
        return self.value * float(block) if self.metric.base_unit == units.IOPS and block else None

    @cached_property
    def pattern(self) -> Pattern:
        """The test apart from its metric: equal for throughput and operations per second of one test."""
        return self.workload, *sorted(self.parameters.items())


Twins = Mapping[tuple[str, Pattern], UnjudgedMeasurement]


def circumstances_of(
    report: Report, measurements: Sequence[UnjudgedMeasurement], *, bus: str | None
) -> Iterator[Circumstances]:
    """What plausibility rules look at, for each measurement of a report in its order."""
    link = host_link.of_host(report.host, bus, express=report.card.label.is_express)
    twins = _twins(measurements)
    shared = partial(
        Circumstances,
        link=link,
        bus=bus,
        writes_fit=any(_is_fitting_write(measurement, link) for measurement in measurements),
        memory_bytes=report.host.memory_bytes,
        erase_block_bytes=report.card.preferred_erase_size_bytes or 4 * metrics.MIB,
        throttled=any(state.throttled for state in (report.run.before, report.run.after) if state),
        crowded=_is_crowded(report.run.before),
    )
    return (_with_measurement(shared, measurement, twins) for measurement in measurements)


def _with_measurement(
    shared: partial[Circumstances], measurement: UnjudgedMeasurement, twins: Twins
) -> Circumstances:
    pattern = measurement.pattern
    throughput, iops = twins.get(("throughput", pattern)), twins.get(("iops", pattern))
    twin = {"throughput": iops, "iops": throughput}.get(measurement.metric.name)
    return shared(
        bytes_per_second=measurement.bytes_per_second,
        twin_bytes_per_second=twin.bytes_per_second if twin else None,
        operations_per_second=iops.value if iops else None,
        workload=measurement.workload,
        parameters=measurement.parameters,
        spread=measurement.spread,
        compared=measurement.is_figure,
    )


def _twins(measurements: Iterable[UnjudgedMeasurement]) -> Twins:
    """Throughput and operations per second of each test, by metric and pattern."""
    of_rates = (
        measurement for measurement in measurements if measurement.metric.name in ("throughput", "iops")
    )
    return {(measurement.metric.name, measurement.pattern): measurement for measurement in of_rates}


def _is_fitting_write(measurement: UnjudgedMeasurement, link: host_link.Link) -> bool:
    rate = measurement.bytes_per_second
    writes = measurement.parameters.get("direction") == "write"
    return writes and rate is not None and 0 < rate <= _WITHIN * link.raw_bytes_per_second


def _is_crowded(before: Conditions | None) -> bool:
    if before is None or before.load_average is None or before.processors is None:
        return False
    return before.load_average > before.processors
