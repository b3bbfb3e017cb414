"""What models of a kind usually do: all traits at once, and how far models, brands, lines and capacities scatter.

    z_i = general + Σ_k b_k(i) + m_i + e_i     b_k ~ N(0, s_k²), m_i ~ N(0, s_m²), e_i ~ N(0, v_i)

The mixed-model equations (C. R. Henderson, Biometrics 31, 1975) are solved exactly; every model has one value of each
trait, so the trait with most values is eliminated first. Spreads are judged from what the *other* models say of a
model, and from the data alone of a brand: a line of one model cannot take its whole deviation for its own.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import components, robust
from submissions.domain.judgement.crowd import Expected, Market
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

_VAGUE = 1e-4  # precision of the general level before anything is known
_ROUNDS = 2
# Of a model that nearly makes the market by itself, others are taken to say this much.
_LEAST_OTHERS = 0.1
_SILENT = 1e-6  # a model known no better than this says nothing


@dataclass(frozen=True, slots=True, eq=False)
class MarketFit:
    """`spread`: s_m; `among`: s_k of each kind of trait; `others`: what all others say of each model."""

    market: Market
    spread: float
    among: tuple[float, ...]
    others: Expected


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """`effect`, `variance`: per kind of trait and value; `usual`: what is expected of each model, with `uncertain` its
    variance, and `leverage` the share of the model itself in it."""

    general: float
    effects: list[Floats]
    variances: list[Floats]
    usual: Floats
    uncertain: Floats
    leverage: Floats


def refitted(
    before: MarketFit, mean: Floats, precision: Floats, traits: Index, telling: Mask, parameters: Parameters
) -> MarketFit:
    """The market again. Per model `mean` and `precision` of what its cards say (0: nothing); `telling`: models that
    tell how far models scatter."""
    own = precision > _SILENT
    fitted = before
    for _ in range(_ROUNDS):
        solved = _solved(fitted, mean[own], 1 / precision[own], traits[own], parameters)
        kept = np.maximum(1 - solved.leverage, 1e-6)
        raw = (mean[own] - solved.usual) / kept
        sampling = 1 / precision[own] + solved.uncertain / kept
        at = telling[own]
        spread = components.spread(
            raw[at], sampling[at], usual=parameters.usual_market, freedom=parameters.prior_freedom
        )
        among = tuple(
            _among(effect, variance, before=one, parameters=parameters)
            for effect, variance, one in zip(solved.effects, solved.variances, fitted.among, strict=True)
        )
        others = Expected(before.others.mean.copy(), before.others.precision.copy())
        shown = np.maximum(kept, _LEAST_OTHERS)
        others.mean[own] = mean[own] - (mean[own] - solved.usual) / shown
        others.precision[own] = 1 / (spread**2 + solved.uncertain / shown)
        fitted = MarketFit(_market(solved, among), spread, among, others)
    return fitted


def _market(solved: _Solved, among: tuple[float, ...]) -> Market:
    effects = tuple(np.append(effect, 0.0) for effect in solved.effects)
    variances = tuple(
        np.append(np.minimum(variance, one**2), one**2)
        for variance, one in zip(solved.variances, among, strict=True)
    )
    return Market(solved.general, effects, variances)


def _among(effect: Floats, variance: Floats, *, before: float, parameters: Parameters) -> float:
    """How far the values of a trait differ. What the data say of each of them, its own prior taken off."""
    data = np.maximum(1 / variance - 1 / before**2, 0.0)
    told = data > 1e-6 / before**2
    raw, sampling = effect[told] / variance[told] / data[told], 1 / data[told]
    return components.spread(raw, sampling, usual=parameters.usual_trait, freedom=parameters.prior_freedom)


def _solved(fit: MarketFit, mean: Floats, sampling: Floats, traits: Index, parameters: Parameters) -> _Solved:
    """One solution for these spreads, with models far from what is expected of them counting less."""
    among = np.array(fit.among)
    variance = sampling + fit.spread**2 + (traits < 0) @ among**2
    left = mean - fit.market.mean(traits)
    weight = robust.t_weight(left**2 / variance, tail=parameters.tail) / variance
    sizes = [len(effect) - 1 for effect in fit.market.effects]
    largest = int(np.argmax(sizes)) if sizes else -1
    columns, prior = _small(traits, sizes, among, largest)
    if largest < 0:
        return _plain(columns, prior, mean, weight)
    group, precision = traits[:, largest], 1 / among[largest] ** 2
    has = group >= 0
    count = sizes[largest]
    diagonal = robust.sums(group[has], weight[has], count=count) + precision
    crossed = np.column_stack(
        [robust.sums(group[has], column, count=count) for column in (columns * weight[:, None])[has].T]
    )
    pull = robust.sums(group[has], (weight * mean)[has], count=count)
    shared = crossed / diagonal[:, None]
    inverse = np.linalg.inv((columns.T * weight) @ columns + np.diag(prior) - crossed.T @ shared)
    small = inverse @ (columns.T @ (weight * mean) - shared.T @ pull)
    large = pull / diagonal - shared @ small
    spread_of_large = 1 / diagonal + ((shared @ inverse) * shared).sum(axis=1)
    away = columns - np.where(has[:, None], shared[group], 0.0)
    uncertain = np.where(has, 1 / diagonal[group], 0.0) + ((away @ inverse) * away).sum(axis=1)
    usual = columns @ small + np.where(has, large[group], 0.0)
    effects, variances = _by_kind(small, np.diagonal(inverse), sizes, largest)
    effects[largest], variances[largest] = large, spread_of_large
    return _Solved(float(small[0]), effects, variances, usual, uncertain, weight * uncertain)


def _plain(columns: Floats, prior: Floats, mean: Floats, weight: Floats) -> _Solved:
    """Without any trait: the general level alone."""
    inverse = np.linalg.inv((columns.T * weight) @ columns + np.diag(prior))
    small = inverse @ (columns.T @ (weight * mean))
    uncertain = np.full(len(mean), inverse[0, 0])
    return _Solved(float(small[0]), [], [], columns @ small, uncertain, weight * uncertain)


def _small(traits: Index, sizes: list[int], among: Floats, largest: int) -> tuple[Floats, Floats]:
    """(models x columns, prior precision of each): the general level and every value of every trait but the largest."""
    parts, prior = [np.ones((len(traits), 1))], [np.array([_VAGUE])]
    for kind, size in enumerate(sizes):
        if kind != largest:
            parts.append(np.eye(size + 1)[traits[:, kind]][:, :size])
            prior.append(np.full(size, 1 / among[kind] ** 2))
    return np.hstack(parts), np.concatenate(prior)


def _by_kind(
    effect: Floats, variance: Floats, sizes: list[int], largest: int
) -> tuple[list[Floats], list[Floats]]:
    effects, variances, at = [], [], 1
    for kind, size in enumerate(sizes):
        width = 0 if kind == largest else size
        effects.append(effect[at : at + width])
        variances.append(variance[at : at + width])
        at += width
    return effects, variances
