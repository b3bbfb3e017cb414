"""Pick the cards of a ranking to recommend, because tests prove them good; if none is proven, the best known cards."""

from datetime import date
from typing import NamedTuple

from django.db.models import F
from django.utils.timezone import localdate

from submissions.domain.ranking.wish import Wish
from submissions.models import Performance
from submissions.models.performance import BEST_FIRST
from submissions.models.ranking import match_form
from submissions.sql.snapshot import keep_results

_MOST_CANDIDATES = 3
_MOST_KEPT = 200


class Picks(NamedTuple):
    """The recommended cards of a ranking by kind; if there are none, the best known products as `candidates`.

    Kinds: "best"; "cheapest", of the cards that pass every need; "tested", of the same cards the one that most people
    measured.
    """

    named: dict[str, Performance]
    candidates: tuple[Performance, ...] = ()


def choose_picks(wish: Wish) -> Picks:
    """Return the cards to recommend for a wish (device, use, filters); four queries, or one if nothing was written."""
    return _choose(localdate(), wish)


@keep_results(Performance, most=_MOST_KEPT)
def _choose(_day: date, wish: Wish) -> Picks:
    use, listed = wish.use, Performance.objects.wanted(wish).filter(match_form(wish.board))
    proven = listed.proven(use).with_models()
    passing = proven.passing(use)
    people = F(f"abilities__{use.leading}__people").desc(nulls_last=True)
    found = {
        "best": proven.order_by(*BEST_FIRST).first(),
        "cheapest": passing.with_usual_currency().order_by("card_model__price", *BEST_FIRST).first(),
        "tested": passing.confirmed().order_by(people, *BEST_FIRST).first(),
    }
    named = {kind: row for kind, row in found.items() if row}
    if named:
        return Picks(named)
    known = listed.of_products().failing_nothing().with_models().order_by(*BEST_FIRST)
    return Picks({}, tuple(known[:_MOST_CANDIDATES]))
