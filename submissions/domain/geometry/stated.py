"""What the client itself says of the geometry, with the confidence and the reason that it gave in `extra`."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from submissions.domain.geometry.inference import Inference
from submissions.domain.measuring.normalize import Measured
from submissions.domain.report import Report

_LONGEST_REASON: Final = 1000
_MOST_LOG_ODDS: Final = 50.0


def stated(given: Report, measured: Iterable[Measured]) -> tuple[Inference, ...]:
    """One for each measurement of the workload geometry; the last counts where a quantity is stated twice."""
    codes = {
        one.metric: one.failure.code if one.failure else ""
        for one in given.measurements
        if one.workload == "geometry"
    }
    told = given.extra.get("geometry")
    beside = told if isinstance(told, Mapping) else {}
    rows = [one for one in measured if one.workload == "geometry" and one.verdict != "impossible"]
    found = {one.metric: _stated(one, codes.get(one.metric, ""), beside.get(one.metric)) for one in rows}
    return tuple(found.values())


def _stated(one: Measured, code: str, beside: Any) -> Inference:
    told = beside if isinstance(beside, Mapping) else {}
    reason = told.get("reason")
    reasoning = (_printable(reason),) if isinstance(reason, str) and reason else ()
    code = "" if one.value is not None else code or "abstained"
    log_odds = None if code == "abstained" else _log_odds(told)
    return Inference(one.metric, one.value, log_odds, reasoning, code[:64], origin="stated")


def _printable(reason: str) -> str:
    """A client may write anything; PostgreSQL takes no NUL, and a page no control characters."""
    return "".join(filter(str.isprintable, reason[:_LONGEST_REASON]))


def _log_odds(told: Mapping[str, Any]) -> float | None:
    """As told, or from the probability; None when neither is a number that can be one."""
    exact = _number(told.get("log_odds"))
    if exact is not None:
        return max(-_MOST_LOG_ODDS, min(_MOST_LOG_ODDS, exact))
    share = _number(told.get("confidence"))
    return math.log(share / (1 - share)) if share is not None and 0 < share < 1 else None


def _number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if usable else None
