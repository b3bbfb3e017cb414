"""Models given their surroundings: a robust, censored, shrunk mean per model and an effect per card.

    y_c = m + u + h + e      u ~ N(0, s_u²), e ~ N(0, s_i² + s_r² / n), m ~ N(market, s_m²), h ~ N(as fitted, v_h)

All cells of a model on one host share its h: eight cards there are not eight hosts. With w_c = 1 / Var e, W_u the sum
of w_c of a card and a = 1 / s_u², what is summed per model and host is

    P = Σ w_c a / (a + W_u)     and     P z = Σ w_c a / (a + W_u) (y_c - fitted h)

and the cards tell the model with the precision Σ P / (1 + v_h P). That is exact where every card is on one host, and
where all cards are on the same hosts. So all that is needed of a model are its cells, and of those two sums per host.

Cells and cards count by t weights; from where the cards are found to lie, `odd_cards` sums what they say. A cell at
its link is censored (Tobit). What a model gets depends on its own cells and the surroundings only, so adding a run
and taking it back gives exactly what was there before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import columns, own_means, robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.crowd import CrowdFigure, Expected
from submissions.domain.judgement.layout import Field, FitState, Layout, Part, Variances
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Stands in for a weight of nothing in a divisor.
_TINY = 1e-12
# After so many sweeps those models are left alone whose last step was below this share of their standard deviation.
_STRIDE, _STILL = 6, 0.003


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Per model: `mean` and `sd` of the log value; what its cards add to what is expected, any of which may be odd
    (`own_mean`, `own_precision`; precision 0: nothing); `measured`: where the middle of its cards lies; counts, and
    `at_least`, where links hid most of it.

    Per card: `card_value` as on the reference host, `card_precision` of that value (0: not measured),
    `card_vote`: its share in the mean of its model's cards, `card_scale`: what the submitter cap leaves of it,
    `card_hidden`: a link limited one of its cells.
    """

    mean: Floats
    sd: Floats
    own_mean: Floats
    own_precision: Floats
    measured: Floats
    cards: Index
    submitters: Index
    runs: Index
    at_least: Mask
    card_value: Floats
    card_precision: Floats
    card_vote: Floats
    card_scale: Floats
    card_hidden: Mask


def estimate_all(
    figures: Sequence[tuple[Cells, CrowdFigure]],
    expected: Sequence[Expected],
    *,
    cards: int,
    parameters: Parameters = DEFAULTS,
) -> list[Estimates]:
    """Estimates of several figures of these models, fitted in one go: for few cells that is several times as quick.
    `expected`: of every figure.

    One figure of a model knows nothing of another: each pair counts as a model here, and each has cards of its own.
    """
    crowd_figures = [figure for _, figure in figures]
    cells = [own for own, _ in figures]
    market = Expected(
        np.concatenate([figure.mean for figure in expected]),
        np.concatenate([figure.precision for figure in expected]),
    )
    models = len(expected[0].mean)
    layout = Layout.of(
        _side_by_side(cells, models=models, cards=cards),
        models=len(figures) * models,
        cards=len(figures) * cards,
    )
    within = [figure.spreads.cell_variance(own.runs) for own, figure in figures]
    variances = Variances.of(
        layout, np.concatenate(within), [figure.spreads for figure in crowd_figures], parameters
    )
    field = _field(layout, figures)
    fit = _settled(layout, start(layout, market, field), (market, field, variances), parameters)
    _, kinds = np.unique([figure.slot for figure in crowd_figures], return_inverse=True)
    published = _published(layout, fit, (market, field, variances), kinds, parameters)
    level = np.repeat([figure.spreads.level for figure in crowd_figures], models)
    published = replace(published, sd=np.hypot(published.sd, level))
    return columns.parted(published, len(figures))


def _settled(
    layout: Layout,
    fit: FitState,
    around: tuple[Expected, Field, Variances],
    parameters: Parameters,
    done: int = 0,
) -> FitState:
    """The fit swept until nothing moves. Each model stops by itself: what is found of one must not depend on others."""
    before = fit
    for _ in range(_STRIDE):
        before, fit = fit, sweep(layout, fit, *around, parameters)
    step = np.abs(fit.mean - before.mean) * np.sqrt(fit.precision + around[0].precision)
    moving = step > _STILL
    done += _STRIDE
    if done >= parameters.sweeps or not moving.any():
        return fit
    part = Part(layout, moving)
    rest = _settled(part.layout(), part.of(fit), part.around(*around), parameters, done)
    return part.put(rest, fit)


def _field(layout: Layout, figures: Sequence[tuple[Cells, CrowdFigure]]) -> Field:
    """What was fitted of the hosts; every host that the fit has not seen is one of its own."""
    effect, variance = (
        np.concatenate([getattr(figure, name)[seen(cells.host)] for cells, figure in figures])
        for name in ("host_effect", "host_variance")
    )
    return Field(effect[layout.place_first], variance[layout.place_first])


def seen(host: Index) -> Index:
    """Hosts by number, all that were not seen in the last full fit as -1: the last place of what was fitted."""
    return np.maximum(host, -1)


def _side_by_side(parts: Sequence[Cells], *, models: int, cards: int) -> Cells:
    """The cells of several figures as if of one, with as many models and cards as all of them together."""
    moved = [
        replace(part, model=part.model + at * models, card=part.card + at * cards)
        for at, part in enumerate(parts)
    ]
    return columns.joined(moved)


