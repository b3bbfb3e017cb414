"""Order models for a use, by estimates of their abilities in one slot (device or bus).

Estimates are natural logs, more is better, normally distributed. A need (requirement of a use) is passed if P(one card
>= threshold) is at least .9, failed if it is at most .1. Models are ordered by mean - sd / 2 of the leading ability, so
that of two equal estimates the more certain one comes first; models that fail a need come after all others. Models
share a rank as long as the first model that has it is better with P < .8:

    P(first better) = Phi((mean1 - mean2) / sqrt(sd1^2 + sd2^2))

If the leading ability was not measured but its fallback was, the spread is wider, by the usual difference of two ways
of measuring one quantity (0.3, the prior of methods in domain/estimation).
"""

import math
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np

from submissions.domain.estimation.evidence import Floats, Index, Mask

# Quantiles of the normal distribution: of .9, of .8; and of .975, for a need that is passed with a clear margin.
Z_NEED, Z_PLACE, Z_CLEAR = 1.2815515655446004, 0.8416212335729143, 1.959963984540054
FALLBACK_SD = 0.3


class Group(IntEnum):
    """Groups of models in a list, in this order; only models that pass or fail needs have a rank.

    UNPROVEN: only one person reports the model, without a record of confirmed results. EXCLUDED: by a reason such as
    lost data, see `gates`.
    """

    PASSING = 0
    FAILING = 1
    UNPROVEN = 2
    EXCLUDED = 3


class NeedState(StrEnum):
    """Whether a card passes a need (requirement of a use)."""

    PASS = "pass"
    FAIL = "fail"
    UNCLEAR = "unclear"
    NOT_MEASURED = "not_measured"


def judge_need(
    mean: float | None, card_sd: float | None, log_threshold: float, *, at_least: bool = False
) -> NeedState:
    """Return whether a single card of a model passes a need (requirement of a use).

    `at_least`: the bus was the limit, so `mean` is only a lower bound, and the need cannot fail.
    """
    if mean is None or card_sd is None:
        return NeedState.NOT_MEASURED
    if mean - log_threshold >= Z_NEED * card_sd:
        return NeedState.PASS
    return NeedState.FAIL if log_threshold - mean >= Z_NEED * card_sd and not at_least else NeedState.UNCLEAR


def widen_fallback(sd: Any) -> Any:
    """Return the standard deviation of the leading ability if only its fallback was measured, with deviation `sd`."""
    return (sd * sd + FALLBACK_SD**2) ** 0.5


def order_key(mean: Any, sd: Any) -> Any:
    """Return the number by which models are ordered, the highest first."""
    return mean - sd / 2


def chance_of_better(mean: float, sd: float, other_mean: float, other_sd: float) -> float:
    """Return the probability that a model is better than another one; .5 if both are equal."""
    spread = math.hypot(sd, other_sd)
    gap = mean - other_mean
    z = gap / spread if spread else math.copysign(math.inf, gap) if gap else 0.0
    return (1 + math.erf(z / math.sqrt(2))) / 2


def share_places(means: Floats, sds: Floats, failed: Mask) -> Index:
    """Return the rank of each model, from 1. Models must be in order, those that failed a need last.

    Models share a rank until one of them is worse than the first with P >= .8, or fails a need that the first passes.
    """
    places = np.ones(len(means), dtype=np.int64)
    first = 0
    while first < len(means):
        places[first:] = first + 1
        surely_worse = means[first] - means[first:] >= Z_PLACE * np.hypot(sds[first], sds[first:])
        ends = np.flatnonzero(
            (surely_worse & (means[first:] < means[first])) | (failed[first:] != failed[first])
        )
        first = first + int(ends[0]) if ends.size else len(means)
    return places
