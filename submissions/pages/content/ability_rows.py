"""The abilities of a model: in one slot, as rows of a table, and on the reference host, where no slot limits them."""

from collections.abc import Iterator
from typing import NamedTuple

from submissions.domain.identity.promises import Reached
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice, NeedResult
from submissions.domain.ranking.boards import Board
from submissions.models import AbilityEstimate, CardModel
from submissions.pages import wording
from submissions.pages.content import advice_words
from submissions.pages.content.advice_words import NeedMark


class AbilityRow(NamedTuple):
    """An ability in words. `need`: the mark of the use's need, None if it needs nothing of it; `needed`: how much."""

    title: str
    value: AbilityValue
    amount: str
    interval: str
    origin: str
    proof: str
    difference: str
    need: NeedMark | None
    needed: str


def make_rows(advice: Advice, board: Board) -> tuple[AbilityRow, ...]:
    """Make a row for each ability that was measured, those that the use asks for first."""
    needs = {result.need.ability: result for result in advice.needs}
    every = dict.fromkeys((*advice.use.abilities, *ABILITIES))
    names = [name for name in every if name in advice.abilities]
    return tuple(_make_row(advice.abilities[name], board, needs.get(name)) for name in names)


def _make_row(value: AbilityValue, board: Board, result: NeedResult | None) -> AbilityRow:
    return AbilityRow(
        title=value.row.title,
        value=value,
        amount=advice_words.describe_amount(value),
        interval=advice_words.describe_interval(value),
        origin=advice_words.describe_origin(value, board),
        proof=advice_words.describe_proof(value),
        difference=advice_words.explain_difference(value),
        need=advice_words.mark_need(result) if result else None,
        needed=wording.amount(result.need.threshold, value.row.base_unit) if result else "",
    )


def load_estimates(model: CardModel) -> dict[str, AbilityEstimate]:
    """Load the abilities of a model on the reference host; one query."""
    return {row.ability: row for row in AbilityEstimate.objects.filter(card_model=model, variant=None)}


def convert_estimates(estimates: dict[str, AbilityEstimate]) -> dict[str, Reached]:
    """Return the value and the 95 % interval of each ability in its base unit, on the reference host."""
    return dict(_convert_estimates(estimates))


def _convert_estimates(estimates: dict[str, AbilityEstimate]) -> Iterator[tuple[str, Reached]]:
    for name, row in estimates.items():
        yield name, Reached(row.value, *row.find_interval(row.sd), not row.level_known)
