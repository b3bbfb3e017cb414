"""What people decided about names: which model a card is filed under, whatever its reports say.

A correction speaks of a model by its slug, or of one silicon under it. Corrections are followed one after the other
until one names itself, so the outcome does not depend on the order in which reports are processed.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from submissions.domain.identity import ModelName, VariantKey


@dataclass(frozen=True, slots=True)
class Correction:
    """Cards of the model `slug`, or only those with this `silicon`, belong to the model `to`."""

    slug: str
    silicon: VariantKey | None
    to: ModelName


Find = Callable[[str], Collection[Correction]]


def correct(name: ModelName, silicon: VariantKey, find: Find) -> ModelName:
    """The name people settled on for a card that its reports call `name`; `find` gives the corrections of a slug.

    Corrections that run in a circle end where they would begin to repeat.
    """
    seen: set[str] = set()
    while name.slug not in seen:
        seen.add(name.slug)
        found = _for_silicon(find(name.slug), silicon)
        if found is None:
            break
        name = found.to
    return name


def _for_silicon(corrections: Collection[Correction], silicon: VariantKey) -> Correction | None:
    """What is said of this silicon wins over what is said of the whole model."""
    fitting = [one for one in corrections if one.silicon in (silicon, None)]
    return min(fitting, key=lambda one: one.silicon is None, default=None)
