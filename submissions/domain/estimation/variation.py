"""Find models with cards that differ: by the silicon inside, or more than usual among cards that look alike.

VARIES compares two silicons a and b of a model in the K abilities in which enough people measured both:

    t = (c_a - c_b) / error,   error² = 1.25² m s² (1 / W_a + 1 / W_b)      (c: centre, W: sum of weights)
    mean of t² ~ F(K / D, d0 + d),   D = 1 + (K - 1) r²

s² is the usual scatter: the mean square of voices around their sides, without the worst voices of each model. m is the
scatter of this model in all its abilities together, relative to s², with d degrees of freedom. Abilities of one card
are alike, so D divides their degrees of freedom (M. B. Brown, Biometrics 31, 1975), and those of m. m is moderated: (d0
+ d m) / (d0 + d) (G. Smyth, Statistical Applications in Genetics and Molecular Biology 3(1), 2004). All n voices of a
side may be odd by chance: odd^n is added to the p-value. voices.py defines sides and voices.

SUSPECTED: m is larger than usual by an F test, and some ability spans a wide range.

P-values are multiplied by the pairs of silicons of the model (Bonferroni). The full fit learns the largest p-value that
is flagged, so that at most 5 % of the flags are false discoveries (Y. Benjamini & Y. Hochberg, Journal of the Royal
Statistical Society B 57, 1995).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from submissions.domain.estimation import lazy
from submissions.domain.estimation.estimates import CardValues
from submissions.domain.estimation.evidence import Floats, Index
from submissions.domain.estimation.groups import add_up, number_rows
from submissions.domain.estimation.voices import CardFacts, Sides, make_sides

# A flag needs a ratio that users notice, a lower end of its interval that is sure, and a firm ratio that separates
# nearly all cards: two odd cards of three do not.
LEAST_RATIO, LEAST_LOWER_RATIO, LEAST_FIRM_RATIO = 1.25, 1.1, 1.1
# The least number of voices in an ability for a suspicion, and the least ratio of their 90th to their 10th percentile.
SUSPECTED_PEOPLE, SUSPECTED_RATIO = 7, 1.6
FALSE_DISCOVERIES = 0.05
# The share of cards that are far off by themselves: worn, faulty or throttled.
ODD_CARDS = 0.04
# The share of its cards that a silicon needs to count for its model.
SUBSTANTIAL = 0.15
# r: the correlation of two abilities of one card; d0 of either test: the degrees of freedom of the usual scatter.
ABILITIES_ALIKE, VARIES_FREEDOM, SUSPECTED_FREEDOM = 0.4, 8.0, 20.0
# The share of voices, the worst of them, that is left out of the scatter; at least one voice.
_WORST = 0.06
# How much wider an error is since these are left out, and since Huber means are a little less sure than means.
_WIDER = 1.25
# How many voices the prior of the usual scatter is worth.
_PRIOR_VOICES = 20.0


@dataclass(frozen=True, slots=True)
class Usual:
    """The usual variation of cards, as the last fit of all models learned it.

    card_variance    by number of the ability: variance of the cards of a model
    scatter          by number of the ability: mean square of the distances of people's values from the middle of the
                     cards that look alike, relative to the expected square
    varies_below, suspected_below     the largest p-values that are flagged
    """

    card_variance: tuple[float, ...]
    scatter: tuple[float, ...]
    varies_below: float = 0.0
    suspected_below: float = 0.0


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two silicons of a model in one ability. Ratios have a 95 % interval.

    Pairs are (faster silicon, slower silicon). `firm_ratio`: the slowest person's value of the faster silicon divided
    by the fastest of the slower one, after a quarter of the people is left out at either end. `p_value` is for all
    abilities together.
    """

    ability: int
    faster: int
    slower: int
    cards: tuple[int, int]
    people: tuple[int, int]
    ratio: float
    lower_ratio: float
    upper_ratio: float
    firm_ratio: float
    p_value: float

    @property
    def matters(self) -> bool:
        return (
            self.ratio >= LEAST_RATIO
            and self.lower_ratio >= LEAST_LOWER_RATIO
            and self.firm_ratio >= LEAST_FIRM_RATIO
        )


@dataclass(frozen=True, slots=True)
class Scatter:
    """How far cards of a model that look alike scatter in one ability.

    `span_ratio`: 90th percentile divided by 10th. `strength`: the variance divided by the usual one, in all abilities
    together. `p_value` is for all abilities together.
    """

    ability: int
    cards: int
    people: int
    span_ratio: float
    strength: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Findings:
    """Models with cards that differ, by number of the model, the surest evidence first.

    A model is in at most one of the two mappings.
    """

    varies: Mapping[int, list[Difference]]
    suspected: Mapping[int, list[Scatter]]


