"""Pick three cards of a ranking: the best, the cheapest that is good enough, and the best that many people tested."""

from collections.abc import Iterable, Iterator

from submissions.models import CardModel, Score
from submissions.models.ranking import ScoreQuerySet

# A card with this score is just good enough for the purpose.
ENOUGH = 100.0


def find_picks(first: Iterable[Score], listed: ScoreQuerySet) -> Iterator[tuple[str, Score]]:
    """Yield (title, score) for "best", "cheapest" and "proven"; two queries at most.

    The best one is chosen among the `first` scores, the others among all that are `listed`.
    """
    best = next((score for score in first if _is_sound(score.card_model)), None)
    if best is None:
        return
    yield "best", best
    if cheapest := listed.cheapest(least=ENOUGH):
        yield "cheapest", cheapest
    if proven := best if best.state == "solid" and best.bound >= ENOUGH else listed.best_proven(least=ENOUGH):
        yield "proven", proven


def _is_sound(model: CardModel) -> bool:
    return model.is_product and not model.varies and not model.suspicious_cards
