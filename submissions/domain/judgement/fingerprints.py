"""GEOMETRY DIFFERS: cards of one model whose erase block, page or open AUs were read with confidence, and disagree."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from submissions.domain.judgement.parameters import DEFAULTS, Parameters


@dataclass(frozen=True, slots=True)
class Reading:
    """One quantity of one card in its base unit; `confidence`: log likelihood ratio of the answer."""

    card: int
    submitter: int
    quantity: str
    value: int
    confidence: float


@dataclass(frozen=True, slots=True)
class GeometryDiffers:
    """Values of one quantity, most cards first, and the cards behind each; `cards`: all that were read."""

    quantity: str
    values: tuple[int, ...]
    cards_with: tuple[int, ...]
    cards: int


def differing(readings: Sequence[Reading], parameters: Parameters = DEFAULTS) -> tuple[GeometryDiffers, ...]:
    """What differs inside one model; empty where nothing does. A card counts once, by its surest reading.

    Each value needs enough cards of enough submitters and a share that counts: wrong readings that agree by
    chance stay below that.
    """
    quantities = sorted({reading.quantity for reading in readings})
    differences = (
        _differing(quantity, _surest(readings, quantity, parameters), parameters) for quantity in quantities
    )
    return tuple(difference for difference in differences if difference)


def _surest(readings: Sequence[Reading], quantity: str, parameters: Parameters) -> list[Reading]:
    best: dict[int, Reading] = {}
    sure = [
        reading
        for reading in readings
        if reading.quantity == quantity and reading.confidence >= parameters.fingerprint_confidence
    ]
    for reading in sorted(sure, key=lambda reading: (reading.confidence, -reading.value)):
        best[reading.card] = reading
    return list(best.values())


def _differing(quantity: str, sure: Sequence[Reading], parameters: Parameters) -> GeometryDiffers | None:
    by_value: dict[int, list[Reading]] = defaultdict(list)
    for reading in sure:
        by_value[reading.value].append(reading)
    kept = {
        value: len(cards)
        for value, cards in by_value.items()
        if len(cards) >= max(parameters.cards_per_side, parameters.substantial * len(sure))
        and len({reading.submitter for reading in cards}) >= parameters.submitters_per_side
    }
    if len(kept) < 2:
        return None
    values = sorted(kept, key=lambda value: (-kept[value], value))
    return GeometryDiffers(quantity, tuple(values), tuple(kept[value] for value in values), len(sure))
