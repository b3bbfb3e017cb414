"""Differences between the silicons of a model, all its figures together.

    t_k = (c_ak - c_bk) / error_k,   mean of t_k² over K figures ~ F(K', d),   K' = K / (1 + (K - 1) r²)

A swapped silicon moves several figures of the same cards, so their squares are taken together. They are not
independent: K figures with correlation r are worth K' (M. B. Brown, Biometrics 31, 1975: the chi² whose mean and
variance are theirs). How far cards of a model scatter is a matter of the model more than of the figure: the variance of
each figure is shrunk (Smyth 2004) to what is usual times what the other figures of the model show.

Under gross errors (P. J. Huber, Annals of Mathematical Statistics 35, 1964) all cards of a side may be off by chance,
with probability e^n when n people brought them, and no distance speaks against that: so much is added to the p-value.
Only trusted people count here: untrusted ones cannot split a model by a silicon that only they have seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from submissions.domain.judgement import columns, distributions, moderation, robust
from submissions.domain.judgement.flags import Difference
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.sides import (
    CardFacts,
    Grouping,
    Sides,
    Values,
    side_by_side,
    sides,
)

# A Huber centre of few is a little less sure than a mean.
_HUBER_LOSS = 1.05
# More freedom than this is not believed: bad cards make tails heavier than normal, most of all those of centres of few.
_FREEDOM = 8.0
# Where residuals are cut, in spreads: a difference of centres has to reckon with bad cards.
_CUT = 3.5


def within_sides(cards: CardFacts, values: Values) -> Prior:
    """What all models say about the variance within the sides of one."""
    within = sides(Grouping.of(cards, np.isfinite(values.value)), cards, values, cut=_CUT)
    return moderation.prior(within.variance, within.freedom)


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """One figure of every pair of sides. `compared`: whether it says anything of the pair; `distance`: how much faster
    the first side is, in log, and its `error` and `freedom`; `firm`: what is left of it without the extreme
    submitters."""

    compared: Mask
    distance: Floats
    error: Floats
    freedom: Floats
    firm: Floats
    cards: Index
    submitters: Index


@dataclass(frozen=True, slots=True, eq=False)
class Contrasts:
    """Pairs of sides that at least one figure tells something of. `signature`, as `cards` and `submitters` of a figure:
    pairs x 2; `p_value`: of all figures of the pair together."""

    model: Index
    signature: Index
    p_value: Floats
    figures: Mapping[str, Contrast]

    def p_values(self) -> dict[int, float]:
        """Model -> p: Bonferroni over its pairs."""
        models, first, number = np.unique(self.model, return_index=True, return_counts=True)
        least = np.minimum.reduceat(self.p_value, first) if len(first) else self.p_value
        return dict(zip(models.tolist(), np.minimum(1.0, least * number).tolist(), strict=True))

    def rows(self, model: int) -> list[Difference]:
        """Every figure of every pair of a model, surest first."""
        pairs = np.flatnonzero(self.model == model).tolist()
        compared = [
            (pair, name)
            for pair in pairs
            for name, contrast in self.figures.items()
            if contrast.compared[pair]
        ]
        return sorted((self._row(*place) for place in compared), key=lambda row: row.p_value)

    def _row(self, pair: int, name: str) -> Difference:
        """The faster side first."""
        contrast = self.figures[name]
        order = slice(None) if contrast.distance[pair] >= 0 else slice(None, None, -1)
        distance, error, freedom = abs(contrast.distance[pair]), contrast.error[pair], contrast.freedom[pair]
        reach = distributions.stdtrit(freedom, 0.975) * error
        faster, slower = self.signature[pair, order].tolist()
        return Difference(
            figure=name,
            faster=faster,
            slower=slower,
            cards=tuple(contrast.cards[pair, order].tolist()),
            submitters=tuple(contrast.submitters[pair, order].tolist()),
            ratio=float(np.exp(distance)),
            lower_ratio=float(np.exp(distance - reach)),
            upper_ratio=float(np.exp(distance + reach)),
            firm_ratio=float(np.exp(contrast.firm[pair])),
            p_value=float(2 * distributions.stdtr(freedom, -distance / error)),
            joint_p_value=float(self.p_value[pair]),
        )


_NONE = Contrasts(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros(0), {})


def compare(
    cards: CardFacts, figures: Mapping[str, Values], priors: Mapping[str, Prior], parameters: Parameters
) -> Contrasts:
    """Every pair of sides with enough cards and submitters in a figure."""
    keep = _of_two_sides(cards, figures, parameters)
    if not keep.any():
        return _NONE
    grouping = Grouping.of(cards, keep)
    shown = _shown(grouping, cards, figures, parameters)
    pairs = _pairs(grouping.model, [figure.enough for figure in shown.values()])
    model = grouping.model[pairs[:, 0]]
    spreads = _spreads(shown, priors, parameters)
    contrasts = {
        name: _contrast(figure, pairs, variance=spreads[name][0][model], freedom=spreads[name][1][model])
        for name, figure in shown.items()
    }
    return Contrasts(model, grouping.signature[pairs], _joint(contrasts, len(pairs), parameters), contrasts)


def _of_two_sides(cards: CardFacts, figures: Mapping[str, Values], parameters: Parameters) -> Mask:
    """Measured cards with a signature whose model has at least two sides with enough of them."""
    measured = np.zeros(len(cards.model), dtype=bool)
    for values in figures.values():
        measured |= values.runs > 0
    identified = measured & (cards.signature >= 0)
    first, side = robust.numbered(cards.model[identified], cards.signature[identified])
    enough = robust.counts(side, count=len(first)) >= parameters.cards_per_side
    of_side = cards.model[identified][first]
    several = robust.counts(of_side[enough], count=cards.models) >= 2
    return identified & several[cards.model]


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """One figure. Of every side: how many cards tell it, their centre and its weight, whether they and the people are
    enough, how many trusted people, and the median of all medians without the slowest and without the fastest of
    them. Of every model: the variance within its sides and how free it is."""

    cards: Index
    centre: Floats
    weight: Floats
    enough: Mask
    submitters: Index
    without_least: Floats
    without_most: Floats
    variance: Floats
    freedom: Floats


def _shown(
    grouping: Grouping, cards: CardFacts, figures: Mapping[str, Values], parameters: Parameters
) -> dict[str, _Shown]:
    every, values = side_by_side(cards, list(figures.values()))
    every_side = _of_sides(grouping.of_each(cards, len(figures)), every, values, parameters)
    return dict(zip(figures, columns.parted(every_side, len(figures)), strict=True))


def _of_sides(grouping: Grouping, cards: CardFacts, values: Values, parameters: Parameters) -> _Shown:
    """A side most of whose cards end at their link says nothing: those that do not are its worst."""
    within, count = sides(grouping, cards, values, cut=_CUT), len(grouping)
    side, voice, trusted = _voices(within, cards, values)
    submitters = robust.counts(side[trusted], count=count)
    many = (within.number >= parameters.cards_per_side) & (submitters >= parameters.submitters_per_side)
    return _Shown(
        cards=within.number,
        centre=within.groups.centre,
        weight=within.groups.weight,
        enough=many & (within.number >= _limited(grouping, values)),
        submitters=submitters,
        without_least=_without_least(side, voice, count),
        without_most=-_without_least(side, -voice, count),
        variance=within.variance,
        freedom=within.freedom,
    )


def _limited(grouping: Grouping, values: Values) -> Index:
    """Cards of each side that were measured and ended at their link."""
    limited = np.isnan(values.value[grouping.card]) & (values.runs[grouping.card] > 0)
    return robust.counts(grouping.side[limited], count=len(grouping))


def _voices(within: Sides, cards: CardFacts, values: Values) -> tuple[Index, Floats, Mask]:
    """(side, median of the cards, is trusted) of each submitter who measured cards of a side."""
    first, voice = robust.numbered(within.side, cards.submitter[within.card])
    middle = robust.medians(voice, values.value[within.card], count=len(first))
    return within.side[first], middle, cards.trusted[within.card[first]]


def _without_least(group: Index, value: Floats, count: int) -> Floats:
    """Median of each group without its least value; nan where nothing is left."""
    order = np.lexsort((value, group))
    begins = np.diff(group[order], prepend=-1) > 0
    kept = order[~begins]
    return robust.medians(group[kept], value[kept], count=count)


def _pairs(model: Index, enough: Sequence[Mask]) -> Index:
    """pairs x 2: sides of one model, both of them enough in one figure at least."""
    by_model: dict[int, list[int]] = {}
    for side in np.flatnonzero(np.any(enough, axis=0)).tolist():
        by_model.setdefault(int(model[side]), []).append(side)
    pairs = [pair for sides_of in by_model.values() for pair in combinations(sides_of, 2)]
    together = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return together[np.any([mask[together].all(axis=1) for mask in enough], axis=0)]


@dataclass(frozen=True, slots=True, eq=False)
class _Scatter:
    """Per model, of one figure or of several added: degrees of freedom within its sides, squares of the residuals in
    units of what is usual, and how many figures that is."""

    freedom: Floats
    squares: Floats
    figures: Floats

    def without(self, other: "_Scatter") -> "_Scatter":
        return _Scatter(
            self.freedom - other.freedom, self.squares - other.squares, self.figures - other.figures
        )

    def worth(self, parameters: Parameters) -> Floats:
        """Degrees of freedom of as many independent figures as these are worth."""
        return self.freedom / np.maximum(self.figures, 1.0) * _worth(self.figures, parameters)


def _spreads(
    shown: Mapping[str, _Shown], priors: Mapping[str, Prior], parameters: Parameters
) -> dict[str, tuple[Floats, Floats]]:
    """Figure -> (variance relative to what was expected, its degrees of freedom), per model."""
    pools = {name: priors[name].at_most(_FREEDOM) for name in shown}
    parts = {name: _scatter(figure, pools[name]) for name, figure in shown.items()}
    every = _added(list(parts.values()))
    worth, spreads = every.worth(parameters), {}
    for name, own in parts.items():
        scale = _scale(every.without(own), pools[name], parameters)
        variance = moderation.moderated(shown[name].variance, own.freedom, pools[name], scale=scale)
        spreads[name] = variance, pools[name].freedom + worth
    return spreads


def _scatter(shown: _Shown, pool: Prior) -> _Scatter:
    has_freedom = (shown.freedom > 0).astype(np.float64)
    return _Scatter(shown.freedom, shown.freedom * shown.variance / pool.variance, has_freedom)


def _added(parts: Sequence[_Scatter]) -> _Scatter:
    """One figure after the other: what a model lacks adds nothing, not even in the last digit."""
    freedom, squares, figures = (np.zeros_like(parts[0].freedom) for _ in range(3))
    for part in parts:
        freedom += part.freedom
        squares += part.squares
        figures += part.figures
    return _Scatter(freedom, squares, figures)


def _scale(others: _Scatter, pool: Prior, parameters: Parameters) -> Floats:
    """How much more or less than usual the other figures of a model scatter, as a factor on the variance."""
    squares = others.squares / np.maximum(others.freedom, 1e-12)
    return moderation.moderated(squares, others.worth(parameters), Prior(pool.freedom, 1.0))


def _worth(figures: Floats, parameters: Parameters) -> Floats:
    """K': how many independent figures correlated ones are worth."""
    return figures / (1 + np.maximum(figures - 1, 0.0) * parameters.figures_alike**2)


