"""Is one better than the other? Probabilities, bands of what cannot be told apart, and variants that count."""

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.robust import Floats, Index


def better(mean: Floats, sd: Floats, *, other_mean: Floats, other_sd: Floats) -> Floats:
    """P(A > B) of independent normal estimates of log values: Phi((mA - mB) / sqrt(sA² + sB²))."""
    probability: Floats = ndtr((mean - other_mean) / np.hypot(sd, other_sd))
    return probability


def bands(mean: Floats, sd: Floats, parameters: Parameters = DEFAULTS) -> Index:
    """Number of the band of each, best first from 0. Who follows the head of a band stays in it until the head is
    better with the probability of a tie."""
    band = np.zeros(len(mean), dtype=np.int64)
    order = np.lexsort((np.arange(len(mean)), -mean))
    number, head = -1, -1
    for one in order.tolist():
        if head < 0 or _clearly_behind(mean, sd, head, one, parameters):
            number, head = number + 1, one
        band[one] = number
    return band


def _clearly_behind(mean: Floats, sd: Floats, head: int, one: int, parameters: Parameters) -> bool:
    ahead = better(mean[[head]], sd[[head]], other_mean=mean[[one]], other_sd=sd[[one]])
    return bool(ahead[0] >= parameters.tie_probability)


def worst_substantial(
    cards: Mapping[int, int], values: Mapping[int, float], parameters: Parameters = DEFAULTS
) -> int:
    """The variant a flagged model is ranked by: the lowest value among those with a share of the cards that counts.

    `cards`: variant -> number of cards, `values`: variant -> value. Raises ValueError when there is none.
    """
    counting = substantial(cards, parameters)
    if not counting:
        raise ValueError("no variant has a share of the cards that counts; is the model without cards?")
    return min(counting, key=lambda variant: (values[variant], variant))


def substantial(cards: Mapping[int, int], parameters: Parameters = DEFAULTS) -> list[int]:
    """Variants with a share of the cards that counts. `cards`: variant -> number of cards."""
    total = sum(cards.values())
    return [variant for variant, count in cards.items() if count >= parameters.substantial * total > 0]
