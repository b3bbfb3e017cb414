"""How the cells of some models hang together, and the arrays a fit of them works on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.cells import Cells
from submissions.domain.judgement.crowd import Expected, Spreads
from submissions.domain.judgement.parameters import Parameters
from submissions.domain.judgement.robust import Floats, Index, Mask

_PER_MODEL, _PER_PLACE = ("mean", "precision"), ("said", "heard", "shared")


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """How cells hang together. `stake`: the group (model, submitter) of each cell, `stake_model` its model,
    `stake_cards` its number of cards, `stake_belief` what the submitter weighs in it; `place`: the group (model, host)
    of each cell, `place_model` its model, `place_first` its first cell; `card_model` is 0 for a card without cells,
    which weighs nothing."""

    cells: Cells
    models: int
    cards: int
    card_model: Index
    stake: Index
    stake_model: Index
    stake_cards: Index
    stake_belief: Floats
    place: Index
    place_model: Index
    place_first: Index

    @classmethod
    def of(cls, cells: Cells, *, models: int, cards: int) -> "Layout":
        card_model = np.zeros(cards, dtype=np.int64)
        card_model[cells.card] = cells.model
        if (card_model[cells.card] != cells.model).any():
            raise ValueError("a card belongs to two models; give each card one model before judging")
        first, stake = robust.numbered(cells.model, cells.submitter)
        one_each, _ = robust.numbered(stake, cells.card)
        held = robust.counts(stake[one_each], count=len(first))
        at, place = robust.numbered(cells.model, cells.host)
        stakes = (stake, cells.model[first], held, cells.belief[first])
        return cls(cells, models, cards, card_model, *stakes, place, cells.model[at], at)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """What the host of each place adds, as far as the rest of the crowd tells: `effect`, and its `variance`."""

    effect: Floats
    variance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Variances:
    """`cell`: variance of each cell about its card; `card`: of each card about its model; `cap`: what one submitter may
    weigh, per stake."""

    cell: Floats
    card: Floats
    cap: Floats

    @classmethod
    def of(
        cls, layout: Layout, cell: Floats, figures: Sequence[Spreads], parameters: Parameters
    ) -> "Variances":
        """`figures`: one after the other in the layout, each with as many models and cards as any other.

        Who brings suspiciously many cards of one model may weigh less.
        """
        crowded = layout.stake_cards >= parameters.crowded_cards
        share = np.where(crowded, parameters.crowded_share, 1.0)
        perfect = np.repeat([spreads.perfect_card() for spreads in figures], layout.models // len(figures))
        return cls(
            cell,
            np.repeat([spreads.card**2 for spreads in figures], layout.cards // len(figures)),
            parameters.submitter_cap * perfect[layout.stake_model] * share,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FitState:
    """Where the fit of some models stands between two sweeps. Per model `mean` and `precision` (what the cards tell of
    it, without the market); per place `said` (log value of its cards there, the host still in it), `heard` (precision
    of that, P above) and `shared` (what the host adds for this model); per card `value` on the reference host,
    `effect` (its shrunk distance from the mean), `trust` (t weight), `weight` (precision of its value on its hosts),
    `scale` (what the submitter cap leaves of it), `alone` (its share once its hosts are shared with other cards) and
    `vote` (its part of `precision`)."""

    mean: Floats
    precision: Floats
    said: Floats
    heard: Floats
    shared: Floats
    value: Floats
    effect: Floats
    trust: Floats
    weight: Floats
    scale: Floats
    alone: Floats
    vote: Floats


class Part:
    """Some models of a layout, with all that is theirs: masks of its cells, cards, stakes and places."""

    def __init__(self, layout: Layout, models: Mask) -> None:
        self._whole, self._model = layout, models
        self.cell = models[layout.cells.model]
        self.card = models[layout.card_model]
        self.stake = models[layout.stake_model]
        self.place = models[layout.place_model]

    def layout(self) -> Layout:
        """They alone, numbered from 0 in the same order."""
        whole = self._whole
        model, card, stake, place = (
            np.cumsum(mask) - 1 for mask in (self._model, self.card, self.stake, self.place)
        )
        cells = whole.cells.where(self.cell)
        return Layout(
            replace(cells, model=model[cells.model], card=card[cells.card]),
            models=int(self._model.sum()),
            cards=int(self.card.sum()),
            card_model=model[whole.card_model[self.card]],
            stake=stake[whole.stake[self.cell]],
            stake_model=model[whole.stake_model[self.stake]],
            stake_cards=whole.stake_cards[self.stake],
            stake_belief=whole.stake_belief[self.stake],
            place=place[whole.place[self.cell]],
            place_model=model[whole.place_model[self.place]],
            place_first=whole.place_first[self.place],
        )

    def around(
        self, market: Expected, field: Field, variances: Variances
    ) -> tuple[Expected, Field, Variances]:
        model, place = self._model, self.place
        return (
            Expected(market.mean[model], market.precision[model]),
            Field(field.effect[place], field.variance[place]),
            Variances(variances.cell[self.cell], variances.card[self.card], variances.cap[self.stake]),
        )

    def _mask(self, name: str) -> Mask:
        return self._model if name in _PER_MODEL else self.place if name in _PER_PLACE else self.card

    def of(self, fit: FitState) -> FitState:
        return FitState(*(getattr(fit, name)[self._mask(name)] for name in FitState.__slots__))

    def put(self, part: FitState, whole: FitState) -> FitState:
        """The whole fit with this part of it in its place."""
        for name in FitState.__slots__:
            getattr(whole, name)[self._mask(name)] = getattr(part, name)
        return whole
