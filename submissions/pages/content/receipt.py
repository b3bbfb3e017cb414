"""The receipt of a run: how the card compares to others of its model, and texts for forums."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.advice import Advice
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.wish import Wish
from submissions.evidence import places
from submissions.models import CardModel, Host, Run
from submissions.pages import wording
from submissions.pages.content import advice_words


class Sibling(NamedTuple):
    """A figure of this card beside the same ability of its model, with the number of cards behind that."""

    title: str
    own: str
    others: str
    cards: int


class Standing(NamedTuple):
    """The leading ability of a model for a use in words, with its place, "" without one.

    `gates`: the reasons why it has no place.
    """

    place: str
    listed: int
    use: str
    leading: str
    gates: str


def find_board(host: Host) -> Board:
    """Return the device that a card was measured in, or the most usual one if it is none of ours."""
    every = list(boards.all_boards().values())
    return next((board for board in every if board.slot.takes_host(host.board, host.interface)), every[0])


def list_advice(model: CardModel, board: Board) -> list[Advice]:
    """Load the advice for each use of a device, the usual one first and with its place; two queries."""
    wishes = [Wish(board, use) for use in uses.uses_in(board.interface).values()]
    wishes.sort(key=lambda wish: wish.use.name != board.use.name)
    first, *others = (advice for _, advice in places.load_answers(model, wishes))
    ranking = places.load_places(board, first.use, simulated=model.simulated)
    return [replace(first, place=ranking.of_model.get(model.pk)), *others]


def list_siblings(run: Run, advice: Advice) -> Iterator[Sibling]:
    """Yield the figures of a run, in the order of the registry; one query."""
    measured = dict(run.measurements.exclude(figure="").values_list("figure", "value"))
    for name, figure in FIGURES.items():
        value = advice.abilities.get(figure.ability)
        if value and (own := measured.get(name)) is not None:
            others = advice_words.describe_interval(value) or advice_words.describe_amount(value)
            yield Sibling(figure.title, wording.amount(own, figure.base_unit), others, value.cards)


def describe_standing(advice: Advice) -> Standing:
    """Return how a model does for a use; its leading ability must be known."""
    assert advice.leading is not None
    listed = advice.place.listed if advice.place else 0
    leading = advice_words.describe_leading(advice.leading)
    gates = advice_words.explain_gates(advice) if advice.is_excluded else ""
    return Standing(advice_words.describe_place(advice.place), listed, advice.use.title, leading, gates)


def write_forum_texts(run: Run, advice: Advice, board: Board, address: str) -> dict[str, str]:
    """Return a text to copy by the kind of forum, such as Markdown."""
    name = run.card.variant.card_model.name
    where = str(run.host) if run.host.is_known else _("an unstated device")
    words = _("tested with %(tool)s in %(host)s") % {"tool": run.tool, "host": where}
    if advice.leading is not None or advice.gates:
        words = f"{words}. {advice_words.write_headline(advice)}"
    return {"Markdown": f"[{name}]({address}), {words}", "BBCode": f"[url={address}]{name}[/url], {words}"}
