"""Which silicons of a model have a share of its cards that counts, and by which of them it is ranked."""

from collections.abc import Mapping

from submissions.domain.judgement.parameters import DEFAULTS, Parameters


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
