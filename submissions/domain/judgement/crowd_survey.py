"""The full fit: what hosts add, how far everything scatters, and what models of a kind usually do.

Model, host and noise of a place (a model on a host) are told apart by messages between models and hosts: each place
passes on what everybody else says (Gaussian belief propagation; Weiss & Freeman, Neural Computation 13, 2001). So no
host is judged by a model that knows itself from that host alone, and what is uncertain of one is so of the other.
Hosts are shrunk to the other hosts of their type. Every spread has a weak prior (`components`).
"""

from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import components, estimates, market_fit, own_means, robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.crowd import CrowdFigure, Expected, Market, Spreads
from submissions.domain.judgement.layout import Field, FitState, Layout, Variances
from submissions.domain.judgement.market_fit import MarketFit
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

# Where a crowd is too small to tell: typical of labelled cards.
PRIOR_SPREADS = Spreads(repeat=0.1, interaction=0.08, card=0.15, host=0.08, host_type=0.08, market=0.3)
# Spreads and market are fitted so many times, each after some sweeps over models and hosts.
_ROUNDS, _SWEEPS = 4, 3
# A host whose link hides more of its cells than this is taken for one of its type: what is not censored there is
# mostly throttled runs, and they would drag the host down.
_MOST_HIDDEN = 2 / 3
_TINY = 1e-12
# The kinds of slot of the figures that are surveyed at a time: of one.
_ALONE = np.zeros(1, dtype=np.int64)
# Kinds of links that hide most cards: default and high speed, DDR50, USB 2.
_SLOW_LINKS = 3
# A model with more cards than this tells no more of how far cards scatter: it may be one whose cards differ.
_CARDS_TELL = 6
# Of a host nothing is known less surely than this, in precisions of a host that was never seen.
_LEAST_CERTAIN = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class _Whole:
    """The crowd as it is throughout. `types`: the type of each host; one that is not known is one of its own."""

    layout: Layout
    types: Index
    parameters: Parameters

    @property
    def cells(self) -> Cells:
        return self.layout.cells


@dataclass(frozen=True, slots=True, eq=False)
class _Hosts:
    """`effect`, `variance`: of each host. `told`, `raw`: what its cells alone say, precision 0 where nothing; `usual`,
    `uncertain`: what the others of its type say."""

    effect: Floats
    variance: Floats
    raw: Floats
    told: Floats
    usual: Floats
    uncertain: Floats


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
    own_type = host_types.max(initial=-1) + 1 + np.arange(len(host_types))
    whole = _Whole(layout, np.where(host_types < 0, own_type, host_types), parameters)
    spreads = replace(PRIOR_SPREADS, repeat=_repeat(cells, parameters), market=parameters.usual_market)
    market = _flat_market(float(np.median(cells.log_value)), traits, parameters)
    field = _unknown_field(layout, spreads)
    fit = estimates.start(layout, market.market.expected(traits, spreads), field)
    for number in range(_ROUNDS * _SWEEPS):
        expected = market.market.expected(traits, spreads)
        variances = Variances.of(layout, spreads.cell_variance(cells.runs), [spreads], parameters)
        fit = estimates.sweep(layout, fit, expected, field, variances, parameters)
        hosts, field = _hosts(whole, fit, field, expected, spreads)
        if number % _SWEEPS == _SWEEPS - 1:
            market = _market(whole, fit, market, (expected, field, variances), traits)
            spreads = _spreads(whole, fit, field, hosts, replace(spreads, market=market.spread))
    return CrowdFigure(
        host_effect=np.append(hosts.effect, 0.0),
        host_variance=np.append(hosts.variance, spreads.unseen_host()),
        spreads=replace(spreads, level=_uncertain_level(whole, spreads)),
        market=market.market,
    )


def _spreads(whole: _Whole, fit: FitState, field: Field, hosts: _Hosts, spreads: Spreads) -> Spreads:
    """One after the other: of a type with a single host nobody can tell which of the two is far off, and if host and
    type were taken at once, both would be."""
    spreads, clear = replace(spreads, host=_host(hosts, whole.parameters)), _clear(whole, fit, field)
    return replace(
        spreads,
        interaction=_interaction(whole, clear, field, spreads),
        card=_card(whole, clear, fit, field, spreads),
        host_type=_host_type(whole, hosts, spreads),
    )


