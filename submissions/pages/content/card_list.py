"""Make a list of models for a use on a device: recommended models (picks) above, rows below, on one axis."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.proof import Proof
from submissions.domain.ranking.wish import Wish
from submissions.evidence import picks, places
from submissions.models import CardModel, Performance
from submissions.pages.content import advice_rows, advice_words
from submissions.pages.content.advice_rows import Row
from submissions.pages.content.axis import Axis

# In a list of fewer models, no page says which picks are missing.
_A_CHOICE = 3
_TITLES = {
    "best": gettext_noop("Best overall"),
    "first": gettext_noop("Best of these"),
    "cheapest": gettext_noop("Cheapest card that passes"),
    "tested": gettext_noop("Tested by the most people"),
}


class Pick(NamedTuple):
    """A recommended model with all its titles, such as “Best overall”."""

    titles: tuple[str, ...]
    row: Row

    @property
    def model(self) -> CardModel:
        return self.row.model

    @property
    def title(self) -> str:
        return " · ".join(self.titles)

    @property
    def ability(self) -> str:
        """Return the name of the ability by which cards are ranked, such as "small writes", or ""."""
        leading = self.row.advice.leading
        return advice_words.name_ability(leading.ability) if leading else ""

    @property
    def caution(self) -> str:
        """Return a warning if only a single source measured the model, "" otherwise."""
        leading = self.row.advice.leading
        if leading is None or leading.proof >= Proof.CONFIRMED:
            return ""
        return _("One source measured it %(runs)s times, with a clear margin.") % {"runs": leading.runs}

    @property
    def facts(self) -> str:
        """Return the figure of the model, its origin, evidence and price in words."""
        price = " ".join(
            filter(None, (self.row.price, self.row.price_details and f"({self.row.price_details})"))
        )
        words = (
            f"{self.row.amount} {self.ability}",
            self.row.origin,
            self.row.evidence,
            self.caution.rstrip("."),
            price,
        )
        return ", ".join(filter(None, words))


class Picks(NamedTuple):
    """The recommended models of a list (picks); a model with several titles is listed once.

    `candidates`: rows of the best known models if none can be recommended. `is_choice`: the list has enough models for
    the page to say which kinds of picks are missing.
    """

    cards: tuple[Pick, ...]
    candidates: tuple[Row, ...]
    has_cheapest: bool
    has_tested: bool
    is_choice: bool


class CardList(NamedTuple):
    """A page of a list of models; `axis` is None if it is empty. `equals`: models with the rank of the best pick."""

    rows: tuple[Row, ...]
    axis: Axis | None
    picks: Picks | None
    equals: tuple[CardModel, ...]


def make_list(page: Iterable[Performance], wish: Wish, *, sort: str = "") -> CardList:
    """Return a page of a list from its performances, which were loaded with their models; one query.

    `sort`: the ability by which the list is ordered, which rows then show.
    """
    rows, axis = _make_rows(list(page), wish, ability=sort if sort in ABILITIES else "")
    return CardList(tuple(rows), axis, None, ())


def make_list_with_picks(page: Iterable[Performance], wish: Wish) -> CardList:
    """Return the first page of a list, with picks (recommended models) of the whole list; at most five queries."""
    performances = list(page)
    chosen = picks.choose_picks(wish)
    named, count = chosen.named, len(performances)
    rows, axis = _make_rows([*performances, *named.values(), *chosen.candidates], wish)
    picked = dict(zip(named, rows[count : count + len(named)], strict=True))
    candidates, rows = tuple(rows[count + len(named) :]), rows[:count]
    cards = _make_picks(picked, wish)
    found = Picks(cards, candidates, "cheapest" in named, "tested" in named, len(rows) >= _A_CHOICE)
    best = picked.get("best")
    return CardList(tuple(rows), axis, found, tuple(_find_equals(best, rows)) if best else ())


def _make_rows(
    performances: Sequence[Performance], wish: Wish, *, ability: str = ""
) -> tuple[list[Row], Axis | None]:
    return advice_rows.make_rows(places.advise(performances, wish), wish.board, ability=ability)


def _make_picks(picked: dict[str, Row], wish: Wish) -> tuple[Pick, ...]:
    titles: dict[int, list[str]] = {}
    for name, row in picked.items():
        title = "first" if name == "best" and wish.is_narrowed else name
        titles.setdefault(row.model.pk, []).append(_(_TITLES[title]))
    rows = {row.model.pk: row for row in picked.values()}
    return tuple(Pick(tuple(titles[model]), row) for model, row in rows.items())


def _find_equals(best: Row, rows: Iterable[Row]) -> list[CardModel]:
    own = best.advice.place
    return [
        row.model
        for row in rows
        if own and row.model != best.model and row.advice.place and row.advice.place.number == own.number
    ]
