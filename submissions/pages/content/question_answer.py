"""Answer a question in the search box: in a sentence or two, with a command, words or cards that answer it."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.identity.words import capacity_words
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.catalogue_names import UNNAMED_DEVICES, is_brand
from submissions.domain.search.question import Question, Side
from submissions.domain.search.search_answers import all_answers, find_answer
from submissions.evidence import places
from submissions.evidence.device_picks import pick_for_devices
from submissions.evidence.model_search import Finding, load_rows
from submissions.evidence.sides import find_sides
from submissions.models import CardModel, Performance
from submissions.pages import wording
from submissions.pages.content import advice_rows, comparing, device_names, glossary
from submissions.pages.content.advice_rows import Row
from submissions.pages.content.comparing import Comparison
from submissions.pages.content.good_answer import GoodAnswer, answer_good
from submissions.pages.content.product_answer import ProductAnswer, answer_product

MOST_MODELS = 5


class Link(NamedTuple):
    address: str
    words: str


class DevicePick(NamedTuple):
    """The best known card for a device; `row` is None if no card is known to be good."""

    title: str
    address: str
    row: Row | None


class QuestionAnswer(NamedTuple):
    """The answer to a question in the search box.

    words       terms of the glossary with their meanings, by key
    devices     a recommended card for each kind of device
    comparison  a comparison of `models` side by side
    good        the answer whether the named model is good enough, or the models that may be meant
    product     the named product, if it was not tested
    models      the models that the question names, or that answer it
    """

    title: str
    text: str
    command: str = ""
    links: Sequence[Link] = ()
    words: Sequence[tuple[str, glossary.Word]] = ()
    devices: Sequence[DevicePick] = ()
    comparison: Comparison | None = None
    good: GoodAnswer | None = None
    product: ProductAnswer | None = None
    models: Sequence[CardModel] = ()


def answer_question(question: Question, finding: Finding, query: str) -> QuestionAnswer | None:
    """Return the answer to a question, None if a list of cards answers it. `query`: the URL query of the question."""
    answer = find_answer(question, has_device=finding.wish.has_device)
    if answer is None:
        return None
    links = [_make_link(link.address, link.words) for link in answer.links]
    own = QuestionAnswer(answer.title, answer.text, answer.command, links)
    if answer.name == "device":
        devices = _pick_devices(question, finding, query)
        is_known = any(device.row for device in devices) or not finding.wish.words
        return own._replace(devices=devices if is_known else ())
    fill = _FILLERS.get(answer.name, _name_models)
    return fill(own, question, finding)


def _make_link(address: str, words: str) -> Link:
    """Return a link to a page by its URL name, but with fragment or query: “submit#check”, “finder?x=1”."""
    name = address.partition("#")[0].partition("?")[0]
    return Link(reverse(name) + address.removeprefix(name), words)


def _name_models(own: QuestionAnswer, question: Question, finding: Finding) -> QuestionAnswer:
    """Add the models that the question names, but proven fakes only if it asks whether a card is genuine."""
    if not finding.wish.words:
        return own
    listed = (
        finding.listed.with_models()[: 2 * MOST_MODELS]
        if finding.ids is None
        else load_rows(finding, finding.ids[: 2 * MOST_MODELS])
    )
    models = [row.card_model for row in listed] or list(finding.untested)
    shown = [model for model in models if question.intent == "genuine" or not model.lost_data]
    return own._replace(models=shown[:MOST_MODELS])


def _tell_health(own: QuestionAnswer, _question: Question, _finding: Finding) -> QuestionAnswer:
    telling = CardModel.objects.real().filter(tells_health=True).order_by("-known_cards", "name")
    return own._replace(models=list(telling[:MOST_MODELS]))


def _pick_devices(question: Question, finding: Finding, query: str) -> list[DevicePick]:
    return [
        DevicePick(
            device_names.short_name(wish.board),
            f"?{'&'.join(filter(None, (query, f'board={wish.board.slug}')))}",
            _make_row(wish, row),
        )
        for wish, row in pick_for_devices(finding.wish, question.order)
    ]


def _make_row(wish: Wish, row: Performance | None) -> Row | None:
    if row is None:
        return None
    rows, _axis = advice_rows.make_rows(places.advise([row], wish), wish.board)
    return rows[0]


def _compare(own: QuestionAnswer, question: Question, finding: Finding) -> QuestionAnswer:
    # A brand does not tell which of its cards is meant.
    if question.sides and not any(is_brand(side.name) for side in question.sides):
        return _compare_sides(own, question.sides, finding.wish)
    if not question.sides and (words := glossary.find_words(question.text)):
        marks = _(" or ").join(str(term.value) for term in question.alternatives if term.kind == "mark")
        title = marks or _(" or ").join(word.title for _name, word in words[:2])
        return own._replace(title=title, text="", words=words)
    return _name_models(own, question, finding)


