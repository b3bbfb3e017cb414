"""Read the geometry that the client itself states, with the confidence and reason that it gave in `extra`."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from submissions.domain.geometry.inference import Inference
from submissions.domain.measuring.normalize import Measured
from submissions.domain.report import Report

_LONGEST_REASON = 1000
_MOST_LOG_ODDS = 50.0


def stated_inferences(report: Report, measured: Iterable[Measured]) -> tuple[Inference, ...]:
    """Return an inference for each quantity that the client states; the last statement if there are two."""
    codes = {
        measurement.metric: measurement.failure.code if measurement.failure else ""
        for measurement in report.measurements
        if measurement.workload == "geometry"
    }
    geometry = report.extra.get("geometry")
    beside = geometry if isinstance(geometry, Mapping) else {}
    inferences = {
        row.metric: _read_inference(row, codes.get(row.metric, ""), beside.get(row.metric))
        for row in measured
        if row.workload == "geometry" and row.verdict != "impossible"
    }
    return tuple(inferences.values())


def _read_inference(measurement: Measured, code: str, beside: Any) -> Inference:
    details = beside if isinstance(beside, Mapping) else {}
    reason = details.get("reason")
    reasoning = (_printable(reason),) if isinstance(reason, str) and reason else ()
    code = "" if measurement.value is not None else code or "abstained"
    log_odds = None if code == "abstained" else _log_odds(details)
    return Inference(measurement.metric, measurement.value, log_odds, reasoning, code[:64], origin="stated")


# A client may write anything; PostgreSQL takes no NUL, and a page no control characters.
def _printable(reason: str) -> str:
    return "".join(filter(str.isprintable, reason[:_LONGEST_REASON]))


def _log_odds(details: Mapping[str, Any]) -> float | None:
    """Return the stated log odds, or those of the stated probability; None if neither is a possible number."""
    exact = _number(details.get("log_odds"))
    if exact is not None:
        return max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, exact))
    share = _number(details.get("confidence"))
    return math.log(share / (1 - share)) if share is not None and 0 < share < 1 else None


def _number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if usable else None
