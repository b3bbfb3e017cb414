"""Order of models for a use, from estimates of their abilities in one slot.

Estimates are natural logs, more is better, normally distributed. A need is passed if P(one card >= threshold) is at
least .9, failed if it is at most .1. Models are ordered by mean - sd / 2 of the leading ability, so that of two equal
estimates the surer one comes first; those that fail a need come after all others. A place is shared as long as the
first model that has it is better with P < .8:

    P(first better) = Phi((mean1 - mean2) / sqrt(sd1^2 + sd2^2))

A model that was measured by the fallback of the leading ability only has a wider spread: how far two ways of
measuring one quantity usually lie apart (0.3, the prior of methods in domain/estimation).
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
    """Groups of models in a list, in this order; only those that pass or fail needs have places.

    UNPROVEN: a single stranger reports it. EXCLUDED: by a gate.
    """

    PASSING = 0
    FAILING = 1
    UNPROVEN = 2
    EXCLUDED = 3


class NeedState(StrEnum):
    """Whether a card passes a need."""

    PASS = "pass"
    FAIL = "fail"
    UNCLEAR = "unclear"
    NOT_MEASURED = "not_measured"


def judge_need(
    mean: float | None, card_sd: float | None, log_threshold: float, *, at_least: bool = False
) -> NeedState:
    """Return whether a single card passes a need; `at_least` if links hid how much better it is than `mean`."""
    if mean is None or card_sd is None:
        return NeedState.NOT_MEASURED
    if mean - log_threshold >= Z_NEED * card_sd:
        return NeedState.PASS
    return NeedState.FAIL if log_threshold - mean >= Z_NEED * card_sd and not at_least else NeedState.UNCLEAR


def widen_fallback(sd: Any) -> Any:
    """Return the standard deviation for the leading ability, when only its fallback was measured, with this one."""
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
    """Return the place of each model, from 1; models are in order, and those that failed come last.

    Models share a place until one of them is worse than the first with P >= .8, or fails a need that the first passes.
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
