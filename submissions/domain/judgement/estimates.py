"""Models given their surroundings: a robust, censored, shrunk mean per model and an effect per card.

    y_c = m + u + h + e      u ~ N(0, s_u²), e ~ N(0, s_i² + s_r² / n), m ~ N(market, s_m²), h as fitted

Cells and cards count by t weights. A cell at its link is censored (Tobit). What a model gets depends on its own
cells and the surroundings only, so adding a run and taking it back gives exactly what was there before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import columns, robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.crowd import CrowdFigure, Expected, Spreads
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Stands in for a weight of nothing in a divisor.
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """How cells hang together. `stake`: the group (model, submitter) of each cell, `stake_model` its model,
    `stake_cards` its number of cards; `card_model` is 0 for a card without cells, which weighs nothing."""

    cells: Cells
    models: int
    cards: int
    card_model: Index
    stake: Index
    stake_model: Index
    stake_cards: Index

    @classmethod
    def of(cls, cells: Cells, *, models: int, cards: int) -> "Layout":
        card_model = np.zeros(cards, dtype=np.int64)
        card_model[cells.card] = cells.model
        if (card_model[cells.card] != cells.model).any():
            raise ValueError("a card belongs to two models; give each card one model before judging")
        first, stake = robust.numbered(cells.model, cells.submitter)
        one_each, _ = robust.numbered(stake, cells.card)
        held = robust.counts(stake[one_each], count=len(first))
        return cls(cells, models, cards, card_model, stake, cells.model[first], held)


@dataclass(frozen=True, slots=True, eq=False)
class Variances:
    """`cell`: variance of each cell about its card; `card`: of each card about its model; `cap`: what one submitter may
    weigh, per stake."""

    cell: Floats
    card: Floats
    cap: Floats

    @classmethod
    def of(
        cls, layout: Layout, cell: Floats, figures: Sequence[Spreads], parameters: Parameters
    ) -> "Variances":
        """`figures`: one after the other in the layout, each with as many models and cards as any other.

        Who brings suspiciously many cards of one model may weigh less.
        """
        crowded = layout.stake_cards >= parameters.crowded_cards
        share = np.where(crowded, parameters.crowded_share, 1.0)
        perfect = np.repeat([spreads.perfect_card() for spreads in figures], layout.models // len(figures))
        return cls(
            cell,
            np.repeat([spreads.card**2 for spreads in figures], layout.cards // len(figures)),
            parameters.submitter_cap * perfect[layout.stake_model] * share,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FitState:
    """Where the fit of some models stands between two sweeps. Per model `mean` and `precision` (what the cards tell of
    it, without the market); per card `value` on the reference host, `effect` (its shrunk distance from the mean),
    `trust` (t weight), `weight` (precision of its value), `scale` (what the submitter cap leaves of it) and `vote` (its
    part of `precision`)."""

    mean: Floats
    precision: Floats
    value: Floats
    effect: Floats
    trust: Floats
    weight: Floats
    scale: Floats
    vote: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Per model: `mean` and `sd` (published, widened) of the log value, what the cards alone say
    (`own_mean`, `own_precision`; precision 0: nothing), counts, and `at_least`, where links hid most of it.

    Per card: `card_value` as on the reference host, `card_precision` of that value (0: not measured),
    `card_vote`: its share in the mean of its model's cards, `card_scale`: what the submitter cap leaves of it,
    `card_hidden`: a link limited one of its cells.
    """

    mean: Floats
    sd: Floats
    own_mean: Floats
    own_precision: Floats
    cards: Index
    submitters: Index
    runs: Index
    at_least: Mask
    card_value: Floats
    card_precision: Floats
    card_vote: Floats
    card_scale: Floats
    card_hidden: Mask


def estimate(
    cells: Cells,
    crowd_figure: CrowdFigure,
    *,
    traits: Index,
    cards: int,
    parameters: Parameters = DEFAULTS,
) -> Estimates:
    """Estimates of `len(traits)` models and `cards` cards, any number of models at a time."""
    (estimates,) = estimate_all([(cells, crowd_figure)], traits=traits, cards=cards, parameters=parameters)
    return estimates


def estimate_all(
    figures: Sequence[tuple[Cells, CrowdFigure]],
    *,
    traits: Index,
    cards: int,
    parameters: Parameters = DEFAULTS,
) -> list[Estimates]:
    """Estimates of several figures of these models, fitted in one go: for few cells that is several times as quick.

    One figure of a model knows nothing of another: each pair counts as a model here, and each has cards of its own.
    """
    crowd_figures = [figure for _, figure in figures]
    cells = [_on_field(*figure) for figure in figures]
    layout = Layout.of(
        _side_by_side(cells, models=len(traits), cards=cards),
        models=len(figures) * len(traits),
        cards=len(figures) * cards,
    )
    expected = [figure.market.expected(traits, figure.spreads) for figure in crowd_figures]
    market = Expected(
        np.concatenate([figure.mean for figure in expected]),
        np.concatenate([figure.precision for figure in expected]),
    )
    within = [
        figure.spreads.cell_variance(own.runs) + figure.host_variance[own.host]
        for own, figure in zip(cells, crowd_figures, strict=True)
    ]
    variances = Variances.of(
        layout, np.concatenate(within), [figure.spreads for figure in crowd_figures], parameters
    )
    fit = start(layout, market)
    for _ in range(parameters.sweeps):
        fit = sweep(layout, fit, market, variances, parameters)
    level = np.repeat([figure.spreads.level for figure in crowd_figures], len(traits))
    published = _published(layout, fit, market, level, parameters)
    return columns.parted(published, len(figures))


