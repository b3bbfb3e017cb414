"""One number for a purpose: a weighted geometric mean of ratios to a reference, from figures that inform each other.

    m ~ N(market, S)     S_jk = s_j s_k (1 if j = k else rho)     y_k ~ N(m_k, 1 / p_k)
    log score = Σ w_k (E[m_k | y] - reference_k)     variance = w' Cov[m | y] w

Geometric means of ratios: Fleming & Wallace, CACM 29(3), 1986. A figure nobody measured is expected from the market and
from the model's other figures (rho is one shared factor), and stays as uncertain as that leaves it.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index

# Standard deviations from the middle of a normal distribution to the end of its 95 % interval.
Z = 1.96
_LEAST_MODELS = 30
_MOST_CORRELATION = 0.9
# Where a crowd is too small to tell how figures go together.
_USUAL_CORRELATION = 0.3


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

    `caution`: what a rank takes off for figures nobody measured. Who leaves out a bad figure on purpose gains in
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


def correlation(figures: Figures) -> float:
    """The one correlation of any two figures of a model around its market, from models well measured in both."""
    residual = (figures.own_mean - figures.market_mean) / figures.market_spread
    well = figures.own_precision > 2 / figures.market_spread**2
    residual = np.where(well, np.clip(residual, -3, 3), 0.0)
    together = well.astype(float).T @ well.astype(float)
    products = residual.T @ residual
    above = np.triu_indices(figures.own_mean.shape[1], 1)
    if together[above].sum() < _LEAST_MODELS:
        return _USUAL_CORRELATION
    spread = np.sqrt(np.diag(products) / np.maximum(np.diag(together), 1))
    shared = (products / np.maximum(together, 1) / np.outer(spread, spread))[above]
    return float(np.clip(np.average(shared, weights=together[above]), 0.0, _MOST_CORRELATION))


def composite(
    figures: Figures,
    *,
    weights: Floats,
    log_reference: Floats,
    rho: float,
    parameters: Parameters = DEFAULTS,
) -> Composite:
    """Composites of all models for one set of weights (they need not sum to 1)."""
    share = weights / weights.sum()
    count = len(share)
    spread = figures.market_spread
    among = spread[:, :, None] * spread[:, None, :] * (rho + (1 - rho) * np.eye(count))
    certain = np.linalg.inv(among)
    told = np.where(figures.own_precision > 0, figures.own_mean, 0.0) * figures.own_precision
    precision = certain + figures.own_precision[:, :, None] * np.eye(count)
    pulled = certain @ figures.market_mean[:, :, None] + told[:, :, None]
    mean = np.linalg.solve(precision, pulled)[:, :, 0]
    uncertain = np.linalg.solve(precision, np.broadcast_to(share[:, None], (len(mean), count, 1)))[:, :, 0]
    left = np.sqrt(np.linalg.inv(precision).diagonal(axis1=1, axis2=2))
    missing = figures.own_precision <= 0
    return Composite(
        log_ratio=(mean - log_reference) @ share,
        sd=np.sqrt(uncertain @ share + parameters.level**2),
        covered=(~missing).sum(axis=1),
        caution=parameters.missing_caution * (missing * left) @ share,
    )
