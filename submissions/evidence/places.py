"""Load the places (ranks) of models for a use on a board, the same on every page, in the API and in the mirror."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from submissions.domain.measuring.metrics import NUMBER_OF_ABILITY
from submissions.domain.ranking.advice import Advice, Place, make_advice
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.order import Group, chance_of_better, share_places, widen_fallback
from submissions.domain.ranking.uses import Use
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Performance
from submissions.models.performance import ORDERS
from submissions.sql.snapshot import keep_results

# About as many as there are slots and uses.
_MOST_KEPT = 32


class Places(NamedTuple):
    """The places (ranks) of models by id, the best first; `listed`: the ids of all models in the ranking, in its order.

    Models that a gate (such as lost data) excludes (`excluded`) have no place. Nor have models that only one person
    reports who has no record of confirmed results.
    """

    of_model: Mapping[int, Place]
    listed: tuple[int, ...] = ()
    excluded: frozenset[int] = frozenset()

    def neighbours(self, model: int, *, each_side: int = 2) -> list[int]:
        """Return the ids of a model and its neighbours in the ranking, the best first; [] if it has no place."""
        if model not in self.of_model:
            return []
        ids = list(self.of_model)
        at = ids.index(model)
        return ids[max(at - each_side, 0) : at + each_side + 1]


@keep_results(Performance, most=_MOST_KEPT)
def load_places(board: Board, use: Use, *, simulated: bool = False) -> Places:
    """Load the places of all models for a use on a board; one query, and none if nothing was written since."""
    rows = list(Performance.objects.ranking(board, use, simulated=simulated))
    listed = [row for row in rows if row[3] in (Group.PASSING, Group.FAILING)]
    means, sds, groups = (np.array([row[at] for row in listed], dtype=float) for at in (1, 2, 3))
    numbers = share_places(means, sds, groups != Group.PASSING)
    sharing = np.bincount(numbers, minlength=1)[numbers] > 1 if listed else numbers
    places = zip(listed, numbers.tolist(), sharing.tolist(), strict=True)
    of_model = {row[0]: Place(number, bool(shared), len(listed)) for row, number, shared in places}
    excluded = frozenset(row[0] for row in rows if row[3] == Group.EXCLUDED)
    return Places(of_model, tuple(row[0] for row in rows), excluded)


@keep_results(Performance, most=_MOST_KEPT)
def load_order(board: Board, use: Use, order: str) -> tuple[int, ...]:
    """Load the ids of all measured models in a named order such as “price”; one query, or none if nothing changed."""
    measured = Performance.objects.list_measured(board, use).order_by(*ORDERS[order])
    return tuple(measured.values_list("card_model_id", flat=True))


@keep_results(Performance, most=_MOST_KEPT)
def load_best_values(board: Board) -> Mapping[str, float]:
    """Load the best value of any model in the slot of a board, in base units, by ability.

    One query, and none if nothing was written since.
    """
    return Performance.objects.find_best_values(board, board.slot.abilities)


@keep_results(Performance, most=_MOST_KEPT)
def count_tested(board: Board) -> tuple[int, float | None]:
    """Return the number of models that were tested in this device, and the size of the largest, None if there is none.

    One query, and none if nothing was written since. Return (0, None) for a device without hosts of its own.
    """
    is_known = board.slot.hosts or board.slot.interface.slot
    return Performance.objects.count_tested(board) if is_known else (0, None)


class Advised(NamedTuple):
    """A model with the advice on it (values, needs met, rank) for a board and a use."""

    model: CardModel
    advice: Advice


def load_advice(model: CardModel, wish: Wish) -> Advice:
    """Load the advice on a model (values, needs met, rank) for a wish (board and use); two queries."""
    places = load_places(wish.board, wish.use, simulated=model.simulated)
    row = Performance.objects.filter(card_model=model, slot=wish.board.slot.name).first()
    return _advise(model, row, wish, places)


def load_answers(model: CardModel, wishes: Iterable[Wish]) -> list[tuple[Wish, Advice]]:
    """Load the advice on a model for each of these wishes (board and use), without places; one query."""
    rows = {row.slot: row for row in Performance.objects.filter(card_model=model)}
    return [(wish, _advise(model, rows.get(wish.board.slot.name), wish, Places({}))) for wish in wishes]


def _advise(model: CardModel, row: Performance | None, wish: Wish, places: Places) -> Advice:
    place = places.of_model.get(model.pk)
    if row is None:
        return make_advice(wish.board, wish.use, model.facts, None, place=place)
    row.card_model = model
    return row.make_advice(wish.board, wish.use, place=place)


def load_neighbours(model: CardModel, wish: Wish) -> list[Advised]:
    """Load a model and its neighbours in the ranking, the best first; [] if it has no place. Two queries."""
    places = load_places(wish.board, wish.use, simulated=model.simulated)
    ids = places.neighbours(model.pk)
    rows = Performance.objects.filter(slot=wish.board.slot.name, card_model__in=ids).with_models()
    return _advise_rows(sorted(rows, key=lambda row: ids.index(row.card_model_id)), wish, places)


def advise(rows: Iterable[Performance], wish: Wish) -> list[Advised]:
    """Return the model of each row, which must be loaded with the row, with the advice on the model; one query."""
    rows = list(rows)
    is_simulated = any(row.simulated for row in rows)
    places = load_places(wish.board, wish.use, simulated=is_simulated) if rows else Places({})
    return _advise_rows(rows, wish, places)


def _advise_rows(rows: Iterable[Performance], wish: Wish, places: Places) -> list[Advised]:
    return [Advised(row.card_model, _advise(row.card_model, row, wish, places)) for row in rows]


class Lead(NamedTuple):
    """The log of the ability by which models are ranked for a use, with its standard deviation."""

    mean: float
    sd: float

    def chance_against(self, other: "Lead") -> float:
        """Return the probability that this model is better than the other model in that ability."""
        return chance_of_better(*self, *other)


class Compared(NamedTuple):
    """A compared model with the advice on it; `lead` is None if the ability that ranks models was not measured."""

    model: CardModel
    advice: Advice
    lead: Lead | None


def load_compared(models: Sequence[CardModel], wish: Wish) -> list[Compared]:
    """Load the advice on models to be compared for a wish (board and use), in the order of `models`; two queries."""
    places = load_places(wish.board, wish.use)
    found = Performance.objects.filter(card_model__in=models, slot=wish.board.slot.name)
    rows = {row.card_model_id: row for row in found}
    return [
        Compared(model, _advise(model, row, wish, places), _find_lead(row, wish.use) if row else None)
        for model, row in ((model, rows.get(model.pk)) for model in models)
    ]


def _find_lead(row: Performance, use: Use) -> Lead | None:
    for name in use.leads:
        mean, sd = (column[NUMBER_OF_ABILITY[name]] for column in (row.means, row.sds))
        if mean is not None and sd is not None:
            return Lead(mean, sd if name == use.leading else widen_fallback(sd))
    return None
