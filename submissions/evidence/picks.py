"""Pick three cards of a ranking: the best, the cheapest that is good enough, and the best that many people tested."""

from collections.abc import Iterable, Iterator

from submissions.domain.ranking.uses import Use
from submissions.models import CardModel, Performance, Score
from submissions.models.performance import PerformanceQuerySet
from submissions.models.ranking import ScoreQuerySet

# A card with this score is just good enough for the purpose.
ENOUGH = 100.0
# Fewer people prove nothing.
_LEAST_PEOPLE = 2


def choose_picks(
    first: Iterable[Performance], listed: PerformanceQuerySet, use: Use
) -> Iterator[tuple[str, Performance]]:
    """Yield (title, performance) for "best", "cheapest" and "tested"; two queries at most.

    The best one is chosen among the `first`, in their order; the others pass every need and are chosen among all that
    are `listed`.
    """
    best = next((row for row in first if _may_be_best(row, use)), None)
    if best is None:
        return
    yield "best", best
    if cheapest := listed.cheapest(use):
        yield "cheapest", cheapest
    tested = listed.most_tested(use)
    if tested and _count_people(tested, use) >= _LEAST_PEOPLE:
        yield "tested", tested


def _may_be_best(row: Performance, use: Use) -> bool:
    advice = row.make_advice(use, place=None)
    return _is_sound(row.card_model) and not advice.lost_data and not advice.fails_need


def _count_people(row: Performance, use: Use) -> int:
    leading = row.make_advice(use, place=None).leading
    return leading.people if leading else 0


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
