"""Find cards that read much faster than a board can use."""

from typing import NamedTuple

from submissions.domain.measuring import units
from submissions.domain.ranking import interfaces
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Performance
from submissions.models.performance import ORDERS
from submissions.pages import wording

ABILITY = "large_reads"
_BEST = 100
_MOST = 10
# The slot takes at least a sixth of the speed away.
_FACTOR = 1.2


class Wasted(NamedTuple):
    """Bytes per second that a card reads `here`, and `elsewhere`, in the fastest slot."""

    model: CardModel
    here: float
    elsewhere: float

    @property
    def factor(self) -> float:
        return self.elsewhere / self.here

    @property
    def words(self) -> tuple[str, str]:
        """Return both speeds with their units."""
        here, elsewhere = (wording.amount(speed, units.RATE) for speed in (self.here, self.elsewhere))
        return here, elsewhere


def find_wasted(wish: Wish) -> list[Wasted]:
    """Return the cards for a use that a board slows down most when they read large files; two queries."""
    fastest = Performance.objects.filter(slot=interfaces.FASTEST, simulated=False)
    reading = fastest.filter(**{f"abilities__{ABILITY}__isnull": False}).with_models()
    best = {row.card_model_id: row for row in reading.order_by(*ORDERS[ABILITY][:1])[:_BEST]}
    here = Performance.objects.wanted(wish).filter(card_model__in=list(best))
    both = [(row.abilities[ABILITY], best[row.card_model_id]) for row in here if ABILITY in row.abilities]
    every = [Wasted(row.card_model, own["value"], row.abilities[ABILITY]["value"]) for own, row in both]
    slowed = [wasted for wasted in every if wasted.factor >= _FACTOR]
    return sorted(slowed, key=lambda wasted: -wasted.factor)[:_MOST]
