"""Rows of a list of cards, all in words: a page has many rows, so its template only prints them."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.ranking.advice import AbilityValue, Advice, make_advice
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.offers import Offer
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel
from submissions.pages import wording
from submissions.pages.content import advice_words
from submissions.pages.content.advice_words import NeedMark
from submissions.pages.content.axis import Axis, Bar, make_axis


class Row(NamedTuple):
    """A model in a list.

    amount      the figure that orders it with its unit, with ≈ if it is expected; "–" if it was not measured
    ability     the title of the ability, if it is the fallback of the one that orders the list
    origin      where the figure comes from, in words; `is_expected` if from other devices
    evidence    the cards and people behind it
    notes       sentences that explain it, "" for none
    """

    title: str
    model: CardModel
    advice: Advice
    address: str
    place: str
    amount: str
    ability: str
    origin: str
    is_expected: bool
    evidence: str
    notes: str
    needs: tuple[NeedMark, ...]
    bar: Bar | None
    read_aloud: str

    @property
    def price(self) -> str:
        return _write_amount(self.advice.offer)

    @property
    def price_details(self) -> str:
        """Return shop and month of the price, "" without a price."""
        return _describe_shop(self.advice.offer)

    @property
    def price_per_gb(self) -> str:
        offer = self.advice.offer
        if offer is None or not self.model.capacity_gb:
            return ""
        per_gb = wording.money(offer.amount / self.model.capacity_gb, offer.currency)
        return _("%(price)s per GB") % {"price": per_gb}

    @property
    def pick(self) -> str:
        """Return in words the effect of a tick beside the row."""
        return _("Compare %(name)s") % {"name": self.title}


def write_price(model: CardModel) -> str:
    """Return the price of a model; "" if none is known that is younger than a year."""
    return _write_amount(model.current_offer)


def explain_model(model: CardModel, wish: Wish) -> str:
    """Return the sentences of the gates that apply to a model for a wish, "" if there is none."""
    return advice_words.explain_gates(make_advice(wish.board, wish.use, model.facts, None, place=None))


def describe_price(advice: Advice) -> str:
    """Return the current offer with its shop and month, "" without one."""
    return ", ".join(filter(None, (_write_amount(advice.offer), _describe_shop(advice.offer))))


def _write_amount(offer: Offer | None) -> str:
    return wording.money(offer.amount, offer.currency) if offer else ""


def _describe_shop(offer: Offer | None) -> str:
    if offer is None:
        return ""
    month = wording.month(f"{offer.seen_on:%Y-%m}") if offer.seen_on else ""
    return ", ".join(filter(None, (offer.shop, month)))


def make_rows(
    listed: Iterable[tuple[CardModel, Advice]], board: Board, *, ability: str = ""
) -> tuple[list[Row], Axis | None]:
    """Make the rows of a list for one use and device, and the axis that they share, None for an empty list.

    They show the leading ability, or `ability` if the list is ordered by that.
    """
    listed = list(listed)
    if not listed:
        return [], None
    use = listed[0][1].use
    values = [advice.abilities.get(ability) if ability else advice.leading for _, advice in listed]
    axis = make_axis(filter(None, values), ability or use.leading, use.needs)
    rows = [
        make_row(model, advice, board, axis, value=value)
        for (model, advice), value in zip(listed, values, strict=True)
    ]
    return rows, axis


def make_row(
    model: CardModel, advice: Advice, board: Board, axis: Axis, *, value: AbilityValue | None
) -> Row:
    """Make a row that links to the page of the model."""
    is_expected = value is not None and value.origin == "elsewhere"
    amount = advice_words.describe_amount(value) if value else "–"
    origin = advice_words.describe_origin(value, board)
    interval = advice_words.describe_interval(value) if value else ""
    return Row(
        title=model.name,
        model=model,
        advice=advice,
        address=f"{model.get_absolute_url()}?board={board.slug}&use={advice.use.name}",
        place=advice_words.describe_place(advice.place),
        amount=f"≈ {amount}" if is_expected and value and not value.at_least else amount,
        ability=value.row.title if value and value.ability != axis.ability else "",
        origin=origin,
        is_expected=is_expected,
        evidence=advice_words.describe_proof(value) if value else "",
        notes=explain_row(advice, value),
        needs=advice_words.mark_needs(advice),
        bar=axis.draw_bar(value) if value else None,
        read_aloud="; ".join(filter(None, (interval, origin))),
    )


def explain_row(advice: Advice, value: AbilityValue | None) -> str:
    """Return the sentences that a row needs beside its figure, gates first; "" for most."""
    sentences = advice_words.explain_gates(advice), advice_words.explain_difference(value) if value else ""
    return " ".join(filter(None, sentences))
