"""Report measurements -> measurements in base units, with spread, comparable figure and verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import msgspec

from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import circumstances, host_link, metrics, plausibility, units
from submissions.domain.report import Failure, Measurement, Report


def relative_range(values: Sequence[float]) -> float | None:
    """(highest - lowest) / median, a plain ratio; None for one value or a median that is not positive."""
    if len(values) < 2 or median(values) <= 0:
        return None
    return (max(values) - min(values)) / median(values)


# Absolute values in base units beyond these are slips of a unit, and would overflow further on.
_LEAST, _MOST = 1e-6, 1e18


@dataclass(frozen=True, slots=True)
class Measured:
    """One normalized measurement in the metric's base unit.

    `value` is the median of `repeats`, None if all failed; `spread` a ratio, as relative_range.
    """

    workload: str
    metric: str
    parameters: dict[str, Any]
    repeats: tuple[float, ...]
    value: float | None
    spread: float | None
    operations: int | None
    figure: str
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A measurement or a register that stays in the raw report only; `field` is its path, `detail` a sentence."""

    field: str
    code: str
    detail: str


def normalize(report: Report, *, bus: str | None) -> tuple[tuple[Measured, ...], tuple[NotUnderstood, ...]]:
    """Every measurement of a report, either measured or not understood; the order of the report is kept."""
    read, missed = [], []
    slot = report.host.interface if report.host.interface in metrics.OWN_SLOTS else ""
    never_queues = host_link.never_queues(report.host)
    for index, measurement in enumerate(report.measurements):
        try:
            read.append(_read(_unqueued(measurement) if never_queues else measurement, slot=slot))
        except UnknownWorkload as error:
            missed.append(NotUnderstood(f"measurements[{index}].{error.field}", error.code, error.detail))
    read += _counted(read, slot=slot)
    around = circumstances.circumstances_of(report, [entry.unjudged for entry in read], bus=bus)
    return tuple(_judged(entry, facts) for entry, facts in zip(read, around, strict=True)), tuple(missed)


@dataclass(frozen=True, slots=True)
class _Read:
    """A measurement in base units, before it is judged."""

    measurement: Measurement
    unjudged: circumstances.UnjudgedMeasurement
    repeats: tuple[float, ...]
    figure: str


def _counted(read: Sequence[_Read], *, slot: str) -> list[_Read]:
    """Operations per second of what is compared by them and was told as throughput alone, as iozone does: throughput
    over the size of a block."""
    patterns = {(entry.unjudged.metric.name, entry.unjudged.pattern) for entry in read}
    return [
        _read(_as_operations(entry), slot=slot)
        for entry in read
        if entry.unjudged.metric.name == "throughput"
        and not entry.figure
        and ("iops", entry.unjudged.pattern) not in patterns
        and metrics.figure_of(entry.measurement.workload, "iops", entry.unjudged.parameters, slot=slot)
    ]


def _as_operations(entry: _Read) -> Measurement:
    block = entry.unjudged.parameters["block_size_bytes"]
    values = tuple(value / block for value in entry.repeats)
    return msgspec.structs.replace(entry.measurement, metric="iops", unit=units.IOPS, values=values)


def _unqueued(measurement: Measurement) -> Measurement:
    """In a host that cannot queue commands: whoever says nothing of it, and sent several at once, had no queue."""
    parameters = measurement.parameters
    if parameters.command_queue is not None or (parameters.queue_depth or 1) == 1:
        return measurement
    unqueued = msgspec.structs.replace(parameters, command_queue=False)
    return msgspec.structs.replace(measurement, parameters=unqueued)


def _read(measurement: Measurement, *, slot: str) -> _Read:
    metric = metrics.describe(measurement.workload, measurement.metric)
    parameters = msgspec.to_builtins(measurement.parameters)
    _require(measurement.workload, parameters)
    factor = units.factor(measurement.unit, base=metric.base_unit)
    repeats = tuple(value * factor for value in measurement.values)
    _require_range(repeats, metric)
    figure = metrics.figure_of(measurement.workload, measurement.metric, parameters, slot=slot)
    unjudged = circumstances.UnjudgedMeasurement(
        workload=measurement.workload,
        metric=metric,
        parameters=parameters,
        value=median(repeats) if repeats else None,
        spread=relative_range(repeats),
        is_figure=figure is not None,
    )
    return _Read(measurement, unjudged, repeats, figure.name if figure else "")


def _judged(read: _Read, facts: plausibility.Circumstances) -> Measured:
    verdict = _failed(read) or _with_failures(plausibility.judge(facts), read.measurement.failure)
    unjudged = read.unjudged
    return Measured(
        workload=unjudged.workload,
        metric=unjudged.metric.name,
        parameters=dict(unjudged.parameters),
        repeats=read.repeats,
        value=unjudged.value,
        spread=unjudged.spread,
        operations=read.measurement.operations,
        figure=read.figure,
        verdict=verdict.name,
        reason=verdict.reason,
    )


def _with_failures(verdict: plausibility.Verdict, failure: Failure | None) -> plausibility.Verdict:
    """The verdict; one without a reason names the repeats that failed."""
    if failure is None or verdict.reason:
        return verdict
    return plausibility.Verdict(verdict.name, f"some repeats failed: {failure.detail or failure.code}")


def _failed(read: _Read) -> plausibility.Verdict | None:
    """The verdict on a measurement without a value, or with zero or less where that is impossible; None for others."""
    failure, metric = read.measurement.failure, read.unjudged.metric
    if not read.repeats:
        reason = failure.detail or failure.code if failure else "no value was given"
        return plausibility.Verdict("failed", reason)
    if min(read.repeats) <= 0 and not metric.signed:
        detail = f"{metric.title} cannot be zero or less; a failed repeat is left out"
        return plausibility.Verdict("impossible", detail)
    return None


def _require(workload: str, parameters: dict[str, Any]) -> None:
    missing = [name for name in metrics.WORKLOADS[workload].required if name not in parameters]
    if missing:
        raise UnknownWorkload(
            f"{workload} must state {', '.join(missing)}.", field="parameters", code="missing_parameter"
        )


def _require_range(repeats: tuple[float, ...], metric: metrics.Metric) -> None:
    for index, value in enumerate(repeats):
        if value and not _LEAST <= abs(value) <= _MOST:
            raise UnknownWorkload(
                f"{value:g} {metric.base_unit} is beyond anything a card can show; check value and unit.",
                field=f"values[{index}]",
                code="value_out_of_range",
            )
