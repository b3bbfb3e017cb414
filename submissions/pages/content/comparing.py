"""Compare two to six models for a device and a use."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.catalogue import log_value
from submissions.domain.ranking.order import order_key, share_places
from submissions.domain.ranking.wish import Wish
from submissions.evidence import places
from submissions.evidence.places import Lead
from submissions.models import CardModel
from submissions.pages import wording
from submissions.pages.content import advice_words
from submissions.pages.content.device_answers import DeviceAnswer, answer_wish
from submissions.pages.plots import of_compare
from submissions.pages.plots.figure import Plot

MOST = 6


class Duel(NamedTuple):
    """The probability that a model beats each other model; None against itself, and if either was not measured."""

    model: CardModel
    chances: tuple[tuple[CardModel, float | None], ...]


class AbilityCell(NamedTuple):
    """An ability of one model in words; `is_best`: the whole interval is better than that of every other model."""

    value: AbilityValue
    amount: str
    interval: str
    origin: str
    proof: str
    is_best: bool


class AbilityRow(NamedTuple):
    """An ability of every compared model, None if not measured; `needed`: the threshold of the use, or ""."""

    name: str
    title: str
    needed: str
    cells: tuple[AbilityCell | None, ...]

    @property
    def differs(self) -> bool:
        """Return whether one model is surely the best in this ability."""
        return any(cell and cell.is_best for cell in self.cells)


class Comparison(NamedTuple):
    """Models side by side. `best`: the model that ranks first; `peers`: models that share the first place."""

    models: tuple[CardModel, ...]
    advice: tuple[Advice, ...]
    places: tuple[str, ...]
    answers: tuple[DeviceAnswer, ...]
    best: CardModel | None
    peers: tuple[CardModel, ...]
    duels: tuple[Duel, ...]
    abilities: tuple[AbilityRow, ...]
    plot: Plot | None


def compare(models: Sequence[CardModel], wish: Wish) -> Comparison:
    """Compare models for a wish (a device and a use); two queries."""
    compared = places.load_compared(models, wish)
    advice = [one.advice for one in compared]
    leads = {one.model.pk: one.lead for one in compared if one.lead and one.advice.may_have_place}
    first = _find_first(models, advice, leads)
    return Comparison(
        models=tuple(models),
        advice=tuple(advice),
        places=tuple(advice_words.describe_place(one.place) for one in advice),
        answers=tuple(answer_wish(wish, one) for one in advice),
        best=first[0] if first else None,
        peers=tuple(first[1:]),
        duels=tuple(_duel(model, models, leads) for model in models),
        abilities=tuple(sorted(_list_abilities(advice, wish.board), key=lambda row: not row.differs)),
        plot=of_compare.draw_leading(list(zip(models, advice, strict=True)), wish.use),
    )


def _find_first(
    models: Sequence[CardModel], advice: Sequence[Advice], leads: Mapping[int, Lead]
) -> list[CardModel]:
    """Return the models that share the first place, but [] if fewer than two models can have a place."""
    listed = [
        (one.fails_need, leads[model.pk], model)
        for model, one in zip(models, advice, strict=True)
        if model.pk in leads and one.may_have_place and not one.gates
    ]
    if len(listed) < 2:
        return []
    listed.sort(key=lambda row: (row[0], -order_key(*row[1])))
    means, sds = np.array([lead for _, lead, _ in listed]).T
    shared = share_places(means, sds, np.array([fails for fails, _, _ in listed]))
    return [model for place, (_, _, model) in zip(shared, listed, strict=True) if place == 1]


def _duel(model: CardModel, models: Sequence[CardModel], leads: Mapping[int, Lead]) -> Duel:
    own = leads.get(model.pk)
    rivals = ((rival, leads.get(rival.pk) if rival != model else None) for rival in models)
    return Duel(
        model,
        tuple((rival, own.chance_against(other) if own and other else None) for rival, other in rivals),
    )


def _list_abilities(advice: Sequence[Advice], board: Board) -> Iterator[AbilityRow]:
    # Those that the use asks for come first.
    use = advice[0].use
    needed = {
        need.ability: wording.amount(need.threshold, ABILITIES[need.ability].base_unit) for need in use.needs
    }
    for name in dict.fromkeys((*use.abilities, *ABILITIES)):
        values = [one.abilities.get(name) for one in advice]
        if any(values):
            sound = [value for one, value in zip(advice, values, strict=True) if not one.is_excluded]
            cells = tuple(_make_cell(value, sound, board) if value else None for value in values)
            yield AbilityRow(name, ABILITIES[name].title, needed.get(name, ""), cells)


def _make_cell(value: AbilityValue, values: Sequence[AbilityValue | None], board: Board) -> AbilityCell:
    others = [other for other in values if other and other is not value] if value in values else []
    worst, _best = _log_ends(value)
    return AbilityCell(
        value=value,
        amount=advice_words.describe_amount(value),
        interval=advice_words.describe_interval(value),
        origin=advice_words.describe_origin(value, board),
        proof=advice_words.describe_proof(value),
        is_best=bool(others) and all(not other.at_least and worst > _log_ends(other)[1] for other in others),
    )


def _log_ends(value: AbilityValue) -> tuple[float, float]:
    worst, best = sorted(log_value(value.ability, end) for end in (value.lower, value.upper))
    return worst, best
