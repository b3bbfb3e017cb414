"""Variance components that cannot collapse: how far things scatter, from deviations known more or less well.

    raw_j ~ N(0, s² + v_j)     score of s²: Σ (min(q_j, k²) / c - 1) / (s² + v_j) + nu (usual² / s² - 1) / s²

with q_j = raw_j² / (s² + v_j). The sum is the score of the restricted likelihood, bounded so that odd deviations count
little (Huber's proposal 2; c makes it right for a normal). The rest is a prior, scaled inverse chi², that weighs as
much as `nu` deviations: of three brands, or of twenty models, nobody can tell that they do not differ at all.
"""

from functools import cache

import numpy as np

from submissions.domain.judgement import distributions
from submissions.domain.judgement.robust import Floats

# Deviations further than so many spreads count as if they were as far as that.
_CUT = 1.5
_LEAST, _MOST, _STEPS = 0.005, 5.0, 18
# So many deviations tell a spread well enough; of more, every second, third ... is looked at.
_ENOUGH = 8_000


@cache
def _usual() -> float:
    """c: what a normal deviation comes to, squared and cut."""
    outside = distributions.ndtr(-_CUT)
    return float(1 - 2 * outside * (1 - _CUT**2) - 2 * _CUT * np.exp(-(_CUT**2) / 2) / np.sqrt(2 * np.pi))


def spread(
    raw: Floats, sampling: Floats, *, usual: float, freedom: float, share: Floats | float = 1.0
) -> float:
    """s: how far things scatter by themselves. `sampling`: variance v of each raw deviation; `share`: how much of a
    deviation is its own (n - 1 of n, where it is from the mean of n); `usual` and `freedom`: the prior."""
    step = len(raw) // _ENOUGH + 1
    squared, sampling = raw[::step] ** 2, sampling[::step]
    weight = np.broadcast_to(np.asarray(share, dtype=np.float64), raw.shape)[::step] * step
    low, high = np.log(_LEAST), np.log(_MOST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        variance = float(np.exp(2 * middle))
        total = variance + sampling
        score = weight * (np.minimum(squared / total, _CUT**2) / _usual() - 1) / total
        if score.sum() + freedom * (usual**2 / variance - 1) / variance > 0:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))
