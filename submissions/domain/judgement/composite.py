"""One number for a purpose: a weighted geometric mean of ratios to a reference, from figures that inform each other.

    m ~ N(market, S)     S_jk = s_j s_k (1 if j = k else rho_jk)     y_k ~ N(m_k, 1 / p_k)
    log score = Σ w_k (E[m_k | y] - reference_k)     variance = w' Cov[m | y] w

Geometric means of ratios: Fleming & Wallace, CACM 29(3), 1986. A figure nobody measured is expected from the market and
from the model's other figures (rho comes from a few shared `factors`), and stays as uncertain as that leaves it.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import distributions
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Standard deviations from the middle of a normal distribution to the end of its 95 % interval.
Z = 1.96
# A cap so many spreads away is none.
_FAR = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Models x figures. `own_mean`, `own_precision` as in Estimates (precision 0: not measured, mean ignored);
    `market_mean` and `market_spread`: what is expected of the model, and one standard deviation of that."""

    own_mean: Floats
    own_precision: Floats
    market_mean: Floats
    market_spread: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Composite:
    """Per model: log ratio to the reference, its standard deviation, and how many figures were measured.

    `caution`: what a rank takes off for figures that were not measured. Leaving out a bad figure on purpose gains in
    `log_ratio`; taken off the lower bound, this much makes it not worth while.
    """

    log_ratio: Floats
    sd: Floats
    covered: Index
    caution: Floats

    def lower(self, z: float = Z) -> Floats:
        """Log ratio to rank by: z standard deviations low, and cautious about what is missing."""
        bound: Floats = self.log_ratio - z * self.sd - self.caution
        return bound


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Models x figures: `mean` of the log value and `covariance` (models x figures x figures) given all that was
    measured; `missing`: it was not measured."""

    mean: Floats
    covariance: Floats
    missing: Mask


def expect(figures: Figures, *, rho: Floats) -> Expected:
    """Every figure of every model, those that were measured informing the others. `rho`: figures x figures."""
    spread = figures.market_spread
    away, covariance = conditional(*standard(figures), rho)
    return Expected(
        figures.market_mean + spread * away,
        covariance * spread[:, :, None] * spread[:, None, :],
        figures.own_precision <= 0,
    )


def standard(figures: Figures) -> tuple[Floats, Floats]:
    """(what the cards of each model say, its precision), in spreads of the market from what is expected."""
    away = (figures.own_mean - figures.market_mean) / figures.market_spread
    return np.where(figures.own_precision > 0, away, 0.0), figures.own_precision * figures.market_spread**2


def conditional(away: Floats, precision: Floats, rho: Floats) -> tuple[Floats, Floats]:
    """(mean, covariance) of x ~ N(0, rho) once y ~ N(x, 1 / precision) was seen; per row."""
    certain = np.linalg.inv(rho) + precision[:, :, None] * np.eye(len(rho))
    covariance = np.linalg.inv(certain).astype(np.float64, copy=False)
    return np.einsum("ijk,ik->ij", covariance, precision * away), covariance


def capped(expected: Expected, log_cap: Floats) -> Expected:
    """What is expected on a host that lets no figure exceed `log_cap` (per figure, inf: no limit).

    Mean and variance of min(m, cap) of a normal m; covariances shrink by the probabilities of not being capped.
    """
    sd = np.sqrt(np.diagonal(expected.covariance, axis1=1, axis2=2))
    above = np.where(np.isfinite(log_cap), (log_cap - expected.mean) / sd, _FAR)
    free, density = distributions.ndtr(above), np.exp(-0.5 * above**2) / np.sqrt(2 * np.pi)
    lost = density - above * (1 - free)
    variance = sd**2 * np.maximum(free - above * density + above**2 * (1 - free) - lost**2, 0.0)
    covariance: Floats = expected.covariance * free[:, :, None] * free[:, None, :]
    diagonal = np.arange(sd.shape[1])
    covariance[:, diagonal, diagonal] = variance
    mean: Floats = expected.mean - sd * lost
    return Expected(mean, covariance, expected.missing)


def weigh(
    expected: Expected, *, weights: Floats, log_reference: Floats, parameters: Parameters = DEFAULTS
) -> Composite:
    """Composites of what is expected; a figure without weight counts neither as covered nor as missing. `weights` and
    `log_reference`: per figure, or purposes x figures for composites of purposes x models."""
    share = weights / weights.sum(axis=-1, keepdims=True)
    left = np.sqrt(np.diagonal(expected.covariance, axis1=1, axis2=2))
    variance = ((share @ expected.covariance) * share).sum(axis=-1).T
    return Composite(
        log_ratio=share @ expected.mean.T - (share * log_reference).sum(axis=-1)[..., None],
        sd=np.sqrt(variance + parameters.level**2),
        covered=(share > 0).astype(np.int64) @ ~expected.missing.T,
        caution=parameters.missing_caution * share @ (expected.missing * left).T,
    )


def better(mean: float, sd: float, *, other_mean: Floats, other_sd: Floats) -> Floats:
    """P(A > B) of independent normal estimates of log values: Phi((mA - mB) / sqrt(sA² + sB²)). One A, any number of
    Bs."""
    probability: Floats = distributions.ndtr((mean - other_mean) / np.hypot(sd, other_sd))
    return probability
