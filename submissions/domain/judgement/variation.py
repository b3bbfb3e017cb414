"""Same name, different card? Flags of models whose silicons differ, and of hidden scatter within them.

VARIES: two silicons, each with enough cards of enough submitters, differ in all their figures together (`differences`;
Bonferroni over pairs, Benjamini-Hochberg over models), and in at least one by an effect that matters; where two people
alone tell a side, in two.
SUSPECTED: cards that cannot be told apart by their registers scatter more than cards of one model do (`scatters`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import differences, flags, moderation, scatters
from submissions.domain.judgement.differences import Contrasts
from submissions.domain.judgement.flags import Difference, Scatter
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.sides import CardFacts, Values


@dataclass(frozen=True, slots=True)
class Pool:
    """Fixed between two full fits: per figure the prior of the variance between centres and within a silicon, and the
    p-values that count as found."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What `find` looks through: all pairs of silicons, and model -> scatter in every figure."""

    between: Contrasts
    within: Mapping[int, Sequence[Scatter]]


def survey(
    cards: CardFacts, figures: Mapping[str, Values], *, parameters: Parameters = DEFAULTS
) -> tuple[Pool, Compared]:
    """The pool of a whole crowd, and its cards compared."""
    pool = Pool(
        between={name: differences.within_sides(cards, values) for name, values in figures.items()},
        within={name: scatters.within_sides(cards, values) for name, values in figures.items()},
    )
    compared = compare(cards, figures, pool, parameters=parameters)
    between, within = compared.between.p_values(), scatters.p_values(compared.within)
    below = (
        moderation.threshold(np.array(list(p_values.values())), share)
        for p_values, share in (
            (between, parameters.false_discoveries),
            (within, parameters.false_suspicions),
        )
    )
    return Pool(pool.between, pool.within, *below), compared


def compare(
    cards: CardFacts, figures: Mapping[str, Values], pool: Pool, *, parameters: Parameters = DEFAULTS
) -> Compared:
    """The cards of any number of models, given the pool."""
    return Compared(
        differences.compare(cards, figures, pool.between, parameters),
        scatters.scatters(cards, figures, pool.within, parameters),
    )


def find(
    cards: CardFacts,
    compared: Compared,
    pool: Pool,
    *,
    standing_flags: Mapping[int, int] | None = None,
    parameters: Parameters = DEFAULTS,
) -> Findings:
    """Findings of these models. `standing_flags`: model -> its cards when it was last found to vary; what stood stays
    until more cards speak against it."""
    between, within = compared.between, compared.within
    varies = {
        model: rows
        for model, p_value in between.p_values().items()
        if p_value <= pool.varies_below
        and (rows := _believed([row for row in between.rows(model) if matters(row, parameters)], parameters))
    }
    kept = _kept(between, cards, _not_again(standing_flags or {}, varies), parameters)
    varies |= kept
    suspected = {
        model: wide
        for model, p_value in scatters.p_values(within).items()
        if model not in varies
        and p_value <= pool.suspected_below
        and (wide := scatters.wide(within[model], parameters))
    }
    return Findings(varies, suspected, frozenset(kept))


def _not_again(standing_flags: Mapping[int, int], varies: Mapping[int, object]) -> dict[int, int]:
    return {model: count for model, count in standing_flags.items() if model not in varies}


def _kept(
    between: Contrasts, cards: CardFacts, standing_flags: Mapping[int, int], parameters: Parameters
) -> dict[int, tuple[Difference, ...]]:
    """Models whose flag stays although it would not be raised again, each with its surest difference."""
    kept: dict[int, tuple[Difference, ...]] = {}
    for model, flagged_at in standing_flags.items():
        rows = between.rows(model)
        count = int((cards.model == model).sum())
        if rows and flags.stays(
            flagged_at, cards=count, lower_ratio=rows[0].lower_ratio, parameters=parameters
        ):
            kept[model] = (rows[0],)
    return kept


def _believed(rows: Sequence[Difference], parameters: Parameters) -> tuple[Difference, ...]:
    """Both of two people may have an odd card: as few are believed only where their cards differ in two figures."""
    pairs = [frozenset((row.faster, row.slower)) for row in rows]
    figures = Counter(pairs)
    return tuple(
        row
        for row, pair in zip(rows, pairs, strict=True)
        if min(row.submitters) > parameters.submitters_per_side or figures[pair] > 1
    )


def matters(row: Difference, parameters: Parameters = DEFAULTS) -> bool:
    """Large enough, surely enough, and not the doing of one submitter."""
    return (
        row.ratio >= parameters.least_ratio
        and row.lower_ratio >= parameters.least_lower_ratio
        and row.firm_ratio >= parameters.least_firm_ratio
    )
