"""Estimate a simulated crowd with full knowledge of its hosts, limits, spreads, bad runs and lying people.

This is the best result that the runs permit. The oracle does not know the models, nor the usual values of brands, lines
and capacities.

    y_c = m + u + e     m = general + brand + line + capacity + own     a value near its bus limit is a lower bound
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from tests.crowd import Crowd
from tests.worlds import NAMES, Figure

Array = NDArray[np.float64]

# Nearer to its bus limit than this, a value is a lower bound; further below, the exact softness of the limit applies.
_MARGIN = 0.05
_ROUNDS = 40
_TAIL = 5.0


def log_values(drawn: Crowd, name: str) -> Array:
    """Return the log value of each model on the reference host.

    For a model without sound runs, that usual for its kind.
    """
    figure = drawn.manners.figures[NAMES.index(name)]
    value, at_least, card, repeats = _cells(drawn, figure)
    model, models = drawn.card_model, len(drawn.kind)
    weight = 1 / (figure.interaction**2 + figure.repeat**2 / repeats)
    total = np.bincount(card, weight, minlength=drawn.cards)
    measured = total > 0
    mean = np.full(models, np.median(value))
    odd = np.zeros(drawn.cards)
    for _ in range(_ROUNDS):
        fitted = mean[model[card]] + odd[card]
        full = np.where(at_least, _expect_above(value, fitted, 1 / np.sqrt(weight)), value)
        of_card = np.bincount(card, weight * full, minlength=drawn.cards) / np.where(measured, total, 1)
        variance = figure.card**2 + 1 / np.where(measured, total, 1)
        apart = of_card - mean[model]
        vote = measured * (_TAIL + 1) / (_TAIL + apart**2 / variance) / variance
        odd = apart * figure.card**2 / variance
        own = np.bincount(model, vote, minlength=models).astype(np.float64)
        pulled = np.bincount(model, vote * of_card, minlength=models)
        usual = _predict_usual(drawn, figure, pulled / np.maximum(own, 1e-12), own)
        mean = (pulled + usual / figure.model**2) / (own + 1 / figure.model**2)
    return mean


def _cells(
    drawn: Crowd, figure: Figure
) -> tuple[Array, NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    row = NAMES.index(figure.name)
    keep = drawn.sound & np.isfinite(drawn.values[figure.name])
    card, host, value = drawn.card[keep], drawn.host[keep], np.log(drawn.values[figure.name][keep])
    _, first, cell, runs = np.unique(
        card * len(drawn.host_top) + host, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((value, cell))
    begins = np.cumsum(runs) - runs
    middle = (value[order][begins + (runs - 1) // 2] + value[order][begins + runs // 2]) / 2
    top = drawn.host_top[host[first]] if figure.linked else np.full(len(middle), np.inf)
    at_least = middle >= top - _MARGIN
    below = np.minimum(middle, top - _MARGIN)
    soft = drawn.manners.soft
    if soft and figure.linked:
        below = top - soft * np.log(np.expm1((top - below) / soft))
    return below - drawn.host_effect[row][host[first]], at_least, card[first], runs


def _expect_above(at_least: Array, mean: Array, sd: Array) -> Array:
    # Mean of a normal distribution truncated below.
    distance = np.clip((at_least - mean) / sd, -30, 30)
    return mean + sd * np.exp(norm.logpdf(distance) - norm.logsf(distance))


def _predict_usual(drawn: Crowd, figure: Figure, own_mean: Array, own: Array) -> Array:
    # Best linear unbiased prediction of a model of this kind, from all models together.
    columns, spreads = [np.ones((len(own), 1))], [10.0]
    for traits, spread in zip(drawn.traits.T, (figure.brand, figure.line, figure.capacity), strict=True):
        _, number = np.unique(traits, return_inverse=True)
        columns.append(np.eye(number.max() + 1)[number])
        spreads += [spread] * (number.max() + 1)
    design = np.hstack(columns)
    weight = own / (1 + own * figure.model**2)
    among = (design.T * weight) @ design + np.diag(1 / np.square(spreads))
    usual: Array = design @ np.linalg.solve(among, design.T @ (weight * own_mean))
    return usual