def _on_field(cells: Cells, crowd_figure: CrowdFigure) -> Cells:
    """The cells with the effect of their host taken off, as on the reference host."""
    return replace(cells, log_value=cells.log_value - crowd_figure.host_effect[cells.host])


def _side_by_side(parts: Sequence[Cells], *, models: int, cards: int) -> Cells:
    """The cells of several figures as if of one, with as many models and cards as all of them together."""
    moved = [
        replace(part, model=part.model + at * models, card=part.card + at * cards)
        for at, part in enumerate(parts)
    ]
    return columns.joined(moved)


def start(layout: Layout, market: Expected) -> FitState:
    """Where the fit begins: the middle of what each submitter says and what the market expects, one voice each.

    A robust fit has several solutions; from here the one is found that most parties agree on, not most cards.
    """
    voice = robust.medians(layout.stake, layout.cells.log_value, count=len(layout.stake_model))
    mean = robust.medians(
        np.concatenate([layout.stake_model, np.arange(layout.models)]),
        np.concatenate([voice, market.mean]),
        count=layout.models,
    )
    nothing, whole = np.zeros(layout.cards), np.ones(layout.cards)
    value = np.full(layout.cards, np.nan)
    return FitState(mean, np.zeros(layout.models), value, nothing, whole, nothing, whole, nothing)


def pulls(cells: Cells, fitted: Floats, variance: Floats, parameters: Parameters) -> tuple[Floats, Floats]:
    """(score, information) of each cell about its mean: t weights, and Tobit where the link was the limit."""
    residual = cells.log_value - fitted
    weight = robust.t_weight(residual**2 / variance, tail=parameters.tail) / variance
    score = weight * residual
    hidden = cells.at_least
    if not hidden.any():
        return score, weight
    sd = np.sqrt(variance[hidden])
    distance = np.clip(residual[hidden] / sd, -30, 30)
    hazard = robust.hazard(distance)
    score[hidden], weight[hidden] = hazard / sd, hazard * (hazard - distance) / sd**2
    return score, weight


def sweep(
    layout: Layout, fit: FitState, market: Expected, variances: Variances, parameters: Parameters
) -> FitState:
    """One Newton step for every model and its cards."""
    cells, model = layout.cells, layout.card_model
    fitted = fit.mean[cells.model] + fit.effect[cells.card]
    score, information = pulls(cells, fitted, variances.cell, parameters)
    weight = robust.sums(cells.card, information, count=layout.cards)
    pull = robust.sums(cells.card, score, count=layout.cards) + weight * fit.effect
    among_cards = fit.trust / variances.card
    scale = _capped(layout, information, weight, variances)
    heard = scale * among_cards / (weight + among_cards)
    precision = robust.sums(model, heard * weight, count=layout.models)
    shift = robust.sums(model, heard * pull, count=layout.models)
    shift += (market.mean - fit.mean) * market.precision
    shift /= precision + market.precision
    left = pull - weight * shift[model]
    measured = np.maximum(weight, _TINY)
    apart = left / measured
    return FitState(
        mean=fit.mean + shift,
        precision=precision,
        value=(fit.mean + shift)[model] + apart,
        effect=left / (weight + among_cards),
        trust=robust.t_weight(apart**2 / (variances.card + 1 / measured), tail=parameters.tail),
        weight=weight,
        scale=scale,
        vote=heard * weight,
    )


def _capped(layout: Layout, information: Floats, weight: Floats, variances: Variances) -> Floats:
    """What is left of each card's vote once no submitter has more than the cap inside a model.

    Cards are counted as if all were trusted, so that many odd cards do not add up to one good one.
    """
    card, trusted = layout.cells.card, 1 / variances.card
    share = information / np.maximum(weight[card], _TINY)
    vote = weight * trusted / (weight + trusted)
    held = robust.sums(layout.stake, share * vote[card], count=len(layout.stake_model))
    allowed = np.minimum(1.0, variances.cap / np.maximum(held, _TINY))
    return robust.sums(card, share * allowed[layout.stake], count=layout.cards)


def own_means(fit: FitState, market: Expected) -> Floats:
    """What the cards alone say of their model, the market taken off; nan where they say nothing."""
    pulled = fit.mean * (fit.precision + market.precision) - market.mean * market.precision
    own = pulled / np.maximum(fit.precision, _TINY)
    means: Floats = np.where(fit.precision > 0, own, np.nan)
    return means


def widened(cards: Index, parameters: Parameters = DEFAULTS) -> Floats:
    """Factor on the spread of a model known from so many cards."""
    factor: Floats = 1 + parameters.widen / np.maximum(cards, 1)
    return factor


def _published(
    layout: Layout, fit: FitState, market: Expected, level: Floats, parameters: Parameters
) -> Estimates:
    cells, model, models = layout.cells, layout.card_model, layout.models
    seen = robust.counts(cells.card, count=layout.cards) > 0
    cards = robust.counts(model[seen], count=models)
    widen = widened(cards, parameters)
    hidden = robust.counts(cells.model[cells.at_least], count=models)
    return Estimates(
        mean=fit.mean,
        sd=np.hypot(widen / np.sqrt(fit.precision + market.precision), level),
        own_mean=own_means(fit, market),
        own_precision=fit.precision / widen**2,
        cards=cards,
        submitters=robust.counts(layout.stake_model, count=models),
        runs=robust.sums(cells.model, cells.runs.astype(np.float64), count=models).astype(np.int64),
        at_least=2 * hidden > robust.counts(cells.model, count=models),
        card_value=np.where(seen, fit.value, np.nan),
        card_precision=np.where(seen, fit.weight, 0.0),
        card_vote=fit.vote / np.maximum(fit.precision, _TINY)[model],
        card_scale=fit.scale,
        card_hidden=robust.counts(cells.card[cells.at_least], count=layout.cards) > 0,
    )
