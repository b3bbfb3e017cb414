"""What the cards of each model say of it alone, before what the market expects is put to it.

From where the fit finds each card, `odd_cards` sums what they say. What the figures of a card say together tells which
card is odd; and a card that a link hid says that it is at least so good.
"""

import numpy as np

from submissions.domain.judgement import odd_cards, robust
from submissions.domain.judgement.crowd import Expected
from submissions.domain.judgement.layout import Field, FitState, Layout, Variances
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Stands in for a weight of nothing in a divisor.
_TINY = 1e-12
# Cards that weigh less than this share of the market have no middle of their own.
_LEAST_OWN = 1e-3
# A model is never less certain without one of its cards than this share of what the market says of it.
_LEAST_WITHOUT = 0.5


def of_models(
    layout: Layout,
    fit: FitState,
    around: tuple[Expected, Field, Variances],
    kinds: Index,
    parameters: Parameters,
) -> tuple[Floats, Floats, Floats]:
    """(mean, precision) of what the cards alone say of their model, nan and 0 where they say nothing; and the variance
    of its mean with the market. `kinds`: of the figures that lie side by side, each with the same models and cards,
    the kind of slot they are measured in."""
    market, hidden = around[0], _are_hidden(layout)
    odds = _odds(layout, fit, around, hidden, kinds, parameters)
    mean, unsure = odd_cards.posterior(
        _heard(layout, fit, around, hidden, odds),
        near=Expected(fit.mean, fit.precision + market.precision),
        market=market,
        parameters=parameters,
    )
    shown = np.where(mostly_hidden(layout), np.nan, middle(fit, market))
    own, certain = odd_cards.without_market(mean, unsure, market, middle=shown)
    told = fit.precision > 0
    return np.where(told, own, np.nan), np.where(told, certain, 0.0), unsure


def _odds(
    layout: Layout,
    fit: FitState,
    around: tuple[Expected, Field, Variances],
    hidden: Mask,
    kinds: Index,
    parameters: Parameters,
) -> Floats:
    """Log of how many times as likely as usual each card is odd, by what its other figures show; 0 where links hide
    them. A card is held against what its model is without it."""
    market, field, variances = around
    model, seen = layout.card_model, (fit.weight > 0) & ~hidden
    certain = (fit.precision + market.precision)[model]
    without = np.maximum(certain - fit.vote, _LEAST_WITHOUT * market.precision[model])
    away = fit.value - (certain * fit.mean[model] - fit.vote * fit.value) / without
    variance = variances.card + 1 / np.maximum(precision(layout, fit, field), _TINY) + 1 / without
    each = (np.where(seen, away, np.nan).reshape(len(kinds), -1), variance.reshape(len(kinds), -1))
    return odd_cards.odds(*each, kinds, parameters).ravel()


def precision(layout: Layout, fit: FitState, field: Field) -> Floats:
    """Of the value of each card as on the reference host: what is uncertain of its hosts counts."""
    card, runs = layout.cells.card, layout.cells.runs.astype(np.float64)
    number = robust.sums(card, runs, count=layout.cards)
    share = runs / number[card]
    hosts = robust.sums(card, share**2 * field.variance[layout.place], count=layout.cards)
    total: Floats = fit.weight / (1 + fit.weight * hosts)
    return total


def _heard(
    layout: Layout,
    fit: FitState,
    around: tuple[Expected, Field, Variances],
    hidden: Mask,
    odds: Floats,
) -> odd_cards.Cards:
    """The cards that say something of their model."""
    _, field, variances = around
    cards = odd_cards.Cards(
        model=layout.card_model,
        value=fit.value.copy(),
        variance=variances.card + 1 / np.maximum(fit.weight, _TINY),
        scale=fit.scale.copy(),
        alone=fit.alone.copy(),
        at_least=hidden,
        odds=odds,
    )
    _put_limits(cards, layout, field, variances)
    return cards.where((fit.weight > 0) | hidden)


def _put_limits(cards: odd_cards.Cards, layout: Layout, field: Field, variances: Variances) -> None:
    """Of cards that links hid, the cell counts that reached most, and all that a submitter has of them is one voice."""
    hidden = np.flatnonzero(cards.at_least)
    reached = layout.cells.log_value - field.effect[layout.place]
    order = np.argsort(reached)
    cell = np.zeros(layout.cards, dtype=np.int64)
    cell[layout.cells.card[order]] = order  # the last one written stays
    cell = cell[hidden]
    stake, place = layout.stake[cell], layout.place[cell]
    beside = robust.counts(place, count=len(layout.place_model))[place]
    cards.value[hidden] = reached[cell]
    cards.variance[hidden] = variances.card[hidden] + variances.cell[cell]
    cards.scale[hidden] = layout.stake_belief[stake] / layout.stake_cards[stake]
    cards.alone[hidden] = 1 / (1 + field.variance[place] * beside / cards.variance[hidden])


def _are_hidden(layout: Layout) -> Mask:
    """Cards of which links hid every cell."""
    cells = layout.cells
    free = robust.counts(cells.card[~cells.at_least], count=layout.cards)
    hidden: Mask = (robust.counts(cells.card, count=layout.cards) > 0) & (free == 0)
    return hidden


def mostly_hidden(layout: Layout) -> Mask:
    """Models of whose cells links hid most."""
    cells = layout.cells
    hidden = robust.counts(cells.model[cells.at_least], count=layout.models)
    most: Mask = 2 * hidden > robust.counts(cells.model, count=layout.models)
    return most


def middle(fit: FitState, market: Expected) -> Floats:
    """What the cards of each model show, the market taken off; nan where nothing was measured, and what is expected of
    the model where they say next to nothing: all of them ended at their links."""
    certain = np.maximum(fit.precision, _TINY)
    own = fit.mean + (fit.mean - market.mean) * market.precision / certain
    tells = fit.precision > _LEAST_OWN * market.precision
    middle: Floats = np.where(fit.precision > 0, np.where(tells, own, fit.mean), np.nan)
    return middle
