"""Compare ways of sorting the rows of a table into levels: likelihoods, and the odds of the best answer.

Rows scatter around the median of their level as a Laplace distribution of one scale, so a single odd row costs little
(P. J. Huber, Robust Statistics, 1981). Each further level costs half the log of the number of rows (Schwarz, Annals of
Statistics 6, 1978).
"""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

# Rows of one table are taken at the same few places of one card, so each counts as only half an observation.
# Set on simulated cards, seeds below 1000, so that answers are right as often as they claim.
_WITNESSES = 0.5


class Decision(NamedTuple):
    """The likeliest answer to where a table has a step, with the log of its odds against all other answers.

    The answer None means that there is no step. `runner_up`: the next best answer.
    """

    answer: int | None
    log_odds: float
    runner_up: int | None


def log_likelihood(levels: Sequence[Sequence[float]], *, resolution: float) -> float:
    """Return the log likelihood of rows sorted into levels.

    `resolution`: least scatter that is assumed, since rounding hides less.
    """
    count = sum(len(rows) for rows in levels)
    scatter = sum(abs(value - median(rows)) for rows in levels for value in rows) / count
    return -_WITNESSES * (count * math.log(max(scatter, resolution)) + len(levels) / 2 * math.log(count))


def decide(weights: Mapping[int | None, Sequence[float]]) -> Decision:
    """Return the likeliest answer to where a table has a step.

    `weights`: at least one answer, each with the log weights of its models (ways to sort rows into levels).
    """
    total = {answer: _log_sum(logs) for answer, logs in weights.items()}
    best, *others = sorted(total, key=lambda answer: -total[answer])
    against = _log_sum([total[answer] for answer in others]) if others else -math.inf
    return Decision(best, total[best] - against, others[0] if others else None)


def _log_sum(logs: Sequence[float]) -> float:
    highest = max(logs)
    return highest + math.log(math.fsum(math.exp(log - highest) for log in logs))