def _compare_sides(own: QuestionAnswer, sides: Sequence[Side], wish: Wish) -> QuestionAnswer:
    models = find_sides(wish, sides)[: comparing.MOST]
    if len(models) > 1:
        return _put_side_by_side(own, models, wish)
    sized = [(side.name, capacity_words(size_gb)) for side in sides for size_gb in side.sizes_gb]
    names = [f"{name} {wording.localize(size)}" for name, size in sized] or [side.name for side in sides]
    text = _("Only one of these has been tested.") if models else _("Nobody has tested these yet.")
    return own._replace(title=_(" or ").join(names) + "?", text=f"{text} {own.text}", models=models)


def _put_side_by_side(own: QuestionAnswer, models: Sequence[CardModel], wish: Wish) -> QuestionAnswer:
    asked = urlencode([*(("m", model.slug) for model in models), ("board", wish.board.slug)])
    link, *others = own.links
    return own._replace(
        title=_(" or ").join(model.name for model in models) + "?",
        text="",
        links=[link._replace(address=f"{link.address}?{asked}"), *others],
        comparison=comparing.compare(models, wish),
        models=models,
    )


def _explain(own: QuestionAnswer, question: Question, _finding: Finding) -> QuestionAnswer:
    return _put_first(own, [row for row in _find_words(question) if row[0] != glossary.FORM])


def _find_words(question: Question) -> list[tuple[str, glossary.Word]]:
    marks = (str(term.value) for term in question.terms if term.kind == "mark")
    return glossary.find_words(" ".join([question.text, *marks]).casefold())


def _put_first(own: QuestionAnswer, words: Sequence[tuple[str, glossary.Word]]) -> QuestionAnswer:
    if not words:
        return own
    (_name, first), *others = words
    return own._replace(title=first.title, text=first.meaning, words=others)


def _decode(own: QuestionAnswer, question: Question, _finding: Finding) -> QuestionAnswer:
    (link,) = own.links
    return own._replace(links=[link._replace(address=f"{link.address}?text={quote(question.registers)}")])


def _explain_fit(own: QuestionAnswer, question: Question, finding: Finding) -> QuestionAnswer:
    fitting, board = glossary.list_fitting(), finding.wish.board
    words = [row for row in _find_words(question) if row[0] in fitting]
    asked = _put_first(own, words)
    if not finding.wish.has_device or board.slug in UNNAMED_DEVICES:
        return _name_models(asked, question, finding)
    if not words:
        title = _("Which cards fit a %(device)s?") % {"device": device_names.noun(board)}
        asked = own._replace(title=title, text="")
    device = _describe_device(board, usual_limit="" if words else own.text)
    link = Link(reverse("board", args=[board.slug]), board.title)
    asked = asked._replace(text=f"{asked.text} {device}".strip(), links=[link, *own.links])
    return _name_models(asked, question, finding)


def _describe_device(board: Board, *, usual_limit: str) -> str:
    count, largest_gb = places.count_tested(board)
    size = wording.localize(capacity_words(largest_gb or 0))
    tested = ngettext(
        "%(count)s model of %(size)s was tested in it.",
        "%(count)s models of up to %(size)s were tested in it.",
        count,
    ) % {"count": count, "size": size}
    takes_sdxc = board.takes_sdxc or (largest_gb or 0) > all_answers()["sdhc"].most_gb
    has_own_cards = bool(board.interface.slot)
    limit = _("It accepts SDXC cards, which end at 2 TB.") if takes_sdxc else usual_limit
    sentences = (tested if count else "", "" if has_own_cards else limit, board.notes)
    return " ".join(filter(None, sentences))


def _judge(own: QuestionAnswer, _question: Question, finding: Finding) -> QuestionAnswer:
    if not finding.wish.words:
        return own
    good = answer_good("", finding)
    product = None if good.models else answer_product(finding.products, finding.wish)
    if good.models or product:
        return own._replace(good=good, product=product)
    title = _("Nobody has tested “%(words)s” yet.") % {"words": finding.wish.name}
    return own._replace(title=title, good=good, models=finding.nearest)


# Row of the answers -> the function that adds models or words; other rows name the models of the question.
_FILLERS = {
    "registers": _decode,
    "compare": _compare,
    "what_is": _explain,
    **dict.fromkeys(("compatibility", "sdhc", "sdxc", "sduc"), _explain_fit),
    "health": _tell_health,
    "mine_good": _judge,
}
