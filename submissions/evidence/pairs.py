"""How surely one model is better than another."""

from collections.abc import Sequence

import numpy as np

from submissions.domain.judgement.composite import better
from submissions.models import Score


def better_than(score: Score, others: Sequence[Score]) -> list[float]:
    """Probability that one model is better than each of the others, for the same purpose and slot."""
    means, sds = (np.array([getattr(other, name) for other in others]) for name in ("log_value", "log_sd"))
    chances: list[float] = better(score.log_value, score.log_sd, other_mean=means, other_sd=sds).tolist()
    return chances
