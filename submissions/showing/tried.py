"""How much of what is written to the cards of a model they keep, in sentences: capacities that were tried out."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from submissions import wording
from submissions.models import Measurement


@dataclass(frozen=True, slots=True)
class Tried:
    """`short`: less was kept than the card announces."""

    words: str
    short: bool = True


def tried(measurements: Iterable[Measurement]) -> tuple[Tried, ...]:
    """Each card counts once, by what was found last; of the same sentences one is enough."""
    last = {one.run.card_id: one for one in measurements}
    return tuple(dict.fromkeys(_tried(one) for one in last.values()))


def _tried(one: Measurement) -> Tried:
    announced = one.run.card.variant.capacity_bytes
    if one.value is None:
        return Tried(_("A card that was written and read again kept nothing."))
    said = {"kept": _gigabytes(one.value), "announced": _gigabytes(announced or 0)}
    if one.parameters.get("capacity_kind") == "good":
        return Tried(
            _("A card that was written and read again kept all of it: %(kept)s.") % said, short=False
        )
    if announced:
        return Tried(
            _("A card that was written and read again kept %(kept)s of the %(announced)s it says it has.")
            % said
        )
    return Tried(_("A card that was written and read again kept %(kept)s and lost the rest.") % said)


def _gigabytes(size_bytes: float) -> str:
    """As capacities are printed on cards: powers of 1000."""
    return wording.localized(f"{size_bytes / 1e9:.2f} GB")
