"""Build stored values and advice by hand, for tests of the pages and of the API."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking import boards, catalogue, uses
from submissions.domain.ranking.advice import AbilityValue, Advice, Place, SlotValues, make_advice
from submissions.domain.ranking.gates import ModelFacts
from submissions.domain.ranking.proof import Proof

CARD_SD = 0.2


def ability(name: str, value: float, **changes: Any) -> AbilityValue:
    """Return the value of an ability in its base unit, measured on one card by one person with a record."""
    columns: dict[str, Any] = {
        "lower": value / 1.5, "upper": value * 1.5, "origin": "here", "at_least": False, "median": value,
        "cards": 1, "people": 1, "known_people": 1, "runs": 1, "voices": 1, "proof": int(Proof.SOURCE),
    }  # fmt: skip
    return AbilityValue(ability=name, value=value, **columns | changes)


def slot_values(values: Mapping[str, float], **changes: Any) -> SlotValues:
    """Return the stored values of a model in one slot (a device or bus), from a value per ability in its base unit."""
    abilities = {name: asdict(ability(name, value, **changes)) for name, value in values.items()}
    for columns in abilities.values():
        del columns["ability"]
    means = [catalogue.log_value(name, values[name]) if name in values else None for name in ABILITIES]
    return SlotValues(abilities, means, [CARD_SD if mean is not None else None for mean in means])


def advice_on(
    values: Mapping[str, float],
    *,
    use: str = "pi-root",
    board: str = "raspberry-pi-5",
    place: Place | None = None,
    facts: ModelFacts | None = None,
    **changes: Any,
) -> Advice:
    """Return the advice on a model with these values, for a use on a board."""
    stored = slot_values(values, **changes)
    chosen = boards.find(board), uses.find_use(use)
    return make_advice(*chosen, facts or ModelFacts(), stored, place=place)
