"""Same name, different card? Tests between the silicons of a model, and of hidden scatter within them.

VARIES: two silicons, each with enough cards of enough submitters, differ by a moderated Huber t, Bonferroni over
pairs, Simes over figures, Benjamini-Hochberg over models, and by an effect that matters.
SUSPECTED: cards that cannot be told apart by their registers scatter more than cards of one model do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

# Student's t and Fisher's F; scipy.stats has them, too, and takes a second to come up.
from scipy.special import fdtrc, stdtr, stdtrit

from submissions.domain.judgement import flags, moderation, robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.estimates import Estimates
from submissions.domain.judgement.flags import Difference, Scatter
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.surroundings import Spreads

# A Huber centre of few is a little less sure than a mean.
_HUBER_LOSS = 1.05
# Of many cards, this share of the worst is left out before scatter is tested; of few, the worst one.
_WORST = 0.06
# More freedom than this is not believed: bad cards make tails heavier than normal, most of all those of centres of few.
_FREEDOM_BETWEEN, _FREEDOM_WITHIN = 8.0, 30.0
# Where residuals are cut, in spreads. A difference of centres has to reckon with bad cards; scatter leaves the worst
# out, so bad cards must not count as usual there.
_CUT_BETWEEN, _CUT_WITHIN = 3.5, 2.0


@dataclass(frozen=True, slots=True, eq=False)
class CardFacts:
    """Cards from 0. `signature`: number of the silicon within all silicons, -1 where no register tells;
    `submitter`: who measured the card first."""

    model: Index
    signature: Index
    submitter: Index


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One figure of these cards: log value on the reference host (nan: not measured), variance of one such value
    as a draw from its model, how much of the card counts, and how many runs are behind it."""

    value: Floats
    variance: Floats
    scale: Floats
    runs: Index


def values_of(cells: Cells, estimates: Estimates, spreads: Spreads) -> Values:
    """The cards of a fitted figure. One that a link limited is left out: how fast it is cannot be compared."""
    count = len(estimates.card_value)
    return Values(
        value=np.where(estimates.card_hidden, np.nan, estimates.card_value),
        variance=spreads.card**2 + 1 / np.maximum(estimates.card_precision, 1e-12),
        scale=estimates.card_scale,
        runs=robust.sums(cells.card, cells.runs.astype(np.float64), count=count).astype(np.int64),
    )


@dataclass(frozen=True, slots=True)
class Pool:
    """Fixed between two full fits: per figure what is usual between centres and within a silicon, and the p-values
    that count as found."""

    between: Mapping[str, Prior]
    within: Mapping[str, Prior]
    varies_below: float = 0.0
    suspected_below: float = 0.0


@dataclass(frozen=True, slots=True)
class Findings:
    """Model -> evidence, strongest figure first. A model is in one of the two at most. `kept`: those of `varies`
    that would not be found again, and stay until more cards speak against it."""

    varies: Mapping[int, tuple[Difference, ...]]
    suspected: Mapping[int, tuple[Scatter, ...]]
    kept: frozenset[int] = frozenset()


def survey(cards: CardFacts, figures: Mapping[str, Values], *, parameters: Parameters = DEFAULTS) -> Pool:
    """The pool of a whole crowd."""
    every = np.ones(len(cards.model), dtype=bool)
    pool = Pool(
        between={name: _prior(cards, values, every, _CUT_BETWEEN) for name, values in figures.items()},
        within={
            name: _prior(cards, values, values.runs >= 2, _CUT_WITHIN) for name, values in figures.items()
        },
    )
    between = _p_values(_differences(cards, figures, pool, parameters))
    within = _scatter_p(_scatters(cards, figures, pool, parameters))
    return replace(
        pool,
        varies_below=moderation.threshold(np.array(list(between.values())), parameters.false_discoveries),
        suspected_below=moderation.threshold(np.array(list(within.values())), parameters.false_suspicions),
    )


def find(
    cards: CardFacts,
    figures: Mapping[str, Values],
    pool: Pool,
    *,
    standing: Mapping[int, int] | None = None,
    parameters: Parameters = DEFAULTS,
) -> Findings:
    """Findings of any number of models, given the pool. `standing`: model -> its cards when it was last found to
    vary; what stood stays until more cards speak against it."""
    between = _differences(cards, figures, pool, parameters)
    p_between = _p_values(between)
    varies = {
        model: found
        for model, rows in between.items()
        if p_between[model] <= pool.varies_below
        and (
            found := tuple(sorted((row for row in rows if matters(row, parameters)), key=lambda r: r.p_value))
        )
    }
    kept = _kept(between, cards, _not_again(standing or {}, varies), parameters)
    varies |= kept
    within = _scatters(cards, figures, pool, parameters)
    p_within = _scatter_p(within)
    suspected = {
        model: wide
        for model, scatters in within.items()
        if model not in varies
        and p_within[model] <= pool.suspected_below
        and (wide := _wide(scatters, parameters))
    }
    return Findings(varies, suspected, frozenset(kept))