def learn_usual(values: CardValues, facts: CardFacts, card_variance: Floats) -> Usual:
    """Return the usual variation of cards, learned from the values of the cards of all models.

    `card_variance`: variance of the cards of a model, by number of the ability.
    """
    sides = make_sides(values, facts, card_variance)
    groups = _group_voices(sides)
    usual = Usual(tuple(card_variance.tolist()), _pool_scatter(groups, len(card_variance)))
    models = _relate_models(groups, usual)
    return replace(
        usual,
        varies_below=_find_threshold(_compare_sides(sides, models, usual)),
        suspected_below=_find_threshold(_test_scatter(groups, models)),
    )


def _find_threshold(rows: Iterable[tuple[int, "Difference | Scatter"]]) -> float:
    least: dict[int, float] = {}
    for model, row in rows:
        least[model] = min(row.p_value, least.get(model, 1.0))
    ordered = np.sort(list(least.values()))
    allowed = FALSE_DISCOVERIES * np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    return float(allowed[: 1 + np.flatnonzero(ordered <= allowed).max(initial=0)].max(initial=0.0))


def find_variation(values: CardValues, facts: CardFacts, usual: Usual) -> Findings:
    """Return the models with cards that differ more than usual.

    The findings of a model do not depend on other models.
    """
    sides = make_sides(values, facts, np.array(usual.card_variance))
    groups = _group_voices(sides)
    models = _relate_models(groups, usual)
    differences = _compare_sides(sides, models, usual)
    varies = _sort_by_model(
        (at, row) for at, row in differences if row.matters and row.p_value <= usual.varies_below
    )
    scatters = ((at, row) for at, row in _test_scatter(groups, models) if at not in varies)
    return Findings(
        varies,
        _sort_by_model(
            (at, row)
            for at, row in scatters
            if row.p_value <= usual.suspected_below and row.span_ratio >= SUSPECTED_RATIO
        ),
    )


_Row = TypeVar("_Row", Difference, Scatter)


