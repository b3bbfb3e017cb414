"""Answer a question on the first screen: in a sentence or two, with the command, words or cards that answer."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.identity.words import capacity_words
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.catalogue_names import UNNAMED_DEVICES
from submissions.domain.search.question import Question
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
    """The best known card for a device; `row` is None if none can be named."""

    title: str
    address: str
    row: Row | None


class QuestionAnswer(NamedTuple):
    """The answer on the first screen.

    words       terms with their meanings, by their names in the glossary
    devices     a card for each kind of device
    comparison  of `models` side by side
    good        whether the named model is good enough, or the models that may be meant
    product     the named product, if it was not tested
    models      the cards of the question or of the answer
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
    """Answer a question; None if the answer is a list of cards for a device. `query`: the address that asked it."""
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
    """Return a link by the name of its page, which a part or a query may follow: “submit#check”, “finder?x=1”."""
    name = address.partition("#")[0].partition("?")[0]
    return Link(reverse(name) + address.removeprefix(name), words)


def _name_models(own: QuestionAnswer, question: Question, finding: Finding) -> QuestionAnswer:
    """Add the models that the question names; proven fakes only if it asks whether a card is genuine."""
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
    advised = places.advise([row], wish.board, wish.use)
    rows, _axis = advice_rows.make_rows([(row.card_model, advised[0])], wish.board)
    return rows[0]


def _compare(own: QuestionAnswer, question: Question, finding: Finding) -> QuestionAnswer:
    wish, sizes_gb = finding.wish, [term.value for term in question.alternatives if term.kind == "capacity"]
    if sizes_gb or "|" in wish.words:
        models = find_sides(wish, sizes_gb)[: comparing.MOST]
        if len(models) > 1:
            return _put_side_by_side(own, models, wish)
        sizes = [f"{wish.words} {wording.localize(capacity_words(size_gb))}" for size_gb in sizes_gb]
        return _tell_untested(own, models, sizes or wish.words.split("|"))
    if words := glossary.find_words(question.text):
        marks = _(" or ").join(str(term.value) for term in question.alternatives if term.kind == "mark")
        title = marks or _(" or ").join(word.title for _name, word in words[:2])
        return own._replace(title=title, text="", words=words)
    return _name_models(own, question, finding)


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


def _tell_untested(own: QuestionAnswer, models: Sequence[CardModel], sides: Iterable[str]) -> QuestionAnswer:
    title = _(" or ").join(filter(None, map(str.strip, sides))) + "?"
    text = _("Only one of these has been tested.") if models else _("Nobody has tested these yet.")
    return own._replace(title=title, text=f"{text} {own.text}", models=models)


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
    return own._replace(good=good, product=product)


# Row of the answers -> the function that adds models or words; other rows name the models of the question.
_FILLERS = {
    "registers": _decode,
    "compare": _compare,
    "what_is": _explain,
    **dict.fromkeys(("compatibility", "sdhc", "sdxc", "sduc"), _explain_fit),
    "health": _tell_health,
    "mine_good": _judge,
}
