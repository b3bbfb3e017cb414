"""What a flag rests on, as frozen values, and when a flag is taken back. `evidence.flag_words` puts them into words."""

from dataclasses import dataclass

from submissions.domain.judgement.parameters import DEFAULTS, Parameters


@dataclass(frozen=True, slots=True)
class Difference:
    """Two silicons of one model in one figure. Pairs are (faster, slower); ratios with their 95 % interval.

    `firm_ratio`: what is left between medians, one voice per submitter, without the fastest submitter of the faster and
    the slowest of the slower. `p_value` is that of the figure alone, `joint_p_value` that of all figures of the two
    together, which a flag rests on.
    """

    figure: str
    faster: int
    slower: int
    cards: tuple[int, int]
    submitters: tuple[int, int]
    ratio: float
    lower_ratio: float
    upper_ratio: float
    firm_ratio: float
    p_value: float
    joint_p_value: float | None = None


@dataclass(frozen=True, slots=True)
class Scatter:
    """Cards no register tells apart. `span_ratio`: 90th over 10th percentile; `strength`: variance over the usual."""

    figure: str
    cards: int
    span_ratio: float
    strength: float
    p_value: float


def stays(
    flagged_at_cards: int, *, cards: int, lower_ratio: float, parameters: Parameters = DEFAULTS
) -> bool:
    """Whether a flag that would not be raised again stays: until more cards came and they speak against it."""
    more = cards - flagged_at_cards
    return more < parameters.cards_to_clear or lower_ratio >= parameters.least_lower_ratio
