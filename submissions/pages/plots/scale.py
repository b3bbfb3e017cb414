"""Compute the scales of axes: the place of a value between two ends, and round ticks."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_MOST_TICKS = 6
# Logarithmic steps from coarse to fine, as factors within a decade.
_DECADE_STEPS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0))


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear or logarithmic scale. Raise ValueError unless `low` < `high`, and `low` > 0 if logarithmic."""

    low: float
    high: float
    log: bool
    ticks: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.low < self.high or (self.log and self.low <= 0):
            raise ValueError(f"no scale from {self.low} to {self.high}")

    def find_place(self, value: float) -> float:
        """Return the place of a value from 0 at `low` to 1 at `high`; a value beyond an end is placed at the end."""
        held = min(max(value, self.low), self.high)
        if self.log:
            return math.log(held / self.low) / math.log(self.high / self.low)
        return (held - self.low) / (self.high - self.low)


def from_zero(values: Iterable[float]) -> Scale:
    """Return a linear scale that includes zero and every value, and ends on a tick."""
    held = [0.0, *values]
    step = _nice_step(max(held) - min(held) or 1.0)
    first, last = math.floor(min(held) / step), math.ceil(max(held) / step) or 1
    return Scale(first * step, last * step, False, tuple(n * step for n in range(first, last + 1)))


def linear(values: Iterable[float]) -> Scale:
    """Return a linear scale that includes every value, with a margin; ticks are round numbers."""
    held = list(values)
    low, high = min(held), max(held)
    air = (high - low or abs(high) or 1.0) * 0.08
    low, high = low - air, high + air
    step = _nice_step(high - low)
    ticks = tuple(n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1))
    return Scale(low, high, False, ticks)


def logarithmic(values: Iterable[float]) -> Scale:
    """Return a logarithmic scale that includes every positive value, with a margin."""
    positive = [value for value in values if value > 0]
    air = max((max(positive) / min(positive)) ** 0.06, 1.05)
    low, high = min(positive) / air, max(positive) * air
    return Scale(low, high, True, _decade_ticks(low, high))


def binary_from_zero(values: Iterable[float]) -> Scale:
    """Return a linear scale from zero to a power of two, for offsets in bytes, with a tick at each quarter."""
    high = 2.0 ** math.ceil(math.log2(max(values) + 1))
    return Scale(0.0, high, False, tuple(high * quarter / 4 for quarter in range(5)))


def binary(values: Iterable[float]) -> Scale:
    """Return a logarithmic scale to base two, for sizes in bytes; ticks are powers of two."""
    positive = [value for value in values if value > 0]
    first, last = math.floor(math.log2(min(positive))), math.ceil(math.log2(max(positive)))
    last = max(last, first + 1)
    step = math.ceil((last - first + 1) / _MOST_TICKS)
    return Scale(2.0**first, 2.0**last, True, tuple(2.0**power for power in range(first, last + 1, step)))


def _decade_ticks(low: float, high: float) -> tuple[float, ...]:
    # The coarsest steps that give three ticks; linear ones for a span within a decade.
    for factors in _DECADE_STEPS:
        ticks = [
            factor * 10.0**power
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for factor in factors
            if low <= factor * 10.0**power <= high
        ]
        if len(ticks) >= 3:
            return tuple(ticks[:: math.ceil(len(ticks) / _MOST_TICKS)])
    step = _nice_step(high - low)
    return tuple(n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1))


def _nice_step(span: float) -> float:
    """Return 1, 2, 2.5 or 5 times a power of ten as the step of ticks, so that a span has at most five steps."""
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next((factor * power for factor in (1, 2, 2.5, 5) if factor * power * 5 >= span), 10 * power)
