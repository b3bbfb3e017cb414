"""The inference about one quantity of geometry: a value or a reason for none, with confidence and reasoning."""

import math
from dataclasses import dataclass

from submissions.domain.measuring import metrics

# Read off tables, in the order of pages; named as the metrics that a client may state.
QUANTITIES = ("erase_block_size", "page_size", "open_au_linear", "open_au_random", "fat_area_size")

LEAST_LOG_ODDS = math.log(4)  # four to one: below, there is no answer
# A whole table may mislead: on simulated cards, seeds below 1000, even the clearest tables did so in 3 of 100 cards.
# The statement of a client is believed up to 99 of 100.
_MOST_LOG_ODDS = math.log(0.97 / 0.03)
_MOST_CERTAIN = 0.99
_WITHOUT_VALUE = {
    "none_found": "none",
    "no_limit_found": "no limit found",
    "abstained": "cannot tell",
    "time_budget": "time ran out",
    "interrupted": "interrupted",
}


@dataclass(frozen=True, slots=True)
class Inference:
    """The inference about a quantity of geometry: a value in the base unit of its metric, or a code.

    The value is a lower bound if `code` is at_least. Without a value `code` says why: the card has none (none_found),
    or the table is unclear (abstained). `log_odds`: natural log of the odds that the value is right; None if not
    stated. `origin`: "inferred" by the server, or "stated" by the client.
    """

    quantity: str
    value: float | None
    log_odds: float | None
    reasoning: tuple[str, ...]
    code: str = ""
    origin: str = "inferred"

    @property
    def title(self) -> str:  # templates read it
        return metrics.METRICS[self.quantity].title

    @property
    def answer(self) -> str:
        return value_in_words(self.quantity, self.value, self.code)

    @property
    def confidence(self) -> float | None:
        return confidence_of(self.log_odds)


def confidence_of(log_odds: float | None) -> float | None:
    """Return the probability that belongs to natural log odds, with three digits, at most 0.99; None without odds."""
    if log_odds is None:
        return None
    return min(_MOST_CERTAIN, round(1 / (1 + math.exp(-max(log_odds, -50.0))), 3))


def value_in_words(quantity: str, value: float | None, code: str) -> str:
    """Return the value of a quantity of geometry in words, as "4 MiB", "3" or "at least 7".

    Without a value, return the meaning of its code.
    """
    if value is None:
        return _WITHOUT_VALUE.get(code, "cannot tell")
    words = metrics.amount_in_words(value, metrics.METRICS[quantity].base_unit)
    return f"at least {words}" if code == "at_least" else words


def conclude(quantity: str, value: int | None, log_odds: float, *reasons: str, code: str = "") -> Inference:
    """Return the inference from a table of flashbench; its confidence is at most the highest that a table allows."""
    return Inference(quantity, value, min(log_odds, _MOST_LOG_ODDS), reasons, code)


def abstain(quantity: str, reason: str) -> Inference:
    """Return an inference about a quantity of geometry without an answer, for this reason."""
    return Inference(quantity, None, None, (f"Cannot tell, because {reason}.",), "abstained")