def _not_again(standing: Mapping[int, int], varies: Mapping[int, object]) -> dict[int, int]:
    return {model: count for model, count in standing.items() if model not in varies}


def _kept(
    between: Mapping[int, Sequence[Difference]],
    cards: CardFacts,
    standing: Mapping[int, int],
    parameters: Parameters,
) -> dict[int, tuple[Difference, ...]]:
    """Models whose flag stays although it would not be raised again, each with its surest difference."""
    kept: dict[int, tuple[Difference, ...]] = {}
    for model, flagged_at in standing.items():
        rows = sorted(between.get(model, ()), key=lambda row: row.p_value)
        count = int((cards.model == model).sum())
        if rows and flags.stays(
            flagged_at, cards=count, lower_ratio=rows[0].lower_ratio, parameters=parameters
        ):
            kept[model] = (rows[0],)
    return kept


def matters(row: Difference, parameters: Parameters = DEFAULTS) -> bool:
    """Large enough, surely enough, and not the doing of one card."""
    return (
        row.p_value < parameters.least_p
        and row.ratio >= parameters.least_ratio
        and row.lower_ratio >= parameters.least_lower_ratio
        and row.firm_ratio >= parameters.least_firm_ratio
    )


def _wide(scatters: Sequence[Scatter], parameters: Parameters) -> tuple[Scatter, ...]:
    wide = [
        row
        for row in scatters
        if row.span_ratio >= parameters.suspected_ratio and row.p_value < parameters.least_p
    ]
    return tuple(sorted(wide, key=lambda row: row.p_value))


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Groups (model, signature) of one figure, `model` and `signature` per group, and the variance per model."""

    card: Index
    group: Index
    model: Index
    signature: Index
    number: Index
    submitters: Index
    found: moderation.Groups
    variance: Floats
    freedom: Floats
    without_least: Floats
    without_most: Floats


def _sides(cards: CardFacts, values: Values, keep: Mask, cut: float) -> _Sides:
    card = np.flatnonzero(keep & np.isfinite(values.value))
    first, group = _pairs_of(cards.model[card], cards.signature[card])
    model, count = cards.model[card][first], len(first)
    found = moderation.centres(
        group, values.value[card], values.variance[card], values.scale[card], count=count
    )
    one_each, _ = _pairs_of(group, cards.submitter[card])
    models = int(cards.model.max(initial=-1)) + 1
    variance, freedom = moderation.variances(
        cards.model[card],
        found.residual,
        values.scale[card],
        robust.counts(model, count=models),
        count=models,
        cut=cut,
    )
    return _Sides(
        card=card,
        group=group,
        model=model,
        signature=cards.signature[card][first],
        number=robust.counts(group, count=count),
        submitters=robust.counts(group[one_each], count=count),
        found=found,
        variance=variance,
        freedom=freedom,
        without_least=_without_end(group, values.value[card], count),
        without_most=-_without_end(group, -values.value[card], count),
    )


def _pairs_of(one: Index, other: Index) -> tuple[Index, Index]:
    """The place where each different pair comes first, in the order of the pairs, and the number of each row's pair."""
    width = int(other.max(initial=0)) + 2  # numbers may be -1
    _, first, number = np.unique(one * width + other + 1, return_index=True, return_inverse=True)
    return first, number


def _without_end(group: Index, value: Floats, count: int) -> Floats:
    """Median of each group without its least value; nan where nothing is left."""
    order = np.lexsort((value, group))
    ends = np.searchsorted(group[order], np.arange(count))
    kept = np.delete(order, ends)
    return robust.medians(group[kept], value[kept], count=count)


def _prior(cards: CardFacts, values: Values, keep: Mask, cut: float) -> Prior:
    sides = _sides(cards, values, keep, cut)
    return moderation.prior(sides.variance, sides.freedom)


def _differences(
    cards: CardFacts, figures: Mapping[str, Values], pool: Pool, parameters: Parameters
) -> dict[int, list[Difference]]:
    """Model -> every pair of sides with enough cards and submitters, in every figure."""
    rows: dict[int, list[Difference]] = {}
    for name, values in figures.items():
        keep = _of_two_sides(cards, values, parameters)
        if not keep.any():
            continue
        sides = _sides(cards, values, keep, _CUT_BETWEEN)
        prior = pool.between[name].at_most(_FREEDOM_BETWEEN)
        spread = moderation.moderated(sides.variance, sides.freedom, prior)
        enough = (sides.number >= parameters.cards_per_side) & (
            sides.submitters >= parameters.submitters_per_side
        )
        for model, pairs in _pairs(sides.model, enough):
            freedom = sides.freedom[model] + prior.freedom
            found = [_difference(name, sides, pair, spread[model], freedom) for pair in pairs]
            rows.setdefault(model, []).extend(found)
    return rows


