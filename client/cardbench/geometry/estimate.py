"""The estimate of one quantity of the geometry: a value or the reason why there is none, and its cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from operator import sub
from typing import Any, NamedTuple

# The statistical models may be wrong about real cards, so no estimate claims more certainty than this.
_MOST_CERTAIN = 0.99
_CODES = ("", "abstained", "none_found", "no_limit_found", "time_budget", "interrupted")


class Spent(NamedTuple):
    """The number of operations on a device, the bytes that they read and wrote, and the time that they took."""

    operations: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    duration_ns: int = 0  # time of the device, including pauses

    def __sub__(self, before: Spent) -> Spent:
        return Spent(*map(sub, self, before))


def describe_writes(order: str, block_bytes: int) -> dict[str, Any]:
    """Return the parameters that a report gives for writes of this order and block size."""
    return {
        "direction": "write",
        "order": order,
        "block_size_bytes": block_bytes,
        "queue_depth": 1,
        "sync": "none",
        "data": "random",
    }


@dataclass(frozen=True)
class SideMeasurement:
    """A measurement that supports an estimate; the report contains it, too."""

    workload: str
    parameters: dict[str, Any]
    throughput_bytes_per_s: tuple[float, ...]
    operations: int


@dataclass(frozen=True)
class Finding:
    """The result of a search for one quantity: bytes or a count, or the reason why there is no value.

    Without a value, `code` says whether the quantity does not exist on this card or is not known.
    """

    value: int | None
    reason: str
    # Log-likelihood ratio of the value against the next best one; None where nothing was decided.
    log_odds: float | None = None
    code: str = ""  # abstained, none_found, no_limit_found, time_budget, interrupted or that of an error
    evidence: tuple[SideMeasurement, ...] = ()
    postponed: bool = False  # the card postpones merges, so the time of a single write says little
    by_chance: bool = False  # the card closes units at random

    @property
    def confidence(self) -> float:
        """Return the probability that the value is right, 0 to 0.99."""
        if self.log_odds is None:
            return 0.0
        return round(min(_MOST_CERTAIN, 1 / (1 + math.exp(-self.log_odds))), 3)


@dataclass(frozen=True)
class Estimate:
    """The finding for one quantity of the geometry, with its metric, its unit and the cost of the search."""

    metric: str
    unit: str  # B, count
    finding: Finding
    spent: Spent = field(default_factory=Spent)

    @property
    def value(self) -> int | None:
        """Return the bytes or the count; None if the quantity does not exist on this card or is not known."""
        return self.finding.value

    @property
    def code(self) -> str:
        """Return the code for the reason why there is no value; "" if there is a value."""
        return self.finding.code

    @property
    def device_failed(self) -> bool:
        """Return whether the search ended with an error of the device."""
        return self.code not in _CODES


def conclude(value: int, log_odds: float, reason: str, evidence: tuple[SideMeasurement, ...] = ()) -> Finding:
    """Return a finding with a value; `log_odds` is its log-likelihood ratio against the next best value."""
    return Finding(value, reason, log_odds, evidence=evidence)


def limit_certainty(finding: Finding, log_odds: float, reason: str) -> Finding:
    """Return the finding with log odds of at most `log_odds`; if this lowers them, `reason` is added to its reason."""
    if finding.log_odds is None or finding.log_odds <= log_odds:
        return finding
    return replace(finding, log_odds=log_odds, reason=f"{finding.reason} {reason}")


def conclude_none(log_odds: float, reason: str, evidence: tuple[SideMeasurement, ...] = ()) -> Finding:
    """Return the finding that this card does not have the quantity."""
    return Finding(None, reason, log_odds, "none_found", evidence)


def conclude_no_limit(log_odds: float, reason: str) -> Finding:
    """Return the finding that the count is larger than every count tried."""
    return Finding(None, reason, log_odds, "no_limit_found")


def abstain(reason: str, *, code: str = "abstained") -> Finding:
    """Return the finding that the quantity is not known."""
    return Finding(None, reason, code=code)
