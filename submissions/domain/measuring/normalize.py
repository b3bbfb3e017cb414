"""Convert the measurements of a report to base units, with spread, comparable figure and verdict.

The verdict of a measurement depends on its host, the bus of the host and the rest of its run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import msgspec

from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import host_link, metrics, plausibility, units
from submissions.domain.measuring.plausibility import Circumstances
from submissions.domain.report import Conditions, Failure, Measurement, Report


def relative_range(values: Sequence[float]) -> float | None:
    """Return (highest - lowest) / median of values, a plain ratio.

    It is None for one value or a median that is not positive.
    """
    if len(values) < 2 or median(values) <= 0:
        return None
    return (max(values) - min(values)) / median(values)


# Absolute values in base units beyond these are slips of a unit, and would overflow further on.
_LEAST, _MOST = 1e-6, 1e18
_RATES = ("throughput", "iops")
_DOUBTED = ("at_least", "suspicious", "impossible")
_WITHIN = 1.02  # of the raw link rate, as in plausibility.RULES


@dataclass(frozen=True, slots=True)
class Measured:
    """A normalized measurement in the base unit of its metric.

    `value` is the median of `repeats`, None if all failed; `spread`: as `relative_range` returns it.
    """

    workload: str
    metric: str
    parameters: dict[str, Any]
    repeats: tuple[float, ...]
    value: float | None
    spread: float | None
    operations: int | None
    figure: str
    verdict: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A measurement or a register that is kept only in the raw report.

    `field` is its path, `detail` a sentence about the reason.
    """

    field: str
    code: str
    detail: str


# A measurement as it was sent, and the same in base units without a verdict.
_Read = tuple[Measurement, Measured]
_Pattern = tuple[Any, ...]


def normalize(report: Report, *, bus: str | None) -> tuple[tuple[Measured, ...], tuple[NotUnderstood, ...]]:
    """Return the measurements of a report: those that were measured, and those that were not understood.

    Both are in the order of the report.
    """
    read, missed = list[_Read](), []
    slot = report.host.interface if report.host.interface in metrics.OWN_SLOTS else ""
    never_queues = host_link.never_queues(report.host)
    for index, measurement in enumerate(report.measurements):
        try:
            read.append(_read(_mark_unqueued(measurement) if never_queues else measurement, slot=slot))
        except UnknownWorkload as error:
            missed.append(NotUnderstood(f"measurements[{index}].{error.field}", error.code, error.detail))
    read += _derive_operations(read, slot=slot)
    around = _list_circumstances(report, [row for _, row in read], bus=bus)
    judged = [_judge(*one, facts) for one, facts in zip(read, around, strict=True)]
    return tuple(_with_verdicts_of_rates(judged)), tuple(missed)


# A time is no more certain than the rate of the same test.
def _with_verdicts_of_rates(judged: Sequence[Measured]) -> Iterator[Measured]:
    doubted = {_pattern(row): row for row in judged if row.metric in _RATES and row.verdict in _DOUBTED}
    for row in judged:
        is_time = metrics.METRICS[row.metric].base_unit == units.TIME and row.verdict == "ok"
        rate = doubted.get(_pattern(row)) if is_time else None
        yield replace(row, verdict=rate.verdict, reason=rate.reason) if rate else row


def _pattern(row: Measured) -> _Pattern:
    """Return the test without its metric: a value that throughput and operations per second of one test share."""
    return row.workload, *sorted(row.parameters.items())


def _derive_operations(read: Sequence[_Read], *, slot: str) -> list[_Read]:
    """Return operations per second of tests that state only throughput, but that are compared by operations."""
    patterns = {(row.metric, _pattern(row)) for _, row in read}
    return [
        _read(_as_operations(sent, row), slot=slot)
        for sent, row in read
        if row.metric == "throughput"
        and not row.figure
        and ("iops", _pattern(row)) not in patterns
        and metrics.figure_of(row.workload, "iops", row.parameters, slot=slot)
    ]