def _of_two_sides(cards: CardFacts, values: Values, parameters: Parameters) -> Mask:
    """Cards with a signature whose model has at least two sides with enough cards."""
    told = (cards.signature >= 0) & np.isfinite(values.value)
    model = cards.model[told]
    first, side = _pairs_of(model, cards.signature[told])
    enough = robust.counts(side, count=len(first)) >= parameters.cards_per_side
    sides = robust.counts(model[first][enough], count=int(cards.model.max(initial=-1)) + 1)
    return told & (sides >= 2)[cards.model]


def _pairs(model: Index, enough: Mask) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    by_model: dict[int, list[int]] = {}
    for group in np.flatnonzero(enough).tolist():
        by_model.setdefault(int(model[group]), []).append(group)
    for number, groups in by_model.items():
        if len(groups) > 1:
            yield number, list(combinations(groups, 2))


def _difference(
    figure: str, sides: _Sides, pair: tuple[int, int], spread: float, freedom: float
) -> Difference:
    """The faster side first."""
    fast, slow = sorted(pair, key=lambda group: -sides.found.centre[group])
    distance = float(sides.found.centre[fast] - sides.found.centre[slow])
    error = _HUBER_LOSS * float(np.sqrt(spread * (1 / sides.found.weight[list(pair)]).sum()))
    reach = float(stdtrit(freedom, 0.975)) * error
    return Difference(
        figure=figure,
        faster=int(sides.signature[fast]),
        slower=int(sides.signature[slow]),
        cards=(int(sides.number[fast]), int(sides.number[slow])),
        submitters=(int(sides.submitters[fast]), int(sides.submitters[slow])),
        ratio=float(np.exp(distance)),
        lower_ratio=float(np.exp(distance - reach)),
        upper_ratio=float(np.exp(distance + reach)),
        firm_ratio=float(np.exp(sides.without_most[fast] - sides.without_least[slow])),
        p_value=float(2 * stdtr(freedom, -distance / error)),
    )


def _p_values(rows: Mapping[int, Sequence[Difference]]) -> dict[int, float]:
    """Model -> p: Bonferroni over the pairs of a figure, Simes over figures."""
    return {model: moderation.simes(np.array(_per_figure(found))) for model, found in rows.items()}


def _per_figure(rows: Sequence[Difference]) -> list[float]:
    figures: dict[str, list[float]] = {}
    for row in rows:
        figures.setdefault(row.figure, []).append(row.p_value)
    return [min(1.0, min(p_values) * len(p_values)) for p_values in figures.values()]


def _scatters(
    cards: CardFacts, figures: Mapping[str, Values], pool: Pool, parameters: Parameters
) -> dict[int, list[Scatter]]:
    """Model -> scatter of its cards around the centre of their silicon, in every figure."""
    rows: dict[int, list[Scatter]] = {}
    for name, values in figures.items():
        keep = _of_enough_cards(cards, values, parameters)
        if not keep.any():
            continue
        sides = _sides(cards, values, keep, _CUT_WITHIN)
        usual = pool.within[name].at_most(_FREEDOM_WITHIN)
        number = robust.counts(cards.model[sides.card], count=len(sides.variance))
        members_of = np.split(np.argsort(cards.model[sides.card], kind="stable"), np.cumsum(number)[:-1])
        for model in np.flatnonzero(number >= parameters.suspected_cards).tolist():
            members = members_of[model]
            rows.setdefault(model, []).append(_scatter(name, values, sides, members, usual))
    return rows


def _of_enough_cards(cards: CardFacts, values: Values, parameters: Parameters) -> Mask:
    """Cards measured twice whose model has enough of them to be suspected."""
    told = (values.runs >= 2) & np.isfinite(values.value)
    number = robust.counts(cards.model[told], count=int(cards.model.max(initial=-1)) + 1)
    return told & (number >= parameters.suspected_cards)[cards.model]


def _scatter(figure: str, values: Values, sides: _Sides, members: Index, pool: Prior) -> Scatter:
    card, residual = sides.card[members], sides.found.residual[members]
    squares = np.sort(residual**2 * np.minimum(1.0, values.scale[card]))
    kept = squares[: len(squares) - max(1, int(_WORST * len(squares)))]
    freedom = max(len(kept) - len(np.unique(sides.group[members])), 1)
    value = values.value[card]
    low, high = np.quantile(value, [0.1, 0.9])
    strength = float(kept.sum() / freedom / pool.variance)
    return Scatter(
        figure=figure,
        cards=len(members),
        span_ratio=float(np.exp(high - low)),
        strength=strength,
        p_value=float(fdtrc(freedom, pool.freedom, strength)),
    )


def _scatter_p(rows: Mapping[int, Sequence[Scatter]]) -> dict[int, float]:
    return {
        model: moderation.simes(np.array([row.p_value for row in found])) for model, found in rows.items()
    }
