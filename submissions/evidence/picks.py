"""Pick three cards of a ranking: the best, the cheapest that is good enough, and the best that many people tested."""

from collections.abc import Iterator

from submissions.domain.ranking.uses import Use
from submissions.models import Performance
from submissions.models.performance import PerformanceQuerySet

# Fewer people prove nothing.
_LEAST_PEOPLE = 2


def choose_picks(listed: PerformanceQuerySet, use: Use) -> Iterator[tuple[str, Performance]]:
    """Yield (title, performance) for "best", "cheapest" and "tested" of a list; three queries.

    The best one fails no need, the others pass every need. A model that only strangers report is picked only if no
    other can be, so that invented models displace none.
    """
    best = listed.best(use)
    if best is None:
        return
    yield "best", best
    if cheapest := listed.cheapest(use):
        yield "cheapest", cheapest
    tested = listed.most_tested(use)
    if tested and _count_people(tested, use) >= _LEAST_PEOPLE:
        yield "tested", tested


def _count_people(row: Performance, use: Use) -> int:
    leading = row.make_advice(use, place=None).leading
    return leading.people if leading else 0