def _sort_by_model(rows: Iterable[tuple[int, _Row]]) -> dict[int, list[_Row]]:
    by_model = defaultdict[int, list[_Row]](list)
    for model, row in sorted(rows, key=lambda row: row[1].p_value):
        by_model[model].append(row)
    return dict(by_model)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The scatter of the cards of each model in each ability, as columns.

    A voice is the median of the cards of one person. `square`: sum of the squared distances of all voices but the
    worst, with `freedom` degrees of freedom. `span`: log of the 90th divided by the 10th percentile of all voices.
    """

    ability: Index
    model: Index
    cards: Index
    people: Index
    square: Floats
    freedom: Floats
    span: Floats


def _group_voices(sides: Sides) -> _Groups:
    first, group = number_rows(sides.ability, sides.model)
    count, of_voice = len(first), group[sides.voice_side]
    voices, centres = (np.bincount(rows, minlength=count) for rows in (of_voice, group[sides.people > 0]))
    begin, order = np.cumsum(voices) - voices, np.lexsort((sides.voice_square, of_voice))
    left = voices - np.maximum((_WORST * voices).astype(np.int64), 1)
    calm = order[np.arange(len(order)) - begin[of_voice[order]] < left[of_voice[order]]]
    ascending = sides.voice_value[np.lexsort((sides.voice_value, of_voice))]
    low, high = (_find_quantiles(ascending, begin, voices, share) for share in (0.1, 0.9))
    return _Groups(
        ability=sides.ability[first],
        model=sides.model[first],
        cards=add_up(group, sides.cards, count).astype(np.int64),
        people=voices,
        square=np.where(left > centres, add_up(of_voice[calm], sides.voice_square[calm], count), 0.0),
        freedom=np.maximum(left - centres, 0.0),
        span=high - low,
    )


def _find_quantiles(ascending: Floats, begin: Index, number: Index, share: float) -> Floats:
    padded, last = np.append(ascending, 0.0), np.maximum(number - 1, 0)
    place = share * last
    low = place.astype(np.int64)
    below, above = (padded[begin + np.minimum(low + step, last)] for step in (0, 1))
    quantile: Floats = below + (place - low) * (above - below)
    return quantile


def _pool_scatter(groups: _Groups, abilities: int) -> tuple[float, ...]:
    square, freedom = (
        add_up(groups.ability, column, abilities) for column in (groups.square, groups.freedom)
    )
    pooled: Floats = (_PRIOR_VOICES + square) / (_PRIOR_VOICES + freedom)
    return tuple(pooled.tolist())


def _relate_models(groups: _Groups, usual: Usual) -> tuple[Floats, Floats]:
    # The scatter of each model relative to the usual one, and its degrees of freedom.
    count = int(groups.model.max(initial=-1)) + 1
    relative = groups.square / np.array(usual.scatter)[groups.ability]
    square, freedom = (add_up(groups.model, column, count) for column in (relative, groups.freedom))
    abilities = np.bincount(groups.model[groups.freedom > 0], minlength=count)
    return square / np.maximum(freedom, 1), freedom / _divide_freedom(abilities)


def _test_scatter(groups: _Groups, models: tuple[Floats, Floats]) -> Iterator[tuple[int, Scatter]]:
    scatter, freedom = (column[groups.model] for column in models)
    by_chance = lazy.special.fdtrc(np.maximum(freedom, 1e-9), SUSPECTED_FREEDOM, scatter)
    for at in np.flatnonzero(groups.people >= SUSPECTED_PEOPLE).tolist():
        yield (
            int(groups.model[at]),
            Scatter(
                ability=int(groups.ability[at]),
                cards=int(groups.cards[at]),
                people=int(groups.people[at]),
                span_ratio=float(np.exp(groups.span[at])),
                strength=float(scatter[at]),
                p_value=float(by_chance[at]),
            ),
        )


def _compare_sides(
    sides: Sides, models: tuple[Floats, Floats], usual: Usual
) -> Iterator[tuple[int, Difference]]:
    faster, slower = _pair_faster_and_slower(sides).T
    model = sides.model[faster]
    own_scatter, own_freedom = (column[model] for column in models)
    freedom = VARIES_FREEDOM + own_freedom
    scatter = (VARIES_FREEDOM + own_freedom * own_scatter) / freedom
    variance = scatter * np.array(usual.scatter)[sides.ability[faster]]
    error = _WIDER * np.sqrt(variance * (1 / sides.weight[faster] + 1 / sides.weight[slower]))
    distance = sides.centre[faster] - sides.centre[slower]
    reach = lazy.special.stdtrit(freedom, 0.975) * error
    by_chance = _join_abilities(sides, (faster, slower), (distance / error) ** 2, freedom)
    firm = sides.slow_end[faster] - sides.fast_end[slower]
    ratios = np.exp(np.stack([distance, distance - reach, distance + reach, firm])).T.tolist()
    for at, (ratio, lower, upper, firm_ratio) in enumerate(ratios):
        both = [faster[at], slower[at]]
        yield (
            int(model[at]),
            Difference(
                ability=int(sides.ability[both[0]]),
                faster=int(sides.variant[both[0]]),
                slower=int(sides.variant[both[1]]),
                cards=tuple(sides.cards[both].tolist()),
                people=tuple(sides.people[both].tolist()),
                ratio=ratio,
                lower_ratio=lower,
                upper_ratio=upper,
                firm_ratio=firm_ratio,
                p_value=min(1.0, float(by_chance[at])),
            ),
        )


def _join_abilities(sides: Sides, pairs: tuple[Index, Index], square: Floats, freedom: Floats) -> Floats:
    variants, people = (np.sort(column[np.array(pairs)], axis=0) for column in (sides.variant, sides.people))
    model = sides.model[pairs[0]]
    first, silicons = number_rows(model, *variants)
    abilities = np.bincount(silicons)[silicons]
    independent = abilities / _divide_freedom(abilities)
    mean = add_up(silicons, square, len(first))[silicons] / abilities
    by_chance = lazy.special.fdtrc(independent, freedom, mean) + ODD_CARDS ** people[0]
    joint: Floats = by_chance * np.bincount(model[first], minlength=1)[model]
    return joint


def _divide_freedom(abilities: Index) -> Floats:
    divisor: Floats = 1 + np.maximum(abilities - 1, 0) * ABILITIES_ALIKE**2
    return divisor


def _pair_faster_and_slower(sides: Sides) -> Index:
    alike = defaultdict[tuple[int, int], list[int]](list)
    for side in np.flatnonzero(sides.is_enough)[
        np.argsort(-sides.centre[sides.is_enough], kind="stable")
    ].tolist():
        alike[int(sides.model[side]), int(sides.ability[side])].append(side)
    pairs = [pair for some in alike.values() for pair in combinations(some, 2)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
