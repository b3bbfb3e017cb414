"""Pick three cards of a ranking: the best, the cheapest that is good enough, and the best that many people tested."""

from collections.abc import Iterable, Iterator

from submissions.domain.ranking.uses import Use
from submissions.models import CardModel, Performance
from submissions.models.performance import PerformanceQuerySet

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


def _is_sound(model: CardModel) -> bool:
    return model.is_product and not model.varies and not model.suspicious_cards
