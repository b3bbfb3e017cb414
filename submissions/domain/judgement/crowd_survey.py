"""The full fit: what hosts add, how far everything scatters, and what models of a kind usually do.

Backfitting of the two-way model of `estimates`, all models and hosts together. Hosts are shrunk to the mean of their
type, so that a host with few cells behaves as its kind; types and traits are shrunk, too.
"""

from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import estimates, robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.crowd import CrowdFigure, Expected, Market, Spreads
from submissions.domain.judgement.estimates import FitState, Layout, Variances
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Where a crowd is too small to tell: typical of labelled cards.
PRIOR_SPREADS = Spreads(repeat=0.1, interaction=0.08, card=0.15, host=0.15, market=0.3)
_FLOOR = 0.01
_LEAST_RESIDUALS = 30
# A host whose link hides more of its cells than this is taken for one of its type: what is not censored there is
# mostly throttled runs, and they would drag the host down.
_MOST_HIDDEN = 2 / 3
# A model bends the market it is compared with by its own share in it; no more than this is made up for.
_MOST_BORROWED = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class _Hosts:
    effect: Floats
    variance: Floats


def survey(
    cells: Cells,
    *,
    traits: Index,
    cards: int,
    host_types: Index,
    parameters: Parameters = DEFAULTS,
) -> CrowdFigure:
    """What the crowd says of one figure, from all its cells. `host_types`: type of each host, -1 where it is not known.

    Raises ValueError without cells: there is nothing to learn from.
    """
    if not len(cells):
        raise ValueError("no cells to survey; skip a figure that was not measured")
    layout = Layout.of(cells, models=len(traits), cards=cards)
    spreads = replace(PRIOR_SPREADS, repeat=_robust(cells.repeat_residuals, PRIOR_SPREADS.repeat))
    market = _flat_market(float(np.median(cells.log_value)), traits)
    hosts = _Hosts(np.zeros(len(host_types)), np.zeros(len(host_types)))
    fit = estimates.start(layout, market.expected(traits, spreads))
    for number in range(parameters.sweeps):
        on_field = replace(cells, log_value=cells.log_value - hosts.effect[cells.host])
        within = spreads.cell_variance(cells.runs) + hosts.variance[cells.host]
        adjusted = replace(layout, cells=on_field)
        variances = Variances.of(adjusted, within, [spreads], parameters)
        fit = estimates.sweep(adjusted, fit, market.expected(traits, spreads), variances, parameters)
        hosts = _hosts(cells, fit, hosts, host_types, spreads, parameters)
        if number % 5 == 4:
            market = _market(fit, market, traits, spreads, parameters)
            spreads = replace(
                spreads,
                interaction=_interaction(adjusted, spreads),
                card=_card(adjusted, spreads),
                host=_host(hosts, host_types, spreads),
                market=_market_spread(adjusted, fit, market.expected(traits, spreads), spreads, parameters),
            )
    return CrowdFigure(
        host_effect=np.append(hosts.effect, 0.0),
        host_variance=np.append(hosts.variance, spreads.host**2),
        spreads=replace(spreads, level=_uncertain_level(cells, len(host_types), spreads, parameters)),
        market=market,
    )


def _hosts(
    cells: Cells, fit: FitState, hosts: _Hosts, types: Index, spreads: Spreads, parameters: Parameters
) -> _Hosts:
    """One Newton step for every host, shrunk to its type."""
    fitted = fit.mean[cells.model] + fit.effect[cells.card] + hosts.effect[cells.host]
    score, information = estimates.pulls(
        cells, fitted, spreads.cell_variance(cells.runs) + hosts.variance[cells.host], parameters
    )
    count = len(types)
    telling = ~_hiding(cells, count)
    weight = telling * robust.sums(cells.host, information, count=count)
    pull = telling * robust.sums(cells.host, score, count=count) + weight * hosts.effect
    shrink = 1 / spreads.host**2
    usual = _type_means(pull, weight, types, spreads)
    effect = (pull + usual * shrink) / (weight + shrink)
    return _Hosts(
        effect - _level(effect[telling] if telling.any() else effect, spreads), 1 / (weight + shrink)
    )


def _level(effect: Floats, spreads: Spreads) -> float:
    """The average host. A host gone astray must not take the level of all models with it, so far ones are cut."""
    middle, far = np.median(effect), 3 * spreads.host
    return float(np.clip(effect, middle - far, middle + far).mean())


def _uncertain_level(cells: Cells, hosts: int, spreads: Spreads, parameters: Parameters) -> float:
    """Hosts that only show their link may be of another kind than those that tell; and bad cards pull every mean."""
    unseen = float(_hiding(cells, hosts).mean())
    return float(np.hypot(unseen * spreads.host, parameters.pulled * spreads.card))


def _hiding(cells: Cells, count: int) -> Mask:
    hidden = robust.counts(cells.host[cells.at_least], count=count)
    return hidden > _MOST_HIDDEN * robust.counts(cells.host, count=count)


def _type_means(pull: Floats, weight: Floats, types: Index, spreads: Spreads) -> Floats:
    """Expected effect of each host by its type, shrunk to 0; 0 where the type is not known."""
    group = np.where(types < 0, types.max(initial=-1) + 1, types)
    count = int(group.max(initial=-1)) + 1
    telling = weight / (1 + weight * spreads.host**2)
    mean = robust.sums(group, telling * pull / np.maximum(weight, 1e-12), count=count)
    mean /= robust.sums(group, telling, count=count) + 1 / spreads.host**2
    usual: Floats = np.where(types < 0, 0.0, mean[group])
    return usual


def _flat_market(general: float, traits: Index) -> Market:
    nothing = tuple(np.zeros(trait.max(initial=-1) + 2) for trait in traits.T)
    return Market(general, nothing, nothing)


