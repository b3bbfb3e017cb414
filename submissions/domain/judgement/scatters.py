"""Scatter among cards that no register tells apart: more than cards of one model usually show?"""

from collections.abc import Mapping, Sequence

import numpy as np

from submissions.domain.judgement import distributions, moderation, robust
from submissions.domain.judgement.flags import Scatter
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.sides import CardFacts, Grouping, Sides, Values, side_by_side, sides

# Of many cards, this share of the worst is left out before scatter is tested; of few, the worst one.
_WORST = 0.06
# More freedom than this is not believed: bad cards make tails heavier than normal.
_FREEDOM = 30.0
# Where residuals are cut, in spreads: the worst are left out, so bad cards must not count as usual.
_CUT = 2.0


def within_sides(cards: CardFacts, values: Values) -> Prior:
    """What all models say about the scatter of one."""
    within = sides(Grouping.of(cards, _measured_twice(values)), cards, values, cut=_CUT)
    return moderation.prior(within.variance, within.freedom)


def scatters(
    cards: CardFacts,
    figures: Mapping[str, Values],
    priors: Mapping[str, Prior],
    parameters: Parameters,
) -> dict[int, list[Scatter]]:
    """Model -> scatter of its cards around the centre of their silicon, in every figure."""
    rows: dict[int, list[Scatter]] = {}
    if not figures:
        return rows
    names = list(figures)
    every, values = side_by_side(cards, list(figures.values()))
    keep = _of_enough_cards(every, values, parameters)
    if not keep.any():
        return rows
    within = sides(Grouping.of(every, keep), every, values, cut=_CUT)
    number, span, strength, freedom = _spans(every, values, within)
    for at in np.flatnonzero(number >= parameters.suspected_cards).tolist():
        figure, of_model = divmod(at, cards.models)
        pool = priors[names[figure]].at_most(_FREEDOM)
        over = float(strength[at] / pool.variance)
        row = Scatter(
            figure=names[figure],
            cards=int(number[at]),
            span_ratio=float(span[at]),
            strength=over,
            p_value=float(distributions.fdtrc(freedom[at], pool.freedom, over)),
        )
        rows.setdefault(of_model, []).append(row)
    return rows


def wide(rows: Sequence[Scatter], parameters: Parameters) -> tuple[Scatter, ...]:
    """Those that matter, surest first."""
    mattering = [
        row
        for row in rows
        if row.span_ratio >= parameters.suspected_ratio and row.p_value < parameters.least_p
    ]
    return tuple(sorted(mattering, key=lambda row: row.p_value))


def p_values(rows: Mapping[int, Sequence[Scatter]]) -> dict[int, float]:
    """Model -> p: Simes over figures."""
    return {
        model: moderation.simes(np.array([row.p_value for row in scatters]))
        for model, scatters in rows.items()
    }


def _measured_twice(values: Values) -> Mask:
    """Cards measured twice or more."""
    repeated: Mask = (values.runs >= 2) & np.isfinite(values.value)
    return repeated


def _of_enough_cards(cards: CardFacts, values: Values, parameters: Parameters) -> Mask:
    """Cards measured twice whose model has enough of them to be suspected."""
    repeated = _measured_twice(values)
    number = robust.counts(cards.model[repeated], count=cards.models)
    return repeated & (number >= parameters.suspected_cards)[cards.model]


def _spans(cards: CardFacts, values: Values, within: Sides) -> tuple[Index, Floats, Floats, Floats]:
    """Per model: cards, 90th over 10th percentile, variance within its sides without the worst, and its freedom."""
    count, model = len(within.variance), cards.model[within.card]
    number = robust.counts(model, count=count)
    first = np.cumsum(number) - number
    squares = within.groups.residual**2 * np.minimum(1.0, values.scale[within.card])
    worst = np.maximum((_WORST * number).astype(np.int64), 1)
    rank = np.arange(len(model)) - np.repeat(first, number)
    order = np.lexsort((squares, model))
    kept = rank < np.repeat(number - worst, number)
    total = robust.sums(model[order][kept], squares[order][kept], count=count)
    one_of_side, _ = robust.numbered(model, within.side)
    freedom = np.maximum(number - worst - robust.counts(model[one_of_side], count=count), 1).astype(
        np.float64
    )
    ascending = values.value[within.card][np.lexsort((values.value[within.card], model))]
    low, high = (_quantiles(ascending, first, number, share) for share in (0.1, 0.9))
    return number, np.exp(high - low), total / freedom, freedom


def _quantiles(ascending: Floats, first: Index, number: Index, share: float) -> Floats:
    """Of groups that follow each other, between two values as numpy does; 0 of a group without any."""
    at = share * np.maximum(number - 1, 0)
    low = at.astype(np.int64)
    padded = np.append(ascending, [0.0, 0.0])
    below, above = padded[first + low], padded[first + np.minimum(low + 1, np.maximum(number - 1, 0))]
    quantile: Floats = np.where(number > 0, below + (at - low) * (above - below), 0.0)
    return quantile
