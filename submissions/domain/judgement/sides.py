"""Cards of a model by the silicon inside: the sides that are compared, one figure at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from submissions.domain.judgement import columns, moderation, robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.crowd import Spreads
from submissions.domain.judgement.estimates import Estimates
from submissions.domain.judgement.robust import Floats, Index, Mask


@dataclass(frozen=True, slots=True, eq=False)
class CardFacts:
    """Cards from 0. `signature`: number of the silicon within all silicons, -1 where no register tells;
    `submitter`: who measured the card first; `trusted`: whether that person is (see `reputation`); by default
    everybody."""

    model: Index
    signature: Index
    submitter: Index
    trusted: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        if not len(self.trusted):
            object.__setattr__(self, "trusted", np.ones(len(self.model), dtype=bool))

    def filed(self, group: Index) -> "CardFacts":
        """The same cards under other models. `group`: the new one of each, -1 for a card that is left out."""
        kept = group >= 0
        return CardFacts(group[kept], self.signature[kept], self.submitter[kept], self.trusted[kept])

    @property
    def models(self) -> int:
        """How many models there are room for."""
        return int(self.model.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One figure of these cards: log value on the reference host (nan: not measured, or a link was the limit),
    variance of one such value as a draw from its model, how much of the card counts, and how many runs are behind it
    (0: not measured)."""

    value: Floats
    variance: Floats
    scale: Floats
    runs: Index


def values_of(cells: Cells, estimates: Estimates, spreads: Spreads) -> Values:
    """The cards of a fitted figure. One that a link limited is left out: how fast it is cannot be compared."""
    count = len(estimates.card_value)
    return Values(
        value=np.where(estimates.card_hidden, np.nan, estimates.card_value),
        variance=spreads.card**2 + 1 / np.maximum(estimates.card_precision, 1e-12),
        scale=estimates.card_scale,
        runs=robust.sums(cells.card, cells.runs.astype(np.float64), count=count).astype(np.int64),
    )


def side_by_side(cards: CardFacts, figures: Sequence[Values]) -> tuple[CardFacts, Values]:
    """All figures as one, of as many models and cards as all of them have together: of few, that is several times as
    quick. One figure knows nothing of another."""
    every = [replace(cards, model=cards.model + at * cards.models) for at in range(len(figures))]
    return columns.joined(every), columns.joined(figures)


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Some cards by side: the number of each, and of its side; and `model` and `signature` of each side."""

    card: Index
    side: Index
    model: Index
    signature: Index

    @classmethod
    def of(cls, cards: CardFacts, keep: Mask) -> "Grouping":
        card = np.flatnonzero(keep)
        first, side = robust.numbered(cards.model[card], cards.signature[card])
        return cls(card, side, cards.model[card][first], cards.signature[card][first])

    def __len__(self) -> int:
        return len(self.model)

    def of_each(self, cards: CardFacts, number: int) -> "Grouping":
        """These sides once for each of so many figures, of cards that are `side_by_side`."""
        place = np.arange(number)[:, None]
        return Grouping(
            (self.card + place * len(cards.model)).ravel(),
            (self.side + place * len(self)).ravel(),
            (self.model + place * cards.models).ravel(),
            np.tile(self.signature, number),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """One figure of the sides of a grouping: the cards that have a value and their sides; per side how many they are
    and their robust centre; per model, relative to what was expected, the variance within its sides."""

    card: Index
    side: Index
    number: Index
    groups: moderation.Groups
    variance: Floats
    freedom: Floats


def sides(grouping: Grouping, cards: CardFacts, values: Values, *, cut: float) -> Sides:
    """Residuals are cut at `cut` spreads where the variance is taken."""
    with_value = np.isfinite(values.value[grouping.card])
    card, side, count = grouping.card[with_value], grouping.side[with_value], len(grouping)
    groups = moderation.centres(
        side, values.value[card], values.variance[card], values.scale[card], count=count
    )
    number = robust.counts(side, count=count)
    variance, freedom = moderation.variances(
        cards.model[card],
        groups.residual,
        values.scale[card],
        robust.counts(grouping.model[number > 0], count=cards.models),
        count=cards.models,
        cut=cut,
    )
    return Sides(card, side, number, groups, variance, freedom)
