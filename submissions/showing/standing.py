"""The first sentence of a ranking: which model is best, and which ones nobody can tell from it yet."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement import comparison
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.models import Score


@dataclass(frozen=True, slots=True)
class Answer:
    """`peers`: those listed behind the best that are not clearly worse."""

    best: Score
    peers: tuple[Score, ...]

    @property
    def is_early(self) -> bool:
        return self.best.state == "early"


def answer(listed: Sequence[Score]) -> Answer | None:
    """Of scores for one purpose and slot, the best first; None of an empty list."""
    if not listed:
        return None
    best, others = listed[0], listed[1:]
    chances = better_than(best, others)
    peers = (one for one, chance in zip(others, chances, strict=True) if chance < DEFAULTS.tie_probability)
    return Answer(best, tuple(peers))


def better_than(one: Score, others: Sequence[Score]) -> list[float]:
    """Probability that one model is better than each of the others, for the same purpose and slot."""
    means, sds = (np.array([getattr(score, name) for score in others]) for name in ("log_value", "log_sd"))
    own = np.full(len(others), one.log_value), np.full(len(others), one.log_sd)
    found: list[float] = comparison.better(*own, other_mean=means, other_sd=sds).tolist()
    return found