def _market(
    whole: _Whole,
    fit: FitState,
    market: MarketFit,
    around: tuple[Expected, Field, Variances],
    traits: Index,
) -> MarketFit:
    expected, field, variances = around
    without_it = (market.others, field, variances)
    own, precision, _ = own_means.of_models(whole.layout, fit, without_it, _ALONE, whole.parameters)
    telling = _telling(whole.layout, precision, expected)
    return market_fit.refitted(market, own, precision, traits, telling, whole.parameters)


def _flat_market(general: float, traits: Index, parameters: Parameters) -> MarketFit:
    among = (parameters.usual_trait,) * traits.shape[1]
    effects = tuple(np.zeros(trait.max(initial=-1) + 2) for trait in traits.T)
    variances = tuple(effect + one**2 for effect, one in zip(effects, among, strict=True))
    market = Market(general, effects, variances)
    expected = market.expected(traits, replace(PRIOR_SPREADS, market=parameters.usual_market))
    return MarketFit(market, parameters.usual_market, among, expected)


def _unknown_field(layout: Layout, spreads: Spreads) -> Field:
    places = len(layout.place_model)
    return Field(np.zeros(places), np.full(places, spreads.unseen_host()))


def _hosts(
    whole: _Whole, fit: FitState, field: Field, expected: Expected, spreads: Spreads
) -> tuple[_Hosts, Field]:
    """What every host adds, and what it adds in each place by what all other places say."""
    layout, count = whole.layout, len(whole.types)
    host, model = layout.cells.host[layout.place_first], layout.place_model
    vote = fit.heard / (1 + field.variance * fit.heard)
    certain = (fit.precision + expected.precision)[model]
    others = np.maximum(certain - vote, expected.precision[model])
    without = (certain * fit.mean[model] - vote * (fit.said - field.effect)) / others
    telling = ~_hiding(layout.cells, count)
    heard = np.where(telling[host], fit.heard / (1 + fit.heard / others), 0.0)
    adds = fit.said - without
    told = robust.sums(host, heard, count=count)
    hosts = _shrunk(robust.sums(host, heard * adds, count=count), told, whole, spreads)
    level = _level(hosts.effect[telling] if telling.any() else hosts.effect, spreads)
    certain_host = (1 / hosts.variance)[host]
    rest = np.maximum(certain_host - heard, _LEAST_CERTAIN / spreads.unseen_host())
    elsewhere = (certain_host * hosts.effect[host] - heard * adds) / rest
    return replace(hosts, effect=hosts.effect - level), Field(elsewhere - level, 1 / rest)


def _shrunk(pull: Floats, told: Floats, whole: _Whole, spreads: Spreads) -> _Hosts:
    """Each host between what its cells say and what the other hosts of its type do."""
    types, raw = whole.types, pull / np.maximum(told, _TINY)
    vote = told / (1 + told * spreads.host**2)
    count = int(types.max(initial=-1)) + 1
    total = robust.sums(types, vote, count=count) + 1 / spreads.host_type**2
    others = total[types] - vote
    usual = (robust.sums(types, vote * raw, count=count)[types] - vote * raw) / others
    square = (raw - usual) ** 2 / (spreads.host**2 + 1 / others + 1 / np.maximum(told, _TINY))
    trust = robust.t_weight(square, tail=whole.parameters.tail)
    prior = 1 / (spreads.host**2 / trust + 1 / others)
    effect, variance = (pull + prior * usual) / (told + prior), 1 / (told + prior)
    return _Hosts(effect, variance, raw, told, usual, 1 / others)


def _level(effect: Floats, spreads: Spreads) -> float:
    """The average host. One gone astray must not take the level of all models with it, so far ones are left out."""
    far = 3 * np.sqrt(spreads.unseen_host())
    return float(effect[np.abs(effect - np.median(effect)) <= far].mean())


def _uncertain_level(whole: _Whole, spreads: Spreads) -> float:
    """The average host is as uncertain as the mean of so many. Those that only show their link may be of other kinds
    than those that tell: of as many as they have types, but of no more than there are slow links."""
    hosts = len(whole.types)
    hiding = _hiding(whole.cells, hosts)
    telling = max(hosts - hiding.sum(), 1)
    of_type = np.bincount(whole.types[hiding]) / hosts
    together = max((of_type**2).sum(), of_type.sum() ** 2 / _SLOW_LINKS)
    hidden = spreads.host_type**2 * together + spreads.host**2 * of_type.sum() / hosts
    return float(np.sqrt(hidden + spreads.unseen_host() / telling))


def _hiding(cells: Cells, count: int) -> Mask:
    hidden = robust.counts(cells.host[cells.at_least], count=count)
    return hidden > _MOST_HIDDEN * robust.counts(cells.host, count=count)


