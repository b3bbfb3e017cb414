"""What time does to a figure: how much it changes in a year, of cards in use or from one year's cards to the next.

A straight line through logarithms, with a level of its own for each group (a card in one host; the cards in one kind of
host), so that only what changes within a group counts. Cards age differently: the interval rests on how far whole cards
are from the line (Liang and Zeger 1986, robust to any dependence within a card), with as many degrees of freedom as
there are cards that bear it (Bell and McCaffrey 2002, by Kish's effective number).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from submissions.domain.judgement import distributions
from submissions.domain.judgement.robust import Floats, Index, counts, sums

LEAST_CARDS: Final = 3
# Whoever is not sure of a factor of so much a year says nothing worth reading.
_WIDEST: Final = np.log(4)
_INTERVAL: Final = 0.95


@dataclass(frozen=True, slots=True)
class Drift:
    """Change of a figure in a year, as a ratio with its 95 % interval: .9 is a tenth less each year. `years`: the
    longest time that any group spans."""

    ratio: float
    low: float
    high: float
    cards: int
    years: float


def drift(years: Floats, logs: Floats, *, group: Index, card: Index, least_years: float) -> Drift | None:
    """The line through these values: when, log of how much, the group of each and its card, as numbers.

    None while fewer than three cards bear it, no group spans `least_years`, or the interval is too wide to say much.
    """
    _, group = np.unique(group, return_inverse=True)
    when, value = _within(years, group), _within(logs, group)
    _, of_card = np.unique(card, return_inverse=True)
    number = int(of_card.max(initial=-1)) + 1
    leverage = sums(of_card, when**2, count=number)
    longest = _longest(years, group)
    if np.count_nonzero(leverage) < LEAST_CARDS or longest < least_years:
        return None
    slope = float((when * value).sum() / leverage.sum())
    half = _half_width(when, value - slope * when, of_card, leverage)
    if half > _WIDEST:
        return None
    ratio, low, high = np.exp([slope, slope - half, slope + half]).tolist()
    return Drift(ratio, low, high, int(np.count_nonzero(leverage)), longest)


def _within(values: Floats, group: Index) -> Floats:
    number = int(group.max(initial=-1)) + 1
    within: Floats = values - (sums(group, values, count=number) / counts(group, count=number))[group]
    return within


def _longest(years: Floats, group: Index) -> float:
    number = int(group.max(initial=-1)) + 1
    first, last = np.full(number, np.inf), np.full(number, -np.inf)
    np.minimum.at(first, group, years)
    np.maximum.at(last, group, years)
    return float((last - first).max(initial=0.0))


def _half_width(when: Floats, residual: Floats, card: Index, leverage: Floats) -> float:
    """Of the interval of the slope. What a card with a large share of the leverage pulled to itself is given back."""
    total = leverage.sum()
    share = leverage / total
    pull = sums(card, when * residual, count=len(leverage)) / np.maximum(1 - share, 1e-9)
    effective = 1 / float((share**2).sum())
    if effective <= 1.5:
        return float("inf")
    return float(np.sqrt((pull**2).sum()) / total * distributions.stdtrit(effective - 1, (1 + _INTERVAL) / 2))
