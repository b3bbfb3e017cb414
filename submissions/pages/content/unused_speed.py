"""Cards that can do much more than a board can use."""

from typing import NamedTuple

from submissions.domain.ranking import interfaces
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.models.ranking import fitting

_BEST = 100
_MOST = 10
# A card is wasted where the slot takes a fifth of its score away.
_FACTOR = 1.2


class Wasted(NamedTuple):
    """`here`, `elsewhere`: the score in this slot, and where no slot is in the way."""

    model: CardModel
    here: Score
    elsewhere: Score

    @property
    def factor(self) -> float:
        return self.elsewhere.value / self.here.value


def on(wish: Wish) -> list[Wasted]:
    """Of the best cards of all, those the slot of this board slows most; two queries."""
    purpose = Score.objects.filter(fitting(wish.board), profile=wish.profile.name, simulated=False)
    best = list(
        purpose.filter(interface=interfaces.FASTEST)
        .select_related("card_model")
        .order_by("-bound", "card_model_id")[:_BEST]
    )
    here = {
        score.card_model_id: score
        for score in purpose.filter(
            interface=wish.board.interface.name, card_model__in=[score.card_model_id for score in best]
        )
    }
    measured = [
        Wasted(score.card_model, here[score.card_model_id], score)
        for score in best
        if score.card_model_id in here
    ]
    slowed = [score for score in measured if score.factor >= _FACTOR]
    return sorted(slowed, key=lambda score: -score.factor)[:_MOST]
