"""How the figures of a model go together: a few factors behind all of them, from models that were measured in several.

    x = Λ f + e     f ~ N(0, 1)     x in spreads of the market, Var x = 1     rho = Λ Λ' off the diagonal

Expectation and maximisation with what is missing or measured badly counting as much as it tells (D. Rubin & D. Thayer,
Psychometrika 47, 1982), and a prior worth so many models under which one factor tells all figures alike.
"""

from collections.abc import Sequence

import numpy as np

from submissions.domain.judgement.composite import Figures, conditional, standard
from submissions.domain.judgement.robust import Floats

# Where a crowd is too small to tell: any two figures correlate so much; and how many models that weighs.
_USUAL, _MODELS = 0.3, 25.0
_FACTORS, _ROUNDS = 2, 8
_ENOUGH = 1000
# A figure never follows from the others for more than this.
_MOST_SHARED = 0.9
# No model is further away than so many spreads: one alone makes no correlation.
_FAR = 3.0


def usual(count: int, correlation: float = _USUAL) -> Floats:
    """Loadings of so many figures, figures x factors: one factor tells all of them alike."""
    loadings = np.zeros((count, _FACTORS))
    loadings[:, 0] = np.sqrt(correlation)
    return loadings


def correlation(loadings: Floats | Sequence[Sequence[float]]) -> Floats:
    """Figures x figures."""
    shared = np.asarray(loadings) @ np.asarray(loadings).T
    np.fill_diagonal(shared, 1.0)
    return shared


def typical(rho: Floats) -> float:
    """The middle correlation of any two figures; the usual one of a single figure."""
    return float(np.median(rho[np.triu_indices(len(rho), 1)])) if len(rho) > 1 else _USUAL


def learn(figures: Figures) -> Floats:
    """Loadings, figures x factors. The more models, the less the prior counts."""
    several = (figures.own_precision * figures.market_spread**2 > 1).sum(axis=1) >= 2
    models = np.flatnonzero(several)[:: int(several.sum()) // _ENOUGH + 1]
    away, precision = (part[models] for part in standard(figures))
    away = np.clip(away, -_FAR, _FAR)
    loadings = usual(away.shape[1])
    prior = _MODELS * correlation(loadings)
    for _ in range(_ROUNDS):
        mean, covariance = conditional(away, precision, correlation(loadings))
        among = prior + mean.T @ mean + covariance.sum(axis=0)
        spread = np.sqrt(np.diag(among))
        loadings = _loadings(among / np.outer(spread, spread), loadings)
    return loadings


def _loadings(among: Floats, before: Floats) -> Floats:
    """The leading factors of a correlation matrix, its diagonal replaced by what figures share."""
    reduced = among.copy()
    np.fill_diagonal(reduced, (before**2).sum(axis=1))
    values, vectors = np.linalg.eigh(reduced)
    loadings = vectors[:, -_FACTORS:][:, ::-1] * np.sqrt(np.maximum(values[-_FACTORS:][::-1], 0.0))
    loadings = loadings * np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)
    shared = (loadings**2).sum(axis=1, keepdims=True)
    return loadings * np.sqrt(np.minimum(1.0, _MOST_SHARED / np.maximum(shared, _MOST_SHARED)))
