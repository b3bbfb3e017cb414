"""What was inferred of one quantity: a value or the reason why there is none, how surely, and why."""

import math
from dataclasses import dataclass

from submissions.domain.measuring import metrics

# Read off tables, in the order in which they are told; named as the metrics that a client may state.
QUANTITIES = ("erase_block_size", "page_size", "open_au_linear", "open_au_random", "fat_area_size")

LEAST_LOG_ODDS = math.log(4)  # four to one: below, there is no answer
# Rows of one table say nothing of what the table itself hides: on simulated cards, seeds below 1000, even the clearest
# tables misled in 3 of 100 cards. What a client states of its own is believed up to 99 of 100.
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
    """`value` in the base unit of the metric, a lower bound where `code` is at_least. Without a value `code` says why:
    there is none (none_found), the table does not tell (abstained). `log_odds`: natural log of right against wrong;
    None when that was not told. `origin`: inferred by the server, or stated by the client."""

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
    def in_words(self) -> str:
        return value_in_words(self.quantity, self.value, self.code)

    @property
    def confidence(self) -> float | None:
        return confidence_of(self.log_odds)


def confidence_of(log_odds: float | None) -> float | None:
    """Natural log odds -> probability to three digits, at most 0.99; None when there are none."""
    if log_odds is None:
        return None
    return min(_MOST_CERTAIN, round(1 / (1 + math.exp(-max(log_odds, -50.0))), 3))


def value_in_words(quantity: str, value: float | None, code: str) -> str:
    """ "4 MiB", "3", "at least 7", or what stands in place of a value."""
    if value is None:
        return _WITHOUT_VALUE.get(code, "cannot tell")
    words = metrics.in_words(value, metrics.METRICS[quantity].base_unit)
    return f"at least {words}" if code == "at_least" else words


def inferred(quantity: str, value: int | None, log_odds: float, *reasons: str, code: str = "") -> Inference:
    """What a table tells, no surer than a table can be."""
    return Inference(quantity, value, min(log_odds, _MOST_LOG_ODDS), reasons, code)


def abstained(quantity: str, reason: str) -> Inference:
    """No answer, with the reason."""
    return Inference(quantity, None, None, (f"Cannot tell, because {reason}.",), "abstained")
