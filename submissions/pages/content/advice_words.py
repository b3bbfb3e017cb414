"""Put the advice on a model into words, with one notation for each quantity on all pages, badges and feeds."""

from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import get_language, gettext_noop, ngettext
from django.utils.translation import gettext as _

from submissions.domain.identity.endurance import Endurance
from submissions.domain.identity.words import capacity_words
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice, NeedResult, Place
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.gates import Gate, ModelFacts
from submissions.domain.ranking.order import NeedState
from submissions.pages import wording
from submissions.pages.content import device_names

_STATES = {
    NeedState.PASS: gettext_noop("passes"),
    NeedState.FAIL: gettext_noop("fails"),
    NeedState.UNCLEAR: gettext_noop("unclear"),
    NeedState.NOT_MEASURED: gettext_noop("not measured"),
}


def name_states() -> dict[NeedState, str]:
    """Return each state of a need (requirement of a use) in words."""
    return {state: _(words) for state, words in _STATES.items()}


class NeedMark(NamedTuple):
    """A need (requirement) of a use: its `state`, also in `words`, the `title` of its ability, and its figures."""

    state: str
    title: str
    words: str
    details: str


def describe_amount(value: AbilityValue) -> str:
    """Return a value with its unit: "3,450 IOPS", or "at least 45 MB/s" if the bus of the host was the limit."""
    amount = wording.amount(value.value, value.row.base_unit)
    return _("at least %(amount)s") % {"amount": amount} if value.at_least else amount


def name_ability(ability: str) -> str:
    """Return the title of an ability as it is written within a sentence, such as "small writes"."""
    title = ABILITIES[ability].title
    return title[:1].lower() + title[1:]


def describe_leading(value: AbilityValue) -> str:
    """Return the title of an ability with its value, such as "Small writes: 3,450 IOPS"."""
    return _("%(ability)s: %(amount)s") % {"ability": value.row.title, "amount": describe_amount(value)}


def describe_measured(value: AbilityValue, board: Board) -> str:
    """Return a sentence with an ability, its value and where it was measured."""
    words = {"leading": describe_leading(value), "origin": describe_origin(value, board)}
    return _("%(leading)s, %(origin)s.") % words


def describe_interval(value: AbilityValue) -> str:
    """Return the 95 % interval of a value: "1,600 IOPS to 7,400 IOPS"; "" if the value is only a lower bound."""
    if value.at_least:
        return ""
    ends = {
        "lower": wording.amount(value.lower, value.row.base_unit),
        "upper": wording.amount(value.upper, value.row.base_unit),
    }
    return _("%(lower)s to %(upper)s") % ends


def describe_origin(value: AbilityValue | None, board: Board) -> str:
    """Return in words where a value comes from: measured in the device, expected from others, or not measured."""
    if value is None:
        return _("not measured")
    if value.origin == "elsewhere":
        return _("expected from other devices")
    if not value.is_measured:
        return _("estimate: the test in this device differs")
    if board.slot.name != board.slug:
        return _("measured in such a slot")
    return _("measured in a %(board)s") % {"board": device_names.noun(board)}


def describe_proof(value: AbilityValue) -> str:
    """Return the evidence of a value: "3 cards, 2 people", with a remark if none of the people has a record."""
    proof = count_evidence(get_language(), value.cards, value.people, value.known_people)
    return proof if value.known_people else _("%(proof)s; no trusted source yet") % {"proof": proof}


@lru_cache(maxsize=10_000)
def count_evidence(_language: str | None, cards: int, people: int, known: int) -> str:
    """Return the numbers of cards, people and trusted sources in words; cached, as many rows have the same."""
    words = {
        "cards": wording.cards(cards),
        "people": ngettext("%(count)s person", "%(count)s people", people) % {"count": people},
        "sources": ngettext("%(count)s trusted source", "%(count)s trusted sources", known)
        % {"count": known},
    }
    if not known:
        return _("%(cards)s, %(people)s") % words
    if known == people:
        return _("%(cards)s, %(sources)s") % words
    return _("%(cards)s, %(people)s, among them %(sources)s") % words


def explain_difference(value: AbilityValue) -> str:
    """Return why the median of the measured values lies outside the interval; "" if it lies inside."""
    if not value.differs_from_median or value.at_least:
        return ""
    words = {"median": wording.amount(value.median, value.row.base_unit)}
    if value.is_at_limit:
        return _("Measured %(median)s; the slot carries about %(upper)s.") % {
            **words,
            "upper": wording.amount(value.upper, value.row.base_unit),
        }
    if value.origin == "elsewhere":
        return _("Measured in other devices: %(median)s.") % words
    if value.runs == 1:
        return _("Measured %(median)s once, which is far from similar cards and values.") % words
    return (
        _("The median of the measurements is %(median)s, which is far from similar cards and values.") % words
    )