def _telling(layout: Layout, precision: Floats, expected: Expected) -> Mask:
    """Models that tell how far models scatter: known, and not hidden by links for the most part."""
    hidden = robust.counts(layout.cells.model[layout.cells.at_least], count=layout.models)
    known: Mask = precision > 0.1 * expected.precision
    return known & (2 * hidden <= robust.counts(layout.cells.model, count=layout.models))


# Spreads, from cells that no link limited.


def _repeat(cells: Cells, parameters: Parameters) -> float:
    residuals = cells.repeat_residuals
    return components.spread(
        residuals,
        np.zeros(len(residuals)),
        usual=PRIOR_SPREADS.repeat,
        freedom=parameters.prior_freedom,
        share=0.5,
    )


def _clear(whole: _Whole, fit: FitState, field: Field) -> Mask:
    """Cells that are chosen by their model and host, not by their own value: what the model does there ends well below
    where the link begins to hide. Any other choice would cut off the upper half of how far cards scatter."""
    layout, cells = whole.layout, whole.cells
    limit = np.full(len(whole.types), np.inf)
    np.minimum.at(limit, cells.host[cells.at_least], cells.log_value[cells.at_least])
    usual = fit.mean[cells.model] + field.effect[layout.place]
    clear: Mask = ~cells.at_least & (usual < limit[cells.host] - whole.parameters.clear_of_link)
    return clear


def _interaction(whole: _Whole, free: Mask, field: Field, spreads: Spreads) -> float:
    """From cards with cells on two hosts or more, of those cells that links leave `free`."""
    layout, cells = whole.layout, whole.cells
    value = cells.log_value - field.effect[layout.place]
    count = robust.counts(cells.card[free], count=layout.cards)
    centre = robust.sums(cells.card[free], value[free], count=layout.cards) / np.maximum(count, 1)
    several = free & (count[cells.card] >= 2)
    number = count[cells.card[several]]
    sampling = spreads.repeat**2 / cells.runs + field.variance[layout.place]
    return components.spread(
        (value[several] - centre[cells.card[several]]) * np.sqrt(number / (number - 1)),
        sampling[several],
        usual=PRIOR_SPREADS.interaction,
        freedom=whole.parameters.prior_freedom,
        share=(number - 1) / number,
    )


def _card(whole: _Whole, free: Mask, fit: FitState, field: Field, spreads: Spreads) -> float:
    """From models with three cards or more among those cells that links leave `free`."""
    layout, cells = whole.layout, whole.cells
    certain = free / (spreads.cell_variance(cells.runs) + field.variance[layout.place])
    weight = robust.sums(cells.card, certain, count=layout.cards)
    on_field = cells.log_value - field.effect[layout.place]
    total = robust.sums(cells.card, certain * on_field, count=layout.cards)
    measured = weight > 0
    value, model = total[measured] / weight[measured], layout.card_model[measured]
    number = robust.counts(model, count=layout.models)[model]
    telling = number >= 3
    number = number[telling]
    return components.spread(
        (value - fit.mean[model])[telling] * np.sqrt(number / (number - 1)),
        1 / weight[measured][telling],
        usual=PRIOR_SPREADS.card,
        freedom=whole.parameters.prior_freedom,
        share=fit.scale[measured][telling] * (number - 1) / number * np.minimum(1.0, _CARDS_TELL / number),
    )


def _host(hosts: _Hosts, parameters: Parameters) -> float:
    """From what each host is apart from the others of its type."""
    told = hosts.told > 0
    return components.spread(
        (hosts.raw - hosts.usual)[told],
        (hosts.uncertain + 1 / np.maximum(hosts.told, _TINY))[told],
        usual=PRIOR_SPREADS.host,
        freedom=parameters.prior_freedom,
    )


def _host_type(whole: _Whole, hosts: _Hosts, spreads: Spreads) -> float:
    """From what types are apart from each other."""
    types = whole.types
    count = int(types.max(initial=-1)) + 1
    vote = hosts.told / (1 + hosts.told * spreads.host**2)
    total = robust.sums(types, vote, count=count)
    told = total > 0
    mean = robust.sums(types, vote * hosts.raw, count=count)[told] / total[told]
    return components.spread(
        mean - np.median(mean) if mean.size else mean,
        1 / total[told],
        usual=PRIOR_SPREADS.host_type,
        freedom=whole.parameters.prior_freedom,
    )
