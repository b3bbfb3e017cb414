"""Number the abilities and methods for the estimation: the rows of abilities.csv and figures.csv, in their order."""

import math
from functools import cache

from submissions.domain.estimation.evidence import Ability, Catalogue
from submissions.domain.measuring import metrics
from submissions.domain.measuring.metrics import ABILITIES, FIGURES, NUMBER_OF_ABILITY


@cache
def make_catalogue() -> Catalogue:
    """Return the catalogue of all abilities; each figure is a method that measures one of them."""
    return Catalogue(
        abilities=tuple(map(_describe, ABILITIES.values())),
        methods=tuple(FIGURES),
        ability_of_method=tuple(NUMBER_OF_ABILITY[figure.ability] for figure in FIGURES.values()),
    )


def _describe(ability: metrics.Ability) -> Ability:
    level = log_value(ability.name, ability.typical)
    is_read = any(not figure.writes for figure in FIGURES.values() if figure.ability == ability.name)
    return Ability(
        *(ability.name, ability.is_linked, ability.slot, level, ability.spread, is_read, ability.queue_of)
    )


def log_value(ability: str, value: float) -> float:
    """Return the natural log of a value in its base unit, more is better. Raise ValueError for zero and less."""
    return ABILITIES[ability].sign * math.log(value)


def base_value(ability: str, log: float) -> float:
    """Return a value in its base unit; the inverse of `log_value`."""
    return math.exp(ABILITIES[ability].sign * log)