def describe_place(place: Place | None) -> str:
    """Return a place (rank) in words: "1", "=1" if models share it, "" if there is no place."""
    return "" if place is None else f"={place.number}" if place.shared else str(place.number)


def mark_need(result: NeedResult) -> NeedMark:
    """Return a need (requirement) of a use in words, with its threshold, and with the value unless that passes."""
    row = ABILITIES[result.need.ability]
    threshold = wording.amount(result.need.threshold, row.base_unit)
    if result.value is None or result.state is NeedState.PASS:
        details = _("%(amount)s needed") % {"amount": threshold}
    else:
        words = {"value": describe_amount(result.value), "threshold": threshold}
        details = _("%(value)s; needed: %(threshold)s") % words
    return NeedMark(result.state.value, row.title, _(_STATES[result.state]), details)


_GATES = {
    Gate.LOST_DATA: gettext_noop("A card of this model lost data in a test."),
    Gate.LOSSES: gettext_noop("Beware: %(losers)s of %(people)s people had a card that lost data in a test."),
    Gate.SUSPICIOUS: gettext_noop("Beware: %(suspicious)s of %(cards)s tested cards are suspicious."),
    Gate.DOES_NOT_FIT: gettext_noop("It does not fit a %(board)s."),
    Gate.TOO_SMALL: gettext_noop("It is too small: for “%(use)s” a card should hold %(least)s or more."),
    Gate.NOT_SOLD: gettext_noop("Shops no longer sell it."),
}


def explain_gates(advice: Advice) -> str:
    """Return a sentence for each reason against a model besides speed, the gravest first; "" if there is none."""
    words = {
        "losers": advice.facts.losers,
        "people": advice.facts.judging_people,
        "suspicious": advice.facts.suspicious,
        "cards": advice.facts.cards,
        "board": device_names.noun(advice.board),
        "use": advice.use.title,
        "least": wording.localize(capacity_words(advice.use.min_capacity_gb)),
    }
    return " ".join(_(_GATES[gate]) % words for gate in advice.gates)


def mark_needs(advice: Advice) -> tuple[NeedMark, ...]:
    """Return all needs of a use in words, and the endurance if the use asks for it."""
    marks = tuple(map(mark_need, advice.needs))
    return (*marks, mark_endurance(advice.facts)) if advice.use.wants_endurance else marks


def mark_endurance(facts: ModelFacts) -> NeedMark:
    """Return the endurance in words: promised by the maker, shown in a card's health report, or not known."""
    title = _("Endurance")
    if facts.endurance:
        return NeedMark("pass", title, _("promised"), describe_endurance(facts.endurance))
    if facts.tells_health:
        return NeedMark("unclear", title, _("reported"), _("a card reported how much of its life is used up"))
    return NeedMark("not_measured", title, _("not known"), _("we know of no promise by the maker"))


def describe_endurance(endurance: Endurance) -> str:
    """Return the promised endurance in words, such as "5,000 hours of Full HD, 2 years of warranty"."""
    figures = (
        (endurance.hours_full_hd, _("%(amount)s hours of Full HD")),
        (endurance.tbw, _("%(amount)s TB written")),
        (endurance.warranty_years, _("%(amount)s years of warranty")),
    )
    known = (words % {"amount": wording.localize(f"{amount:,g}")} for amount, words in figures if amount)
    return ", ".join(known)


def write_headline(advice: Advice) -> str:
    """Return the verdict on a model for a device, after warnings; only warnings if they exclude the model."""
    verdict = "" if advice.is_excluded else _write_verdict(advice)
    return " ".join(filter(None, (explain_gates(advice), verdict)))


def _write_verdict(advice: Advice) -> str:
    words = {"board": _name_purpose(advice)}
    if advice.fails_need:
        failed = next(result for result in advice.needs if result.state is NeedState.FAIL)
        return _("Too slow for a %(board)s. %(reason)s") % {**words, "reason": explain_need(failed)}
    if advice.leading is None:
        return _("Not tested for a %(board)s yet.") % words
    if advice.passes_needs:
        return _("Fast enough for a %(board)s.") % words
    if not advice.needs:
        return f"{describe_leading(advice.leading)}."
    return _("It may be fast enough for a %(board)s.") % words


def _name_purpose(advice: Advice) -> str:
    # The device, and the use unless that is its usual one.
    noun = device_names.noun(advice.board)
    return noun if advice.use == advice.board.use else f"{noun} ({advice.use.title})"


def explain_need(result: NeedResult) -> str:
    """Return a need (requirement) of a use as a sentence: "Small writes: 46 IOPS; needed: 500 IOPS."."""
    row = result.value.row if result.value else ABILITIES[result.need.ability]
    words = {
        "ability": row.title,
        "value": describe_amount(result.value) if result.value else _("not measured"),
        "threshold": wording.amount(result.need.threshold, row.base_unit),
    }
    return _("%(ability)s: %(value)s; needed: %(threshold)s.") % words