def _contrast(shown: _Shown, pairs: Index, *, variance: Floats, freedom: Floats) -> Contrast:
    centre, weight = shown.centre[pairs], shown.weight[pairs]
    distance = centre[:, 0] - centre[:, 1]
    ends = shown.without_most[pairs] - shown.without_least[pairs[:, ::-1]]
    compared: Mask = np.all(shown.enough[pairs], axis=1)
    return Contrast(
        compared=compared,
        distance=distance,
        error=_HUBER_LOSS * np.sqrt(variance * (1 / np.where(compared[:, None], weight, 1.0)).sum(axis=1)),
        freedom=freedom,
        firm=np.where(distance >= 0, ends[:, 0], ends[:, 1]),
        cards=shown.cards[pairs],
        submitters=shown.submitters[pairs],
    )


def _joint(figures: Mapping[str, Contrast], count: int, parameters: Parameters) -> Floats:
    """p-value of each pair."""
    number, squares, freedom, fewest = np.zeros((4, count))
    for contrast in figures.values():
        number += contrast.compared
        squares += np.where(
            contrast.compared, (contrast.distance / np.maximum(contrast.error, 1e-12)) ** 2, 0.0
        )
        freedom += np.where(contrast.compared, contrast.freedom, 0.0)
        fewest = np.maximum(fewest, np.where(contrast.compared, contrast.submitters.min(axis=1), 0))
    by_chance = distributions.fdtrc(_worth(number, parameters), freedom / number, squares / number)
    return np.minimum(1.0, by_chance + parameters.odd_cards**fewest)
