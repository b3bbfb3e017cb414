"""Summarize facts about a model besides its comparable figures: cards of one person that differ, and delays.

One person cannot flag a model (see estimation/variation), and an unnamed host cannot compare cards. But two cards that
one person measured in the same way in one host are comparable, even if that host is unknown.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from submissions.domain.estimation.variation import LEAST_RATIO

MOST_APART, MOST_SEEN = 3, 20


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way of measuring in one host, with the parameters that a page shows. `host` is in words."""

    workload: str
    metric: str
    parameters: dict[str, Any]
    host: str

    @property
    def key(self) -> Hashable:
        return self.workload, self.metric, tuple(sorted(self.parameters.items())), self.host


@dataclass(frozen=True, slots=True)
class Seen:
    """The lowest and the highest median of `cards` cards that were measured in one way, in the base unit."""

    pattern: Pattern
    cards: int
    low: float
    high: float

    @property
    def ratio(self) -> float:
        return self.high / self.low


# A way of measuring, a card, and its value or repeats.
Row = tuple[Pattern, int, Sequence[float]]


def find_differing(hands: Mapping[Hashable, Iterable[Row]]) -> tuple[Seen, ...]:
    """Return the ways of measuring in which cards of one person differ, the widest ratio first, at most `MOST_APART`.

    Cards must differ by more than a user notices, and by more than each card does from run to run. `hands`: for each
    person and host, the values of cards.
    """
    found = [
        _summarize(pattern, cards)
        for rows in hands.values()
        for pattern, cards in _group_by_card(rows)
        if len(cards) > 1 and _differ(cards)
    ]
    return tuple(sorted(found, key=lambda seen: -seen.ratio)[:MOST_APART])


def summarize_patterns(rows: Iterable[Row]) -> tuple[Seen, ...]:
    """Return the range of the medians of cards for each way of measuring, for at most `MOST_SEEN` ways."""
    return tuple(_summarize(pattern, cards) for pattern, cards in _group_by_card(rows))[:MOST_SEEN]


def _group_by_card(rows: Iterable[Row]) -> Iterable[tuple[Pattern, dict[int, list[float]]]]:
    patterns: dict[Hashable, tuple[Pattern, dict[int, list[float]]]] = {}
    for pattern, card, values in rows:
        _, cards = patterns.setdefault(pattern.key, (pattern, {}))
        cards.setdefault(card, []).extend(value for value in values if value > 0)
    filled = (
        (pattern, {card: values for card, values in cards.items() if values})
        for pattern, cards in patterns.values()
    )
    return [(pattern, cards) for pattern, cards in filled if cards]


def _differ(cards: Mapping[int, list[float]]) -> bool:
    ordered = sorted(cards.values(), key=median)
    ratio = median(ordered[-1]) / median(ordered[0])
    return ratio >= LEAST_RATIO and max(ordered[0]) < min(ordered[-1])


def _summarize(pattern: Pattern, cards: Mapping[int, list[float]]) -> Seen:
    middles = [median(values) for values in cards.values()]
    return Seen(pattern, len(cards), min(middles), max(middles))
