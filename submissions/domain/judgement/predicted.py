"""What the card in the shop will probably do: how cards lie about the mean of their model, and how sure that mean is.

    next card = mean + d,     d ~ (Σ_u w_u N(a d_u, a v_u) + k F) / (Σ_u w_u + k),     a = s² / (s² + v_u)

A mixture of the own cards of the model (d_u from its mean, measured with variance v_u; w_u: what the submitter cap
leaves; s²: how far they scatter, shrunk to what is usual) and of the cards of the whole crowd (F, as so many
quantiles), which count as k more. It is not normal: where two silicons hide under one name it has two humps, and odd
cards are slower, not faster.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from submissions.domain.judgement import columns, distributions, robust
from submissions.domain.judgement.crowd import Spreads
from submissions.domain.judgement.estimates import Estimates
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index

_QUANTILES = (np.arange(60) + 0.5) / 60  # those that stand for the crowd
# Distances from the mean, in log, at which the mixture is looked at.
_GRID = 0.2 * np.sinh(np.linspace(-3.3, 2.8, 47))
# How unsure a mean may be: of the crowd, the mixture is worked out for these and interpolated.
_UNSURE = np.geomspace(0.005, 3.0, 24)
_TAIL = 0.022
# A card is slow when it does less than this share of what its model does: what a user notices.
SLOW = 0.8
_LOG_SLOW = float(np.log(SLOW))
_NARROW = 1e-6
_CARDS_TOLD = 5


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """Per model: log values between which 95 of 100 cards lie, on the reference host, and the share of slow ones."""

    lower: Floats
    upper: Floats
    slow: Floats


def crowd_cards(estimates: Estimates, card_model: Index) -> tuple[float, ...]:
    """Quantiles of how far cards lie from the mean of their model, from models with some cards; () of too few."""
    told = (estimates.card_precision > 0) & ~estimates.card_hidden & (estimates.card_scale > 0.5)
    number = robust.counts(card_model[told], count=len(estimates.mean))
    told &= number[card_model] >= _CARDS_TOLD
    if told.sum() < len(_QUANTILES):
        return ()
    away = (estimates.card_value - estimates.mean[card_model])[told]
    return tuple(np.quantile(away, _QUANTILES).tolist())


def predict(
    figures: Sequence[tuple[Estimates, Spreads]], card_model: Index, *, parameters: Parameters = DEFAULTS
) -> list[Predicted]:
    """Of every model, for several figures in one go. `card_model`: the model of each card."""
    models, among = len(figures[0][0].mean), parameters.crowd_cards
    estimates = columns.joined([of_figure for of_figure, _ in figures])
    crowds = [_crowd(spreads) for _, spreads in figures]
    own = _own_cards(
        estimates,
        (card_model + models * np.arange(len(figures))[:, None]).ravel(),
        np.repeat([spreads.card**2 for _, spreads in figures], models),
        among,
    )
    in_crowd = np.vstack([_of_crowd(crowd, of.sd) for crowd, (of, _) in zip(crowds, figures, strict=True)])
    below = (_of_cards(own, estimates.sd) + among * in_crowd) / own.total[:, None]
    slow = distributions.ndtr((_LOG_SLOW - own.centre) / np.maximum(own.spread, _NARROW))
    slow_in_crowd = np.repeat([np.mean(np.less(crowd, _LOG_SLOW)) for crowd in crowds], models)
    predicted = Predicted(
        lower=estimates.mean + _crossing(below, _TAIL),
        upper=estimates.mean + _crossing(below, 1 - _TAIL),
        slow=(own.sums(own.weight * slow) + among * slow_in_crowd) / own.total,
    )
    return columns.parted(predicted, len(figures))


@dataclass(frozen=True, slots=True, eq=False)
class _OwnCards:
    """The cards that tell: of which model, what each weighs, and how far from its mean the card lies, with one standard
    deviation. `total`, per model: of these weights and of what the crowd counts."""

    model: Index
    weight: Floats
    centre: Floats
    spread: Floats
    total: Floats

    def sums(self, values: Floats) -> Floats:
        return robust.sums(self.model, values, count=len(self.total))


def _own_cards(estimates: Estimates, card_model: Index, usual: Floats, among: float) -> _OwnCards:
    """`usual`: per model, the variance of cards of the crowd, which counts as much as `among` own cards do."""
    card = np.flatnonzero((estimates.card_precision > 0) & ~estimates.card_hidden)
    model, weight = card_model[card], np.clip(estimates.card_scale[card], 0.0, 1.0)
    total = robust.sums(model, weight, count=len(usual)) + among
    away, noise = estimates.card_value[card] - estimates.mean[model], 1 / estimates.card_precision[card]
    scatter = (robust.sums(model, weight * away**2, count=len(usual)) + among * usual) / total
    own = scatter[model] / (scatter[model] + noise)
    return _OwnCards(model, weight, own * away, np.sqrt(own * noise), total)


def _crowd(spreads: Spreads) -> tuple[float, ...]:
    """How far the cards of the crowd lie from their model, as so many quantiles."""
    return spreads.cards or tuple((spreads.card * _usual()).tolist())


def _of_cards(own: _OwnCards, sd: Floats) -> Floats:
    """Weights of the own cards of each model below each point of the grid: models x distances. `sd`: of its mean."""
    unsure = np.hypot(np.hypot(own.spread, sd[own.model]), _NARROW)
    summed = [
        robust.sums_of_rows(
            own.model,
            own.weight * distributions.ndtr((distance - own.centre) / unsure),
            count=len(own.total),
        )
        for distance in robust.in_parts(_GRID[:, None], columns=len(own.model))
    ]
    return np.vstack(summed).T


@cache
def _usual() -> Floats:
    """The quantiles in spreads, before any crowd was seen: one card of 20 is odd."""
    return np.append([-9.0, -7.0, -5.0], distributions.ndtri(_QUANTILES[3:]))


@lru_cache(maxsize=100)
def _table(crowd: tuple[float, ...]) -> Floats:
    """Share of the cards of the crowd below each point of the grid, for each of _UNSURE; dear, and the same until the
    next full fit."""
    table: Floats = distributions.ndtr((_GRID[:, None] - np.array(crowd)) / _UNSURE[:, None, None]).mean(
        axis=2
    )
    return table


def _of_crowd(crowd: tuple[float, ...], unsure: Floats) -> Floats:
    """Share of the cards of the crowd below each point of the grid, for means as unsure as these."""
    table = _table(crowd)
    at = np.interp(np.log(unsure), np.log(_UNSURE), np.arange(len(_UNSURE)))
    low = np.minimum(at.astype(np.int64), len(_UNSURE) - 2)
    part = (at - low)[:, None]
    below: Floats = table[low] * (1 - part) + table[low + 1] * part
    return below


def _crossing(below: Floats, share: float) -> Floats:
    """Where each row of the grid reaches this share, between two of its points."""
    at = np.clip((below < share).sum(axis=1), 1, len(_GRID) - 1)
    row = np.arange(len(below))
    low, high = below[row, at - 1], below[row, at]
    part = np.clip((share - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
    crossing: Floats = _GRID[at - 1] + part * (_GRID[at] - _GRID[at - 1])
    return crossing
