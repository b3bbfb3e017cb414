"""Scores: a weighted geometric mean of ratios to a reference card, with an interval.

For each figure of a profile the log of the model is estimated from its cards by shrinkage towards the market:

    m = (sum of y_c / s² + log(reference) / t²) / (n / s² + 1 / t²)        variance v = 1 / (n / s² + 1 / t²)

y_c is the log of the median over the runs of card c (one card, one vote), s the spread between specimens of one
model, t the spread of the market. A figure nobody measured stays at the reference with variance t²: it widens the
interval instead of being dropped. score = 100 exp(Σ w (m - log reference)), variance Σ w² v, weights w sum to 1
(geometric means of ratios: Fleming & Wallace, CACM 29(3), 1986).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from submissions.domain.profiles import Profile, Term

# Natural-log spread between specimens of one model, typical of labelled cards.
SPECIMEN_SPREAD = 0.25
# Nominal 95 % normal interval, widened: few specimens understate the spread, measured coverage was 82-92 %.
_Z, _WIDEN, _WIDEN_ONE_CARD = 1.96, 1.25, 1.5
RANKED_FROM_CARDS, RANKED_FROM_SUBMITTERS, SOLID_FROM_CARDS = 3, 2, 8


@dataclass(frozen=True, slots=True)
class Score:
    """100 = the reference card. `covered` of `terms` figures were measured. state: early, ranked or solid."""

    value: float
    lower: float
    upper: float
    cards: int
    submitters: int
    covered: int
    terms: int
    state: str


def score(
    profile: Profile, figures: Mapping[str, Sequence[float]], *, cards: int, submitters: int
) -> Score | None:
    """Score of one model, None if nothing is known.

    `figures`: figure name -> one positive value per card, in base units.
    """
    covered = [term for term in profile.terms if figures.get(term.figure)]
    if not covered:
        return None
    estimates = [_estimate(term, figures.get(term.figure, ())) for term in profile.terms]
    centre = math.fsum(term.share * mean for term, (mean, _) in zip(profile.terms, estimates, strict=True))
    sd = math.sqrt(
        math.fsum(term.share**2 * v for term, (_, v) in zip(profile.terms, estimates, strict=True))
    )
    half = _Z * sd * (_WIDEN if cards > 1 else _WIDEN_ONE_CARD)
    return Score(
        value=100 * math.exp(centre),
        lower=100 * math.exp(centre - half),
        upper=100 * math.exp(centre + half),
        cards=cards,
        submitters=submitters,
        covered=len(covered),
        terms=len(profile.terms),
        state=_state(cards, submitters),
    )


def _estimate(term: Term, values: Sequence[float]) -> tuple[float, float]:
    """(log ratio to the reference, its variance) of one figure."""
    precision = len(values) / SPECIMEN_SPREAD**2 + 1 / term.spread**2
    total = math.fsum(math.log(value / term.reference) for value in values) / SPECIMEN_SPREAD**2
    return total / precision, 1 / precision


def _state(cards: int, submitters: int) -> str:
    if cards >= SOLID_FROM_CARDS and submitters >= RANKED_FROM_SUBMITTERS:
        return "solid"
    if cards >= RANKED_FROM_CARDS and submitters >= RANKED_FROM_SUBMITTERS:
        return "ranked"
    return "early"
