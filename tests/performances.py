"""Store performances of models for tests, as the package `writing` stores them."""

import math
from typing import Any

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.catalogue import log_value
from submissions.domain.ranking.proof import Proof
from submissions.models import CardModel, Performance


def add_performance(
    name: str,
    slot: str,
    values: dict[str, float],
    *,
    sd: float = 0.1,
    origin: str = "here",
    people: int = 2,
    at_least: bool = False,
    **marks: Any,
) -> Performance:
    """Store a model with these values, in base units, in a slot (a device or bus); `marks` are columns of the model."""
    slug = name.lower().replace(" ", "-")
    named: dict[str, Any] = {"slug": slug, "name": name, "named_from": CardModel.NamedFrom.LABEL}
    named |= {"brand": "B", "line": name, "is_sold": True, "product_count": 1}
    model, _ = CardModel.objects.get_or_create(slug=slug, defaults=named | marks)
    logs = [log_value(ability, values[ability]) if ability in values else None for ability in ABILITIES]
    spread = math.exp(1.96 * sd)
    proof = int(Proof.CONFIRMED if people > 1 else Proof.SOURCE)
    of_voices = {name: people for name in ("cards", "people", "known_people", "runs", "voices")}
    return Performance.objects.create(
        card_model=model,
        simulated=model.simulated,
        slot=slot,
        means=logs,
        sds=[None if log is None else sd for log in logs],
        card_sds=[None if log is None else 2 * sd for log in logs],
        proofs=[None if log is None else proof for log in logs],
        at_least=[None if log is None else at_least for log in logs],
        origins=[0 if log is None else 2 if origin == "here" else 1 for log in logs],
        abilities={
            ability: {
                "value": value,
                "lower": value / spread,
                "upper": value * spread,
                "origin": origin,
                "at_least": at_least,
                "median": value,
                **of_voices,
                "proof": proof,
            }
            for ability, value in values.items()
        },
    )
