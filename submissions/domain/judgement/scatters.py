"""Scatter among cards that no register tells apart: more than cards of one model usually show?"""

from collections.abc import Mapping, Sequence

import numpy as np

# Fisher's F; scipy.stats has it, too, and takes a second to come up.
from scipy.special import fdtrc

from submissions.domain.judgement import moderation, robust
from submissions.domain.judgement.flags import Scatter
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Index, Mask
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
    model = every.model[within.card]
    number = robust.counts(model, count=len(within.variance))
    members_of = np.split(np.argsort(model, kind="stable"), np.cumsum(number)[:-1])
    for at in np.flatnonzero(number >= parameters.suspected_cards).tolist():
        figure, of_model = divmod(at, cards.models)
        name = names[figure]
        row = _scatter(name, values, within, members_of[at], priors[name].at_most(_FREEDOM))
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


def _scatter(figure: str, values: Values, within: Sides, members: Index, pool: Prior) -> Scatter:
    card, residual = within.card[members], within.groups.residual[members]
    squares = np.sort(residual**2 * np.minimum(1.0, values.scale[card]))
    kept = squares[: len(squares) - max(1, int(_WORST * len(squares)))]
    freedom = max(len(kept) - len(np.unique(within.side[members])), 1)
    ascending = np.sort(values.value[card])
    low, high = np.interp(np.array([0.1, 0.9]) * (len(card) - 1), np.arange(len(card)), ascending)
    strength = float(kept.sum() / freedom / pool.variance)
    return Scatter(
        figure=figure,
        cards=len(members),
        span_ratio=float(np.exp(high - low)),
        strength=strength,
        p_value=float(fdtrc(freedom, pool.freedom, strength)),
    )
