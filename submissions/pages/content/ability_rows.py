"""Make the table of a model's abilities in a slot, and load abilities on the reference host, which no slot limits."""

from collections.abc import Mapping
from typing import NamedTuple

from submissions.domain.identity.promises import Reached
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice, NeedResult
from submissions.models import AbilityEstimate, CardModel
from submissions.pages import wording
from submissions.pages.content import advice_words
from submissions.pages.content.advice_words import NeedMark


class AbilityRow(NamedTuple):
    """An ability of a model in words. `value` is None if it was not measured.

    `best`: the value of the best card, "" if unknown. `need`: the mark of the need (requirement) of the use, None if it
    has no need of this ability; `needed`: the threshold of the need.
    """

    title: str
    value: AbilityValue | None
    amount: str
    interval: str
    origin: str
    proof: str
    difference: str
    need: NeedMark | None
    needed: str
    best: str


def make_rows(advice: Advice, best: Mapping[str, float]) -> dict[str, list[AbilityRow]]:
    """Return rows of a model's abilities: `asked` for by the use, measured or not, and `others` that were measured.

    `best`: ability -> value of the best card in the slot, in base units.
    """
    needs = {result.need.ability: result for result in advice.needs}
    asked = advice.use.abilities
    others = [name for name in ABILITIES if name in advice.abilities and name not in asked]

    return {
        kind: [_make_row(name, advice, needs.get(name), best.get(name)) for name in names]
        for kind, names in (("asked", asked), ("others", others))
    }


def _make_row(name: str, advice: Advice, result: NeedResult | None, best: float | None) -> AbilityRow:
    value, unit = advice.abilities.get(name), ABILITIES[name].base_unit
    return AbilityRow(
        title=ABILITIES[name].title,
        value=value,
        amount=advice_words.describe_amount(value) if value else "–",
        interval=advice_words.describe_interval(value) if value else "",
        origin=advice_words.describe_origin(value, advice.board),
        proof=advice_words.describe_proof(value) if value else "",
        difference=advice_words.explain_difference(value) if value else "",
        need=advice_words.mark_need(result) if result else None,
        needed=wording.amount(result.need.threshold, unit) if result else "",
        best=wording.amount(best, unit) if best is not None else "",
    )


def load_estimates(model: CardModel) -> dict[str, AbilityEstimate]:
    """Return the estimates of a model's abilities on the reference host, by ability; one query."""
    return {row.ability: row for row in AbilityEstimate.objects.filter(card_model=model, variant=None)}


def convert_estimates(estimates: dict[str, AbilityEstimate]) -> dict[str, Reached]:
    """Return value and 95 % interval of each ability in its base unit, from estimates on the reference host."""
    return {
        name: Reached(row.value, *row.find_interval(row.sd), not row.level_known)
        for name, row in estimates.items()
    }
