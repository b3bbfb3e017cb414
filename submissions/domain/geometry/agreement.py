"""Compare the readings of one quantity of geometry from several cards.

Each card has one vote, by its surest reading.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from submissions.domain.geometry.inference import confidence_of, value_in_words
from submissions.domain.measuring.metrics import METRICS


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer about the geometry of one card. `value`, `code` and `log_odds` are those of `Inference`."""

    card: int
    submitter: int
    quantity: str
    value: float | None
    code: str
    log_odds: float | None

    @property
    def answer(self) -> str:
        return value_in_words(self.quantity, self.value, self.code)


@dataclass(slots=True)
class Answer:
    """An answer about a quantity of geometry, with the number of cards that give it.

    `log_odds`: the highest natural log odds among the readings that count, None if none states any.
    """

    in_words: str
    cards: int = 0
    log_odds: float | None = None

    @property
    def confidence(self) -> float | None:
        return confidence_of(self.log_odds)


@dataclass(frozen=True, slots=True)
class Consensus:
    """The answers of all cards about one quantity of geometry, most cards first.

    `wavering`: number of cards with contradictory readings.
    """

    quantity: str
    answers: list[Answer] = field(default_factory=list)
    wavering: int = 0

    @property
    def title(self) -> str:
        return METRICS[self.quantity].title


def consensus(readings: Iterable[Reading]) -> list[Consensus]:
    """Return for each quantity of geometry which answers the cards give, in the order of the first readings."""
    by_quantity: dict[str, dict[int, list[Reading]]] = {}
    for reading in readings:
        by_quantity.setdefault(reading.quantity, {}).setdefault(reading.card, []).append(reading)
    return [_consensus(quantity, list(cards.values())) for quantity, cards in by_quantity.items()]


def _consensus(quantity: str, cards: list[list[Reading]]) -> Consensus:
    answers: dict[str, Answer] = {}
    for of_card in cards:
        surest = max(of_card, key=_sureness)
        answer = answers.setdefault(surest.answer, Answer(surest.answer))
        answer.cards += 1
        answer.log_odds = max(filter(None, (answer.log_odds, surest.log_odds)), default=None)
    stated = ({one.answer for one in of_card if one.code != "abstained"} for of_card in cards)
    wavering = sum(len(words) > 1 for words in stated)
    most_first = sorted(answers.values(), key=lambda answer: (-answer.cards, answer.in_words))
    return Consensus(quantity, most_first, wavering)


# An abstention counts only if a card has no other reading; a reading without a confidence counts as unsure.
def _sureness(reading: Reading) -> tuple[bool, float]:
    return reading.code != "abstained", reading.log_odds or 0.0
