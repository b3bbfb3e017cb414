"""Report measurements -> measurements in base units, with spread, comparable figure and verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import msgspec

from submissions.domain import report
from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import circumstances, metrics, plausibility, units


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
    """A measurement that stays in the raw report only."""

    field: str
    code: str
    detail: str


def normalize(
    given: report.Report, *, bus: str | None
) -> tuple[tuple[Measured, ...], tuple[NotUnderstood, ...]]:
    """Every measurement of a report, either measured or not understood; the order of the report is kept."""
    read, missed = [], []
    for index, measurement in enumerate(given.measurements):
        try:
            read.append(_read(measurement))
        except UnknownWorkload as error:
            field = f"measurements[{index}]" + (f".{error.field}" if error.field else "")
            missed.append(NotUnderstood(field, error.code, error.detail))
    evidence = circumstances.evidence(given, [one.taken for one in read], bus=bus)
    return tuple(_judged(one, seen) for one, seen in zip(read, evidence, strict=True)), tuple(missed)


@dataclass(frozen=True, slots=True)
class _Read:
    """A measurement in base units, before it is judged."""

    given: report.Measurement
    taken: circumstances.Taken
    repeats: tuple[float, ...]
    figure: str


def _read(given: report.Measurement) -> _Read:
    metric = metrics.describe(given.workload, given.metric)
    parameters = msgspec.to_builtins(given.parameters)
    _require(given.workload, parameters)
    factor = units.factor(given.unit, base=metric.base_unit)
    repeats = tuple(value * factor for value in given.values)
    _require_range(repeats, metric)
    figure = metrics.figure_of(given.workload, given.metric, parameters)
    taken = circumstances.Taken(
        workload=given.workload,
        metric=metric,
        parameters=parameters,
        value=median(repeats) if repeats else None,
        spread=relative_range(repeats),
        is_figure=figure is not None,
    )
    return _Read(given, taken, repeats, figure.name if figure else "")


def _judged(read: _Read, evidence: plausibility.Evidence) -> Measured:
    verdict = _failed(read) or _with_failures(plausibility.judge(evidence), read.given.failure)
    taken = read.taken
    return Measured(
        workload=taken.workload,
        metric=taken.metric.name,
        parameters=dict(taken.parameters),
        repeats=read.repeats,
        value=taken.value,
        spread=taken.spread,
        operations=read.given.operations,
        figure=read.figure,
        verdict=verdict.name,
        reason=verdict.reason,
    )


def _with_failures(verdict: plausibility.Verdict, failure: report.Failure | None) -> plausibility.Verdict:
    """Repeats that failed are said, unless something weightier is."""
    if failure is None or verdict.reason:
        return verdict
    return plausibility.Verdict(verdict.name, f"some repeats failed: {failure.detail or failure.code}")


def _failed(read: _Read) -> plausibility.Verdict | None:
    """Of what gave no value, or one that no test can give."""
    failure, metric = read.given.failure, read.taken.metric
    if not read.repeats:
        reason = failure.detail or failure.code if failure else "no value was given"
        return plausibility.Verdict("failed", reason)
    if min(read.repeats) <= 0 and not metric.signed:
        said = f"{metric.title} cannot be zero or less; a failed repeat is left out"
        return plausibility.Verdict("impossible", said)
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
