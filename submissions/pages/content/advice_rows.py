"""Make the rows of a list of models in words, because a page has many rows and templates are slow."""

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
    """A row of a list of models, in words.

    amount      the figure by which the list is ordered, with its unit; with ≈ if expected, "–" if not measured
    ability     the title of the figure's ability if it replaces the ability of the list, which was not measured
    origin      where the figure was measured; `is_expected`: it is estimated from other devices
    evidence    the numbers of cards and people behind the figure
    notes       sentences that explain the figure, or ""
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
        """Return the label of the checkbox beside the row, such as "Compare NAME"."""
        return _("Compare %(name)s") % {"name": self.title}


def write_price(model: CardModel) -> str:
    """Return the price of a model in words; "" if no price younger than a year is known."""
    return _write_amount(model.current_offer)


def explain_model(model: CardModel, wish: Wish) -> str:
    """Return warnings about a model for a use on a device, such as lost data or a wrong form; "" if there is none."""
    return advice_words.explain_gates(make_advice(wish.board, wish.use, model.facts, None, place=None))


def describe_price(advice: Advice) -> str:
    """Return the current price of a model with shop and month, "" if there is none."""
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
    """Return the rows of a list for one use and device, and their common axis, None for an empty list.

    Rows show the ability by which cards are ranked for the use, or `ability` if the list is ordered by that.
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
    """Return the row of a model, which links to the page of the model."""
    is_expected = value is not None and not value.is_measured
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
    """Return the sentences that a row needs beside its figure, warnings first; "" for most rows."""
    sentences = advice_words.explain_gates(advice), advice_words.explain_difference(value) if value else ""
    return " ".join(filter(None, sentences))