def start(layout: Layout, market: Expected, field: Field) -> FitState:
    """Where the fit begins: the middle of what each submitter says and what the market expects, one voice each.

    A robust fit has several solutions; from here the one is found that most parties agree on, not most cards.
    """
    on_field = layout.cells.log_value - field.effect[layout.place]
    voice = robust.medians(layout.stake, on_field, count=len(layout.stake_model))
    mean = robust.weighted_medians(
        np.concatenate([layout.stake_model, np.arange(layout.models)]),
        np.concatenate([voice, market.mean]),
        np.concatenate([layout.stake_belief, np.ones(layout.models)]),
        count=layout.models,
    )
    nothing, whole = np.zeros(layout.cards), np.ones(layout.cards)
    value, silent = np.full(layout.cards, np.nan), np.zeros(len(layout.place_model))
    unheard = np.zeros(layout.models)
    return FitState(
        mean, unheard, silent, silent, field.effect, value, nothing, whole, nothing, whole, whole, nothing
    )


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
    layout: Layout,
    fit: FitState,
    market: Expected,
    field: Field,
    variances: Variances,
    parameters: Parameters,
) -> FitState:
    """One Newton step for every model, its hosts and its cards."""
    cells, card, place, model = layout.cells, layout.cells.card, layout.place, layout.card_model
    apart_by = fit.effect[card] + fit.shared[place]
    score, information = pulls(cells, fit.mean[cells.model] + apart_by, variances.cell, parameters)
    away = score + information * apart_by
    weight = robust.sums(card, information, count=layout.cards)
    among_cards = fit.trust / variances.card
    scale = _capped(layout, information, weight, variances)
    left = (scale * among_cards / (weight + among_cards))[card]
    heard = robust.sums(place, left * information, count=len(layout.place_model))
    said = robust.sums(place, left * away, count=len(heard)) / np.maximum(heard, _TINY)
    vote = heard / (1 + field.variance * heard)
    precision, shift = _shift(layout, vote, vote * (said - field.effect), market, fit.mean)
    shared = field.effect + field.variance * vote * (said - shift[layout.place_model] - field.effect)
    pull = robust.sums(card, away - information * shared[place], count=layout.cards) - weight * shift[model]
    on_field = robust.sums(card, away - information * field.effect[place], count=layout.cards)
    measured = np.maximum(weight, _TINY)
    apart = pull / measured
    own = robust.sums(card, information / (1 + field.variance * heard)[place], count=layout.cards)
    return FitState(
        mean=fit.mean + shift,
        precision=precision,
        said=said + fit.mean[layout.place_model],
        heard=heard,
        shared=shared,
        value=fit.mean[model] + on_field / measured,
        effect=pull / (weight + among_cards),
        trust=robust.t_weight(apart**2 / (variances.card + 1 / measured), tail=parameters.tail),
        weight=weight,
        scale=scale,
        alone=own / measured,
        vote=among_cards / (weight + among_cards) * scale * own,
    )


def _shift(
    layout: Layout, vote: Floats, pull: Floats, market: Expected, mean: Floats
) -> tuple[Floats, Floats]:
    """How precisely its places tell each model, and how far they and the market move its mean."""
    precision = robust.sums(layout.place_model, vote, count=layout.models)
    pulled = robust.sums(layout.place_model, pull, count=layout.models)
    pulled += (market.mean - mean) * market.precision
    return precision, pulled / (precision + market.precision)


def _capped(layout: Layout, information: Floats, weight: Floats, variances: Variances) -> Floats:
    """What is left of each card's vote once no submitter has more than the cap inside a model, by what he is believed.

    Cards are counted as if all were trusted, so that many odd cards do not add up to one good one.
    """
    card, trusted = layout.cells.card, 1 / variances.card
    share = information / np.maximum(weight[card], _TINY)
    vote = weight * trusted / (weight + trusted)
    held = robust.sums(layout.stake, share * vote[card], count=len(layout.stake_model))
    allowed = layout.stake_belief * np.minimum(1.0, variances.cap / np.maximum(held, _TINY))
    return robust.sums(card, share * allowed[layout.stake], count=layout.cards)


def _published(
    layout: Layout,
    fit: FitState,
    around: tuple[Expected, Field, Variances],
    kinds: Index,
    parameters: Parameters,
) -> Estimates:
    market, field, _ = around
    cells, model, models = layout.cells, layout.card_model, layout.models
    measured = fit.weight > 0
    own, precision, variance = own_means.of_models(layout, fit, around, kinds, parameters)
    return Estimates(
        mean=(np.nan_to_num(own) * precision + market.mean * market.precision)
        / (precision + market.precision),
        sd=np.sqrt(variance),
        own_mean=own,
        own_precision=precision,
        measured=own_means.middle(fit, market),
        cards=robust.counts(model[measured], count=models),
        submitters=robust.counts(layout.stake_model, count=models),
        runs=robust.sums(cells.model, cells.runs.astype(np.float64), count=models).astype(np.int64),
        at_least=own_means.mostly_hidden(layout),
        card_value=np.where(measured, fit.value, np.nan),
        card_precision=np.where(measured, own_means.precision(layout, fit, field), 0.0),
        card_vote=fit.vote / np.maximum(fit.precision, _TINY)[model],
        card_scale=fit.scale,
        card_hidden=robust.counts(cells.card[cells.at_least], count=layout.cards) > 0,
    )
