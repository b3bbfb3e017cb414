"""Predict each ability of a model from its other abilities, by their correlation.

Around their levels, the abilities of a model are normal with a covariance C, by their spreads and correlations. Its own
values give a mean m of each ability with a precision p, the diagonal of P; p is 0 if nothing was measured. Given them,

    mean = H P^½ m      covariance = C - H P^½ C      where      H = C P^½ (1 + P^½ C P^½)⁻¹
"""

import numpy as np

from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.evidence import Floats
from submissions.domain.estimation.fit import Fit
from submissions.domain.estimation.groups import find_starts
from submissions.domain.estimation.parameters import Parameters

# A model further from the level than this, in standard deviations, counts for correlations as if it lay here.
_FAR = 3.0
_LEAST_EIGENVALUE = 0.05


def combine(mean: Floats, precision: Floats, spread: Floats, correlation: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of each ability, models x abilities, given the values of all abilities of the model.

    `mean` and `precision` of an ability follow from its own values only; means are relative to the level of the
    ability. `spread`: standard deviation of the model around the level, with the tail of its t distribution.
    """
    prior = spread[:, :, None] * correlation * spread[:, None, :]
    root = np.sqrt(precision)
    inner = root[:, :, None] * prior * root[:, None, :]
    diagonal = np.arange(mean.shape[1])
    inner[:, diagonal, diagonal] += 1
    heard = np.linalg.solve(inner, root[:, :, None] * prior).transpose(0, 2, 1)
    expected = np.einsum("mij,mj->mi", heard, root * mean)
    explained = np.einsum("mij,mij->mi", heard, prior * root[:, None, :])
    return expected, np.maximum(prior[:, diagonal, diagonal] - explained, 0)


def learn_correlation(fit: Fit, crowd: Crowd, parameters: Parameters) -> Floats:
    """Return the correlations (abilities x abilities), learned from models in which several abilities were measured."""
    table, tree = fit.table, fit.table.tree
    roots = slice(tree.starts[-3], tree.starts[-2])
    ability, models = table.ability_of[roots], int(table.model.max()) + 1
    first = find_starts(table.root)
    precision = fit.gains.precision[roots]
    variance = crowd.variance[table.effect[roots], ability]
    away = fit.loads[roots] / np.maximum(precision, 1e-300) - fit.effects[tree.top][tree.parents[-1]]
    place = (table.model[first], ability)
    shape = (models, len(crowd.level))
    scores, reliability = np.zeros(shape), np.zeros(shape)
    scores[place] = np.clip(away / np.sqrt(variance), -_FAR, _FAR)
    reliability[place] = variance / (variance + 1 / np.maximum(precision, 1e-300))
    voices = reliability * scores
    number = reliability.T @ reliability
    worth = parameters.alike_models
    return _make_definite(
        (worth * crowd.correlation + voices.T @ voices) / (worth + number), crowd.correlation
    )


def _make_definite(correlation: Floats, prior: Floats) -> Floats:
    correlation = np.where(prior != 0, np.clip(correlation, -0.95, 0.95), 0.0)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    fixed = (vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T
    sd = np.sqrt(np.diag(fixed))
    definite: Floats = np.where(prior != 0, fixed / sd[:, None] / sd, 0.0)
    return definite
