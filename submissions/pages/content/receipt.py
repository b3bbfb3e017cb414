"""Make the receipt of a run: the card's figures beside those of other cards of its model, and texts for forums."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.findings import FindingWords
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
    """A figure of this card beside the same ability of its model (`others`), and the number of cards behind that."""

    title: str
    own: str
    others: str
    cards: int


class Standing(NamedTuple):
    """The value and the place (rank) of a model for a use, in words; `place` is "" if it has none.

    `leading`: the value of the ability that ranks cards. `gates`: the reasons why the model has no place.
    """

    place: str
    listed: int
    use: str
    leading: str
    gates: str


def find_board(host: Host) -> Board:
    """Return the device in which a card was measured, or the most usual device if its own is not listed."""
    every = list(boards.all_boards().values())
    return next((board for board in every if board.slot.takes_host(host.board, host.interface)), every[0])


def list_advice(model: CardModel, board: Board) -> list[Advice]:
    """Return the advice on a model for each use of a device; two queries.

    The usual use of the device comes first, and only its advice has a place (rank).
    """
    wishes = [Wish(board, use) for use in uses.uses_in(board.interface).values()]
    wishes.sort(key=lambda wish: wish.use.name != board.use.name)
    first, *others = (advice for _, advice in places.load_answers(model, wishes))
    ranking = places.load_places(board, first.use, simulated=model.simulated)
    return [replace(first, place=ranking.of_model.get(model.pk)), *others]


def list_siblings(run: Run, advice: Advice) -> Iterator[Sibling]:
    """Yield the figures of a run beside the same abilities of its model, in the order of FIGURES; one query."""
    measured = dict(run.measurements.exclude(figure="").values_list("figure", "value"))
    for name, figure in FIGURES.items():
        value = advice.abilities.get(figure.ability)
        if value and (own := measured.get(name)) is not None:
            others = advice_words.describe_interval(value) or advice_words.describe_amount(value)
            yield Sibling(figure.title, wording.amount(own, figure.base_unit), others, value.cards)


def describe_standing(advice: Advice) -> Standing:
    """Return the value and place of a model for a use, in words; the ability that ranks it must be measured."""
    assert advice.leading is not None
    listed = advice.place.listed if advice.place else 0
    leading = advice_words.describe_leading(advice.leading)
    gates = advice_words.explain_gates(advice) if advice.is_excluded else ""
    return Standing(advice_words.describe_place(advice.place), listed, advice.use.title, leading, gates)


def write_forum_texts(
    run: Run, gravest: Sequence[FindingWords], advice: Advice, address: str
) -> dict[str, str]:
    """Return a text to copy by the kind of forum, such as Markdown.

    It says the gravest finding first, and praises no model by a card with trouble.
    """
    name = run.card.variant.card_model.name
    where = str(run.host) if run.host.is_known else _("an unstated device")
    tested = _("tested with %(tool)s in %(host)s") % {"tool": run.tool, "host": where}
    sentences = [finding.sentence for finding in gravest]
    if any(finding.severity.is_trouble for finding in gravest):
        sentences.append(advice_words.explain_gates(advice))
    elif advice.leading is not None or advice.gates:
        sentences.append(advice_words.write_headline(advice))
    words = ". ".join(filter(None, (tested, " ".join(filter(None, sentences)))))
    return {"Markdown": f"[{name}]({address}), {words}", "BBCode": f"[url={address}]{name}[/url], {words}"}
