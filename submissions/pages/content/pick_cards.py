"""Three answers above a ranking: the best card, the cheapest that is enough, and the best proven one."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.ranking.wish import Wish
from submissions.evidence import picks as chosen
from submissions.models import CardModel, ModelSummary, Score
from submissions.models.ranking import ScoreQuerySet
from submissions.pages import wording
from submissions.pages.content import finder_rows, neighbour
from submissions.pages.content.finder_rows import Row

# Of fewer models nothing is missing.
_A_CHOICE = 3
_TITLES = {
    "best": gettext_noop("Best"),
    "first": gettext_noop("Best of these"),
    "cheapest": gettext_noop("Cheapest that is enough"),
    "proven": gettext_noop("Best proven"),
}


class Pick(NamedTuple):
    """`sentence`: what a neighbour would say of it. `tested`: how many cards of how many people. `bought`: shop and
    month of the newest price, "" where nobody said."""

    titles: tuple[str, ...]
    row: Row
    sentence: str
    tested: str
    bought: str = ""

    @property
    def model(self) -> CardModel:
        return self.row.model

    @property
    def title(self) -> str:
        return " · ".join(self.titles)

    @property
    def facts(self) -> str:
        """Return the score, the evidence and the price in words."""
        words = _("at least %(least)s what it needs, likely %(likely)s; %(tested)s") % {
            "least": self.row.least,
            "likely": self.row.likely,
            "tested": self.tested,
        }
        return ", ".join(filter(None, (words, self.row.price)))


class Picks(NamedTuple):
    """`cards`: each model once, under every title it earned. Where there is a choice, what is missing is said."""

    cards: tuple[Pick, ...]
    has_cheapest: bool
    has_proven: bool
    is_choice: bool


def picks(first: Sequence[Score], listed: ScoreQuerySet, wish: Wish) -> Picks:
    """Of the first page of scores and of all, in their order. At most three queries."""
    answers = dict(chosen.find_picks(first, listed))
    titles: dict[int, list[str]] = {}
    for name, score in answers.items():
        title = "first" if name == "best" and wish.words else name
        titles.setdefault(score.card_model_id, []).append(_(_TITLES[title]))
    scores = {score.card_model_id: score for score in answers.values()}
    bought = _bought(score.card_model for score in scores.values())
    cards = tuple(
        _pick(tuple(titles[model]), score, wish, bought.get(model, "")) for model, score in scores.items()
    )
    return Picks(cards, "cheapest" in answers, "proven" in answers, is_choice=len(first) >= _A_CHOICE)


def _pick(titles: tuple[str, ...], score: Score, wish: Wish, bought: str) -> Pick:
    row = finder_rows.ranked([score], wish)[0]
    return Pick(titles, row, neighbour.sentence(score, wish), finder_rows.tested(score), bought)


def _bought(models: Iterable[CardModel]) -> dict[int, str]:
    """Of models with a price; one query if there are any."""
    priced = [model.pk for model in models if model.price is not None]
    newest = [f"told__prices__0__{name}" for name in ("bought_at", "bought_on")]
    told = ModelSummary.objects.filter(card_model__in=priced).values_list("card_model", *newest)
    return {pk: ", ".join(filter(None, (shop, day and wording.month(day[:7])))) for pk, shop, day in told}


def peers(listed: Sequence[Score]) -> list[CardModel]:
    """Models behind the first that are not clearly worse."""
    if not listed:
        return []
    best, others = listed[0], listed[1:]
    chances = zip(others, best.chances_against(others), strict=True)
    return [score.card_model for score, chance in chances if chance < DEFAULTS.tie_probability]