def _as_operations(sent: Measurement, row: Measured) -> Measurement:
    values = tuple(value / row.parameters["block_size_bytes"] for value in row.repeats)
    return msgspec.structs.replace(sent, metric="iops", unit=units.IOPS, values=values)


# A host that cannot queue commands sent them one by one, although several were started at once.
def _mark_unqueued(measurement: Measurement) -> Measurement:
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
    return measurement, Measured(
        workload=measurement.workload,
        metric=measurement.metric,
        parameters=parameters,
        repeats=repeats,
        value=median(repeats) if repeats else None,
        spread=relative_range(repeats),
        operations=measurement.operations,
        figure=figure.name if figure else "",
    )


def _judge(sent: Measurement, row: Measured, facts: Circumstances) -> Measured:
    verdict = _judge_values(row, sent.failure) or _with_failures(plausibility.judge(facts), sent.failure)
    return replace(row, verdict=verdict.name, reason=verdict.reason)


def _with_failures(verdict: plausibility.Verdict, failure: Failure | None) -> plausibility.Verdict:
    """Return the verdict on a measurement, with the failed repeats as its reason unless it has another reason."""
    if failure is None or verdict.reason:
        return verdict
    return plausibility.Verdict(verdict.name, f"some repeats failed: {failure.detail or failure.code}")


def _judge_values(row: Measured, failure: Failure | None) -> plausibility.Verdict | None:
    metric = metrics.METRICS[row.metric]
    if not row.repeats:
        reason = failure.detail or failure.code if failure else "no value was given"
        return plausibility.Verdict("failed", reason)
    if min(row.repeats) <= 0 and not metric.signed:
        detail = f"{metric.title} must be greater than zero; leave out a failed repeat"
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
                f"{value:g} {metric.base_unit} is beyond what any card can reach; check the value and its"
                " unit.",
                field=f"values[{index}]",
                code="value_out_of_range",
            )


def _list_circumstances(
    report: Report, measured: Sequence[Measured], *, bus: str | None
) -> Iterator[Circumstances]:
    link = host_link.find_link(report.host, bus, express=report.card.label.is_express)
    twins = {(row.metric, _pattern(row)): row for row in measured if row.metric in _RATES}
    shared = partial(
        Circumstances,
        link=link,
        bus=bus,
        writes_fit=any(_is_fitting_write(row, link) for row in measured),
        memory_bytes=report.host.memory_bytes,
        erase_block_bytes=report.card.preferred_erase_size_bytes or 4 * metrics.MIB,
        throttled=any(state.throttled for state in (report.run.before, report.run.after) if state),
        crowded=_is_crowded(report.run.before),
    )
    return (_with_measurement(shared, row, twins) for row in measured)


def _with_measurement(
    shared: partial[Circumstances], row: Measured, twins: Mapping[tuple[str, _Pattern], Measured]
) -> Circumstances:
    throughput, iops = (twins.get((metric, _pattern(row))) for metric in ("throughput", "iops"))
    twin = {"throughput": iops, "iops": throughput}.get(row.metric)
    return shared(
        bytes_per_second=_find_rate(row),
        twin_bytes_per_second=_find_rate(twin) if twin else None,
        operations_per_second=iops.value if iops else None,
        workload=row.workload,
        parameters=row.parameters,
        spread=row.spread,
        compared=bool(row.figure),
    )


def _find_rate(row: Measured) -> float | None:
    """Return the rate of a measurement in bytes per second.

    It is None for metrics that move no data, and for operations without a block size.
    """
    unit, block = metrics.METRICS[row.metric].base_unit, row.parameters.get("block_size_bytes")
    if row.value is None or unit == units.RATE:
        return row.value
    return row.value * float(block) if unit == units.IOPS and block else None


def _is_fitting_write(row: Measured, link: host_link.Link) -> bool:
    rate = _find_rate(row)
    writes = row.parameters.get("direction") == "write"
    return writes and rate is not None and 0 < rate <= _WITHIN * link.raw_bytes_per_second


def _is_crowded(before: Conditions | None) -> bool:
    if before is None or before.load_average is None or before.processors is None:
        return False
    return before.load_average > before.processors
