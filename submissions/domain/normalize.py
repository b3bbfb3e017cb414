"""Report measurements -> measurements in base units, with spread, comparable figure and verdict."""

from dataclasses import dataclass
from typing import Any

import msgspec

from submissions.domain import metrics, plausibility, report, units
from submissions.domain.errors import UnknownWorkload
from submissions.domain.statistics import median, relative_range

# Absolute values in base units beyond these are slips of a unit, and would overflow further on.
_LEAST, _MOST = 1e-6, 1e18


@dataclass(frozen=True, slots=True)
class Measured:
    """One normalized measurement in the metric's base unit.

    `value` is the median of `repeats`, None if all failed; `spread` a ratio, as statistics.relative_range.
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
    """A measurement that stays in the raw report only."""

    field: str
    code: str
    detail: str


def normalize(
    given: report.Report, *, bus: str | None
) -> tuple[tuple[Measured, ...], tuple[NotUnderstood, ...]]:
    """Every measurement of a report, either measured or not understood; the order of the report is kept."""
    link, link_known = plausibility.link_rate(given.host, bus)
    measured, missed = [], []
    for index, measurement in enumerate(given.measurements):
        try:
            measured.append(_normalize_one(measurement, link=link, link_known=link_known))
        except UnknownWorkload as error:
            field = f"measurements[{index}]" + (f".{error.field}" if error.field else "")
            missed.append(NotUnderstood(field, error.code, error.detail))
    return tuple(measured), tuple(missed)


def _normalize_one(given: report.Measurement, *, link: float | None, link_known: bool) -> Measured:
    metric = metrics.describe(given.workload, given.metric)
    parameters = msgspec.to_builtins(given.parameters)
    _require(given.workload, parameters)
    factor = units.factor(given.unit, base=metric.base_unit)
    repeats = tuple(value * factor for value in given.values)
    _require_range(repeats, metric)
    verdict = _judge(metric, repeats, parameters, link=link, link_known=link_known, failure=given.failure)
    figure = metrics.figure_of(given.workload, given.metric, parameters)
    return Measured(
        workload=given.workload,
        metric=given.metric,
        parameters=parameters,
        repeats=repeats,
        value=median(repeats) if repeats else None,
        spread=relative_range(repeats),
        operations=given.operations,
        figure=figure.name if figure else "",
        verdict=verdict.name,
        reason=verdict.reason,
    )


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


def _judge(
    metric: metrics.Metric,
    repeats: tuple[float, ...],
    parameters: dict[str, Any],
    *,
    link: float | None,
    link_known: bool,
    failure: report.Failure | None,
) -> plausibility.Verdict:
    if not repeats:
        reason = failure.detail or failure.code if failure else "no value was given"
        return plausibility.Verdict("failed", reason)
    if min(repeats) <= 0 and not metric.signed:
        return plausibility.Verdict(
            "impossible", f"{metric.title} cannot be zero or less; a failed repeat is left out"
        )
    evidence = plausibility.Evidence(
        bytes_per_second=_bytes_per_second(metric, median(repeats), parameters),
        queue_depth=parameters.get("queue_depth"),
        block_size_bytes=parameters.get("block_size_bytes"),
        buffered=parameters.get("io") == "buffered",
        link_bytes_per_second=link,
        link_known=link_known,
    )
    return plausibility.judge(evidence)


def _bytes_per_second(metric: metrics.Metric, value: float, parameters: dict[str, Any]) -> float | None:
    if metric.base_unit == units.RATE:
        return value
    if metric.base_unit == units.IOPS and "block_size_bytes" in parameters:
        return value * float(parameters["block_size_bytes"])
    return None