def _market(fit: FitState, market: Market, traits: Index, spreads: Spreads, parameters: Parameters) -> Market:
    """Shrunk effects of the traits on models that have cards: a few rounds of backfitting."""
    mean = np.nan_to_num(estimates.own_means(fit, market.expected(traits, spreads)))
    certainty = fit.precision / (1 + fit.precision * spreads.market**2)
    for _ in range(8):
        left = mean - market.mean(traits)
        certain = certainty * robust.t_weight(left**2 * certainty, tail=parameters.tail)
        market = replace(market, general=market.general + float((certain * left).sum() / certain.sum()))
        for kind in range(traits.shape[1]):
            market = _refitted(market, kind, mean, certain, traits)
    return market


def _refitted(market: Market, kind: int, mean: Floats, certain: Floats, traits: Index) -> Market:
    effect, trait = market.effects[kind], traits[:, kind]
    group = np.where(trait < 0, len(effect) - 1, trait)
    left = mean - market.mean(traits) + effect[group]
    weight = robust.sums(group, certain, count=len(effect))
    pull = robust.sums(group, certain * left, count=len(effect))
    used = weight[:-1] > 0
    among = _variance_of_effects(pull[:-1][used], weight[:-1][used])
    fresh = pull / (weight + 1 / among)
    fresh[-1] = 0.0
    return Market(
        market.general,
        (*market.effects[:kind], fresh, *market.effects[kind + 1 :]),
        (*market.variances[:kind], _uncertain(weight, among), *market.variances[kind + 1 :]),
    )


def _uncertain(weight: Floats, among: float) -> Floats:
    """Variance of each shrunk effect; of one not known, that of the effects."""
    variance: Floats = 1 / (weight + 1 / among)
    variance[-1] = among
    return variance


def _variance_of_effects(pull: Floats, weight: Floats) -> float:
    """Moments: mean square of the raw effects less what sampling alone would give."""
    if not pull.size:
        return _FLOOR**2
    raw = pull / weight
    return max(float(np.average(raw**2 - 1 / weight, weights=np.minimum(weight, 100.0))), _FLOOR**2)


# Variance components: robust, each less the sampling variance below it, from cells that no link limited.


def _interaction(layout: Layout, spreads: Spreads) -> float:
    """From cards with cells on two hosts or more."""
    cells = layout.cells
    free = ~cells.at_least
    count = robust.counts(cells.card[free], count=layout.cards)
    centre = robust.sums(cells.card[free], cells.log_value[free], count=layout.cards) / np.maximum(count, 1)
    several = free & (count[cells.card] >= 2)
    number = count[cells.card[several]]
    residual = cells.log_value[several] - centre[cells.card[several]]
    total = _robust(residual * np.sqrt(number / (number - 1)), spreads.interaction)
    return _less(total, spreads.repeat**2 * float(np.mean(1 / cells.runs[several])) if several.any() else 0.0)


def _card(layout: Layout, spreads: Spreads) -> float:
    """From models with three cards or more that no link limited."""
    cells = layout.cells
    certain = ~cells.at_least / spreads.cell_variance(cells.runs)
    weight = robust.sums(cells.card, certain, count=layout.cards)
    total = robust.sums(cells.card, certain * cells.log_value, count=layout.cards)
    measured = weight > 0
    value, model = total[measured] / weight[measured], layout.card_model[measured]
    centre = robust.medians(model, value, count=layout.models)
    number = robust.counts(model, count=layout.models)[model]
    hidden = robust.counts(cells.model[cells.at_least], count=layout.models)[model]
    telling = (number >= 3) & (hidden == 0)
    residual = (value - centre[model])[telling] * np.sqrt(number[telling] / (number[telling] - 1))
    sampling = float(np.median(1 / weight[measured][telling])) if telling.any() else 0.0
    return _less(_robust(residual, np.hypot(spreads.card, np.sqrt(sampling))), sampling)


def _host(hosts: _Hosts, types: Index, spreads: Spreads) -> float:
    """Mean square of the effects within a type, and what is uncertain of them."""
    if len(types) < _LEAST_RESIDUALS:
        return spreads.host
    group = np.where(types < 0, types.max(initial=-1) + 1, types)
    number = robust.counts(group, count=int(group.max()) + 1)
    centre = robust.sums(group, hosts.effect, count=len(number)) / np.maximum(number, 1)
    return float(max(np.sqrt(np.mean((hosts.effect - centre[group]) ** 2 + hosts.variance)), _FLOOR))


def _market_spread(
    layout: Layout, fit: FitState, market: Expected, spreads: Spreads, parameters: Parameters
) -> float:
    """From models whose cards say clearly more than the market does, none of them at its link."""
    hidden = robust.counts(layout.cells.model[layout.cells.at_least], count=layout.models)
    telling = (fit.precision > 2 / spreads.market**2) & (hidden == 0)
    left = (estimates.own_means(fit, market) - market.mean)[telling]
    borrowed = np.minimum(1 / (market.precision * spreads.market**2) - 1, _MOST_BORROWED)[telling]
    sampling = float(np.median(1 / fit.precision[telling])) if telling.any() else 0.0
    total = _robust(left / np.sqrt(1 - borrowed), np.hypot(spreads.market, np.sqrt(sampling)))
    return max(_less(total, sampling), parameters.least_market_spread)


def _robust(residuals: Floats, otherwise: float) -> float:
    return max(robust.spread(residuals), _FLOOR) if residuals.size >= _LEAST_RESIDUALS else float(otherwise)


def _less(total: float, sampling: float) -> float:
    return float(np.sqrt(max(total**2 - sampling, _FLOOR**2)))
