"""What a flag rests on, as frozen values, and when a flag is taken back. `evidence.flag_words` puts them into words."""

from collections.abc import Sequence
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


@dataclass(frozen=True, slots=True)
class Changed:
    """The silicon changed between two months of manufacture, months counted from 0 (year * 12 + month - 1).

    `exceptions` of `cards` dated cards do not fit.
    """

    last_before: int
    first_after: int
    cards: int
    exceptions: int


def changed_in(
    before: Sequence[int], after: Sequence[int], parameters: Parameters = DEFAULTS
) -> Changed | None:
    """When one silicon followed the other, by the months of manufacture of the cards of either.

    None unless each side has enough dated cards and one month parts them with at most one exception in ten.
    """
    if min(len(before), len(after)) < parameters.cards_per_side:
        return None
    early, late = sorted((sorted(before), sorted(after)), key=lambda months: sum(months) / len(months))
    splits = sorted({*early, *late})
    wrong = {split: sum(m > split for m in early) + sum(m <= split for m in late) for split in splits}
    split = min(splits, key=lambda month: (wrong[month], month))
    cards = len(early) + len(late)
    following = [month for month in late if month > split]
    if wrong[split] * 10 > cards or not following:
        return None
    last = max((month for month in early if month <= split), default=split)
    return Changed(last, min(following), cards, wrong[split])


def stays(
    flagged_at_cards: int, *, cards: int, lower_ratio: float, parameters: Parameters = DEFAULTS
) -> bool:
    """Whether a flag that would not be raised again stays: until more cards came and they speak against it."""
    more = cards - flagged_at_cards
    return more < parameters.cards_to_clear or lower_ratio >= parameters.least_lower_ratio
