"""Find quantities of geometry that differ between the cards of one model, among readings of high confidence.

Each value needs several cards of several people, and a share of all cards: wrong readings that agree by chance stay
below these limits.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from submissions.domain.geometry.agreement import Reading

LEAST_LOG_ODDS = 9.0
LEAST_CARDS, LEAST_PEOPLE, LEAST_SHARE = 2, 2, 0.15


@dataclass(frozen=True, slots=True)
class GeometryDiffers:
    """A quantity of geometry that differs between the cards of one model.

    `values`: most frequent first; `cards_with`: number of cards with each value; `cards`: number of all cards that were
    read.
    """

    quantity: str
    values: tuple[int, ...]
    cards_with: tuple[int, ...]
    cards: int


def is_certain(reading: Reading) -> bool:
    """Return whether a reading of geometry has a value with high confidence."""
    return reading.value is not None and not reading.code and (reading.log_odds or 0) >= LEAST_LOG_ODDS


def find_differing(readings: Sequence[Reading]) -> tuple[GeometryDiffers, ...]:
    """Return the quantities of geometry that differ between the cards of one model.

    A card counts once for each quantity, by its surest reading.
    """
    by_quantity: dict[str, dict[int, Reading]] = defaultdict(dict)
    certain = filter(is_certain, readings)
    for reading in sorted(certain, key=lambda reading: (reading.log_odds, -(reading.value or 0))):
        by_quantity[reading.quantity][reading.card] = reading
    compared = (_compare(quantity, list(surest.values())) for quantity, surest in sorted(by_quantity.items()))
    return tuple(difference for difference in compared if difference)


def _compare(quantity: str, surest: Sequence[Reading]) -> GeometryDiffers | None:
    by_value: dict[int, list[Reading]] = defaultdict(list)
    for reading in surest:
        by_value[round(reading.value or 0)].append(reading)
    least = max(LEAST_CARDS, LEAST_SHARE * len(surest))
    kept = {
        value: len(cards)
        for value, cards in by_value.items()
        if len(cards) >= least and len({card.submitter for card in cards}) >= LEAST_PEOPLE
    }
    if len(kept) < 2:
        return None
    values = sorted(kept, key=lambda value: (-kept[value], value))
    return GeometryDiffers(quantity, tuple(values), tuple(kept[value] for value in values), len(surest))
