"""Say in words what is known of one ability of a model: its value, where it comes from, what stands behind it."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from submissions.domain.measuring import metrics
from submissions.domain.ranking.advice import AbilityValue, NeedResult, Place
from submissions.domain.ranking.order import NeedState
from submissions.pages import wording

_STATES = {
    NeedState.PASS: gettext_noop("enough"),
    NeedState.FAIL: gettext_noop("too slow"),
    NeedState.UNCLEAR: gettext_noop("cannot tell"),
    NeedState.NOT_MEASURED: gettext_noop("not measured"),
}


def name_ability(ability: str) -> str:
    """Return the name of an ability as it is written within a sentence, "small writes"."""
    title = metrics.ABILITIES[ability].title
    return title[:1].lower() + title[1:]


def write_amount(amount: float, ability: str) -> str:
    """Return an amount of an ability with its unit, "3,450 IOPS"."""
    return wording.amount(amount, metrics.ABILITIES[ability].base_unit)


def describe_value(value: AbilityValue) -> str:
    """Return the value with its unit, or the least that it can be if links hid how good it is."""
    if value.at_least:
        return _("at least %(amount)s") % {"amount": write_amount(value.value, value.ability)}
    return write_amount(value.value, value.ability)


def describe_figure(value: AbilityValue) -> str:
    """Return the value and the ability, "3,450 IOPS small writes"."""
    return _("%(amount)s %(ability)s") % {
        "amount": describe_value(value),
        "ability": name_ability(value.ability),
    }


def describe_interval(value: AbilityValue) -> str:
    """Return the ends of the interval, "1,600 IOPS to 7,400 IOPS", or "" if only its lower end is known."""
    if value.at_least:
        return ""
    ends = (write_amount(end, value.ability) for end in (value.lower, value.upper))
    return _("%(low)s to %(high)s") % dict(zip(("low", "high"), ends, strict=True))


def describe_origin(value: AbilityValue | None, device: str) -> str:
    """Return where a value comes from; `device` is a noun, as "Raspberry Pi 5"."""
    if value is None:
        return _("not measured")
    if value.origin == "here":
        return _("measured in a %(device)s") % {"device": device}
    return _("expected from other devices")


def describe_proof(value: AbilityValue) -> str:
    """Return the cards and people behind a value, "2 cards, 1 person", and whether nobody else has a record."""
    words = {
        "cards": ngettext("%(count)s card", "%(count)s cards", value.cards) % {"count": value.cards},
        "people": ngettext("%(count)s person", "%(count)s people", value.people) % {"count": value.people},
        "known": value.known_people,
    }
    if value.is_of_strangers:
        return _("%(cards)s, %(people)s; only strangers report this") % words
    if value.known_people < value.people:
        return _("%(cards)s, %(people)s, %(known)s of them with a record") % words
    return _("%(cards)s, %(people)s") % words


def describe_need(result: NeedResult) -> str:
    """Return a need in words, "Small writes: 46 IOPS, it needs 500 IOPS"."""
    ability = result.need.ability
    return _("%(ability)s: %(amount)s, it needs %(needed)s") % {
        "ability": metrics.ABILITIES[ability].title,
        "amount": describe_value(result.value) if result.value else _("not measured"),
        "needed": write_amount(result.need.threshold, ability),
    }


def describe_state(result: NeedResult) -> str:
    """Return in a word or two whether a need is passed."""
    return _(_STATES[result.state])


def describe_place(place: Place | None) -> str:
    """Return a place as a list prints it, "1", or "=1" if it is shared, or "" for none."""
    if place is None:
        return ""
    return f"={place.number}" if place.shared else str(place.number)


def explain_median(value: AbilityValue) -> str:
    """Return why the middle of the measured values lies outside the interval, or "" if it lies inside."""
    if not value.differs_from_median or (value.at_least and value.median <= value.value):
        return ""
    words = {"amount": write_amount(value.median, value.ability)}
    if value.origin == "elsewhere":
        return _("measured %(amount)s in other devices") % words
    if value.runs == 1:
        return _("measured %(amount)s once, far from all others") % words
    return _("measured %(amount)s, far from all others") % words
