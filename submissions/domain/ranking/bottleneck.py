"""What keeps a model from scoring better in a slot: the slot itself, or the figure that falls shortest."""

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from submissions.domain.measuring import metrics, units
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.uses import Profile

# Cards are read and written to within a few percent of what a slot carries.
_AT_THE_CAP = 0.95


class Limit(NamedTuple):
    """`kind`: the slot carries no more of this figure, or the card does. `ratio`: to the reference of the profile."""

    kind: Literal["slot", "card"]
    figure: str
    ratio: float


def limit(profile: Profile, interface: Interface, figures: Mapping[str, Mapping[str, Any]]) -> Limit | None:
    """What limits a card, by its measured figures (figure -> value in its base unit, more is better); None when nothing
    was measured.

    The figure that pulls the score down most, share * log ratio, is what limits the card. It is the slot instead where
    that figure is all that the slot carries, or where no figure falls short of its reference."""
    ratios = {
        term.figure: (figures[term.figure]["value"] / term.reference, term.share)
        for term in profile.on(interface)
        if term.figure in figures and figures[term.figure]["value"] > 0
    }
    if not ratios:
        return None
    weakest = min(ratios, key=lambda figure: ratios[figure][1] * math.log(ratios[figure][0]))
    capped = [figure for figure in ratios if _at_cap(figure, figures[figure], interface)]
    if weakest in capped or (capped and ratios[weakest][0] >= 1):
        return Limit("slot", capped[0], ratios[capped[0]][0])
    return Limit("card", weakest, ratios[weakest][0])


def _at_cap(figure: str, cells: Mapping[str, Any], interface: Interface) -> bool:
    practical = interface.practical_bytes_per_second
    is_rate = metrics.FIGURES[figure].base_unit == units.RATE
    return is_rate and practical is not None and cells["value"] >= _AT_THE_CAP * practical
