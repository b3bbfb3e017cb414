"""What came of looking for one quantity: a value or the reason why there is none, and what it cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

# No test knows what it does not know of real cards, so nobody is told of more certainty than this.
_MOST_CERTAIN = 0.99
_CODES = ("", "abstained", "none_found", "no_limit_found", "time_budget", "interrupted")


@dataclass(frozen=True)
class Spent:
    """What was done on the device."""

    operations: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    duration_ns: int = 0  # as the device took, with pauses

    def __sub__(self, before: Spent) -> Spent:
        return Spent(
            self.operations - before.operations,
            self.read_bytes - before.read_bytes,
            self.written_bytes - before.written_bytes,
            self.duration_ns - before.duration_ns,
        )


def describe_writes(order: str, block_bytes: int) -> dict[str, Any]:
    """Return the parameters that writes of this order and size have in a report."""
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
    """A measurement on the way, which stands in the report, too."""

    workload: str
    parameters: dict[str, Any]
    throughput_bytes_per_s: tuple[float, ...]
    operations: int


@dataclass(frozen=True)
class Finding:
    """An answer: bytes or a count. Without a value, `code` says whether there is none or none is known."""

    value: int | None
    reason: str
    # Log-likelihood ratio of the answer against the next best one; None where nothing was decided.
    log_odds: float | None = None
    code: str = ""  # abstained, none_found, no_limit_found, time_budget, interrupted or that of an error
    evidence: tuple[SideMeasurement, ...] = ()
    postponed: bool = False  # the card puts merges off, so that single times say little
    by_chance: bool = False  # which unit the card closes is left to chance

    @property
    def confidence(self) -> float:
        """Return the probability that the answer is right, 0 to 0.99."""
        if self.log_odds is None:
            return 0.0
        return round(min(_MOST_CERTAIN, 1 / (1 + math.exp(-self.log_odds))), 3)


@dataclass(frozen=True)
class Estimate:
    """The finding for one quantity with its cost."""

    metric: str
    unit: str  # B, count
    finding: Finding
    spent: Spent = field(default_factory=Spent)

    @property
    def value(self) -> int | None:
        """Bytes or a count; None when there is none, or none is known."""
        return self.finding.value

    @property
    def code(self) -> str:
        """Why there is no value; empty when there is one."""
        return self.finding.code

    @property
    def device_failed(self) -> bool:
        """Whether it ended with an error of the device."""
        return self.code not in _CODES


def found(value: int, log_odds: float, reason: str, evidence: tuple[SideMeasurement, ...] = ()) -> Finding:
    """Answer with a value, as sure as the log-likelihood ratio says."""
    return Finding(value, reason, log_odds, evidence=evidence)


def limited(finding: Finding, log_odds: float, reason: str) -> Finding:
    """Return the same finding, but no surer than that, and why."""
    if finding.log_odds is None or finding.log_odds <= log_odds:
        return finding
    return replace(finding, log_odds=log_odds, reason=f"{finding.reason} {reason}")


def none_found(log_odds: float, reason: str, evidence: tuple[SideMeasurement, ...] = ()) -> Finding:
    """Answer that there is no such thing."""
    return Finding(None, reason, log_odds, "none_found", evidence)


def no_limit_found(log_odds: float, reason: str) -> Finding:
    """Answer that there are more than were looked at."""
    return Finding(None, reason, log_odds, "no_limit_found")


def abstained(reason: str, *, code: str = "abstained") -> Finding:
    """Answer that it is not known; nobody guesses."""
    return Finding(None, reason, code=code)
