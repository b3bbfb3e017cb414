"""Comparing groups of few cards: robust centres, variances that borrow from all models, false discoveries held down.

Moderated variance: G. Smyth, Statistical Applications in Genetics and Molecular Biology 3(1), 2004.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import distributions, robust
from submissions.domain.judgement.robust import Floats, Index, Mask

# Huber's constant: 95 % efficiency on normal data.
_BEND = 1.345
_MOST_STEPS, _STILL = 20, 1e-10
_ENOUGH_MODELS = 20


@dataclass(frozen=True, slots=True)
class Prior:
    """What all models say about the variance of one, relative to what was expected: `freedom` d0, `variance` s0²."""

    freedom: float
    variance: float

    def at_most(self, freedom: float) -> "Prior":
        return Prior(min(self.freedom, freedom), self.variance)


# Where models are too few to tell.
PRIOR = Prior(freedom=4.0, variance=1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Robust centre and total weight of each group, and the standardised residual of each value."""

    centre: Floats
    weight: Floats
    residual: Floats


def centres(group: Index, value: Floats, variance: Floats, scale: Floats, *, count: int) -> Groups:
    """Huber centres of groups; `variance` per value, `scale`: how much it counts (0 to 1)."""
    centre = np.nan_to_num(robust.medians(group, value, count=count))
    weight, spread, moves = scale / variance, np.sqrt(variance), np.ones(count, dtype=bool)
    for _ in range(_MOST_STEPS):
        residual = (value - centre[group]) / spread
        bent = weight * np.minimum(1.0, _BEND / np.maximum(np.abs(residual), 1e-12))
        total = robust.sums(group, bent, count=count)
        new_centre = robust.sums(group, bent * value, count=count) / np.maximum(total, 1e-300)
        # Each stops by itself: what is found of one must not depend on how long others take.
        moves &= np.abs(new_centre - centre) > _STILL
        centre = np.where(moves, new_centre, centre)
        if not moves.any():
            break
    residual = (value - centre[group]) / spread
    return Groups(centre, robust.sums(group, weight, count=count), residual)


def variances(
    model: Index, residual: Floats, scale: Floats, groups: Index, *, count: int, cut: float
) -> tuple[Floats, Floats]:
    """(variance, degrees of freedom) of each model from residuals within its `groups` groups.

    Residuals are cut at `cut` spreads, so that one dead card is not the variance.
    """
    squares = scale * np.minimum(residual**2, cut**2)
    freedom = np.maximum(robust.sums(model, scale, count=count) - groups, 0.0)
    total = robust.sums(model, squares, count=count)
    return total / np.maximum(freedom, 1e-12), freedom


def prior(variance: Floats, freedom: Floats) -> Prior:
    """d0 and s0² by the moments of log variances; where models are too few, the expected variance is believed."""
    some = (freedom >= 1) & (variance > 1e-6)
    if some.sum() < _ENOUGH_MODELS:
        return PRIOR
    half = freedom[some] / 2
    log_variance = np.log(variance[some]) - distributions.digamma(half) + np.log(half)
    weight = half / (1 + half)
    mean = float(np.average(log_variance, weights=weight))
    excess = float(np.average((log_variance - mean) ** 2 - distributions.polygamma(1, half), weights=weight))
    d0 = 2 * _inverse_trigamma(max(excess, 0.01))
    return Prior(freedom=d0, variance=float(np.exp(mean + distributions.digamma(d0 / 2) - np.log(d0 / 2))))


def _inverse_trigamma(value: float) -> float:
    """x with trigamma(x) = value, by Newton's method on 1 / trigamma (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(20):
        slope = float(distributions.polygamma(1, x))
        x += slope * (1 - slope / value) / float(distributions.polygamma(2, x))
    return x


def moderated(variance: Floats, freedom: Floats, pool: Prior, *, scale: Floats | float = 1.0) -> Floats:
    """(d0 s0² + d s²) / (d0 + d). `scale`: what is known otherwise of a model, as a factor on s0²."""
    usual = pool.freedom * pool.variance * scale
    blend: Floats = (usual + freedom * variance) / (pool.freedom + freedom)
    return blend


def simes(p_values: Floats) -> float:
    """One p-value for "any of these": the least of p(i) n / i (Simes, Biometrika 73, 1986)."""
    ordered = np.sort(p_values)
    return float(min(1.0, (ordered * len(ordered) / np.arange(1, len(ordered) + 1)).min()))


def threshold(p_values: Floats, share: float) -> float:
    """Largest p-value that may be called a discovery, 0 if none (Benjamini & Hochberg, JRSS B 57, 1995)."""
    ordered = np.sort(p_values)
    allowed: Mask = ordered <= share * np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    return float(ordered[allowed][-1]) if allowed.any() else 0.0
