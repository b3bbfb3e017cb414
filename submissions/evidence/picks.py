"""Three answers of a ranking: the best card, the cheapest that is enough, and the best proven one."""

from collections.abc import Iterable, Iterator

from submissions.models import CardModel, Score
from submissions.models.ranking import ScoreQuerySet

# A score of so much is just enough for its purpose.
ENOUGH = 100.0


def find_picks(first: Iterable[Score], listed: ScoreQuerySet) -> Iterator[tuple[str, Score]]:
    """Yield ("best" | "cheapest" | "proven", score) of the first scores and of all; two queries at most."""
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
