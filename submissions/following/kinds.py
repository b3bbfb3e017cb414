"""What can be followed: a row for each kind, with what of it is compared and the words in which a change is told."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import gt, ne
from typing import Any, NamedTuple

from django.core.exceptions import FieldError, ValidationError
from django.db import DataError
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from submissions.domain.identity.suspicions.families import Family, at_address
from submissions.domain.ranking import boards, profiles
from submissions.domain.ranking.wish import Wish
from submissions.models import Card, CardModel, Run, Score, Submission
from submissions.models.ranking import conditions
from submissions.models.submission import SubmissionQuerySet

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)

# What a search raises that no form has written: facets that are none, values of another kind.
_NO_SEARCH = (ValueError, KeyError, TypeError, FieldError, ValidationError, DataError)


class State(NamedTuple):
    """`key`: what is compared. `name`: what the words name. `path`: its page. `since`: the newest test."""

    key: str = ""
    name: str = ""
    path: str = "/"
    since: datetime = BEGINNING


class UnknownSubject(ValueError):
    """There is nothing of this name to follow."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`state`: of a subject, as it is now; raises UnknownSubject. `english_words` name %(subject)s and %(name)s."""

    english: str
    english_words: str
    state: Callable[[str], State]
    subject: Callable[[str], str]
    is_news: Callable[[str, str], bool] = gt  # of a key and the one before

    @property
    def title(self) -> str:
        return gettext(self.english)

    def words(self, subject: str, name: str) -> str:
        """Of a change."""
        return gettext(self.english_words) % {"subject": self.subject(subject), "name": name}


def _newest(submissions: SubmissionQuerySet) -> State:
    """The newest test; one query. Later ones have greater keys: one that is taken back makes no other one new."""
    newest = submissions.published().order_by("-pk").first()
    if newest is None:
        return State()
    name = newest.run.card.variant.card_model.name
    path = reverse("run", args=[newest.public_id])
    return State(f"{newest.pk:020}", name, path, newest.received_at)


def _of_model(slug: str) -> State:
    if not CardModel.objects.filter(slug=slug).exists():
        raise UnknownSubject(slug)
    return _newest(Submission.objects.filter(run__card__variant__card_model__slug=slug))


def _name(slug: str) -> str:
    """Of a model; its slug when it is gone."""
    return CardModel.objects.filter(slug=slug).values_list("name", flat=True).first() or slug


def search_subject(wish: Wish) -> str:
    return json.dumps([wish.board.slug, wish.profile.name, dict(wish.chosen)], sort_keys=True, default=str)


def _of_search(subject: str) -> State:
    try:
        board, profile, chosen = json.loads(subject)
        wish = Wish(boards.all_boards()[board], profiles.all_profiles()[profile], chosen)
        wanted = Score.objects.filter(conditions(wish)).values("card_model")
        return _newest(Submission.objects.filter(run__card__variant__card_model__in=wanted))
    except _NO_SEARCH:
        raise UnknownSubject(subject) from None


def _search_words(subject: str) -> str:
    board, profile, chosen = json.loads(subject)
    wish = Wish(boards.all_boards()[board], profiles.all_profiles()[profile])
    return ", ".join([wish.board.title, wish.profile.title, *(f"{name} {chosen[name]}" for name in chosen)])


def _wish(subject: str) -> Wish:
    board, _, profile = subject.partition("/")
    slot, purpose = boards.all_boards().get(board), profiles.all_profiles().get(profile)
    if slot is None or purpose is None or purpose.slot != slot.interface.slot:
        raise UnknownSubject(subject)
    return Wish(slot, purpose)


def _first(subject: str) -> State:
    wish = _wish(subject)
    best = Score.objects.wanted(wish).select_related("card_model").first()
    if best is None:
        return State()
    path = reverse("best", args=[wish.board.slug, wish.profile.name])
    newest = _newest(Submission.objects.filter(run__card__variant__card_model=best.card_model_id))
    return State(best.card_model.slug, best.card_model.name, path, newest.since)


def _first_words(subject: str) -> str:
    wish = _wish(subject)
    return f"{wish.board.title}, {wish.profile.title}"


def _of_family(subject: str) -> State:
    silicon = _family(subject)._asdict()
    own = {f"run__card__variant__{name}": value for name, value in silicon.items()}
    return _newest(Submission.objects.filter(**own))


def _family(subject: str) -> Family:
    """By the address of its page."""
    parts = subject.split("/")
    family = at_address(*parts) if len(parts) == 3 else None
    if family is None:
        raise UnknownSubject(subject)
    return family


def _health(key: str) -> State:
    """The last figure that the card told of its life."""
    card = Card.objects.filter(key=key).first()
    if card is None:
        raise UnknownSubject(key)
    runs = Run.objects.filter(card=card, readings__contains=[{"name": "life_used"}]).order_by("-pk")
    readings: list[dict[str, Any]] = next(iter(runs.values_list("readings", flat=True)[:1]), [])
    used = next((reading["value"] for reading in readings if reading["name"] == "life_used"), None)
    return State() if used is None else State(f"{used:g}", f"{used:g} %", reverse("card", args=[key]))


KINDS: Mapping[str, Kind] = {
    "model": Kind(
        gettext_noop("New tests of a model"), gettext_noop("A new test of %(name)s"), _of_model, _name
    ),
    "search": Kind(
        gettext_noop("New tests in a search"),
        gettext_noop("A new test of %(name)s, found by your search (%(subject)s)"),
        _of_search,
        _search_words,
    ),
    "first": Kind(
        gettext_noop("Number one of a board"),
        gettext_noop("New number one (%(subject)s): %(name)s"),
        _first,
        _first_words,
        ne,
    ),
    "family": Kind(
        gettext_noop("New tests of cards with this CID"),
        gettext_noop("A new test of %(name)s, of the family %(subject)s"),
        _of_family,
        lambda subject: _family(subject).pnm,
    ),
    "health": Kind(
        gettext_noop("Health of a card"),
        gettext_noop("Of your card’s life %(name)s is used"),
        _health,
        lambda key: key[:8],
        ne,
    ),
}


def state_of(kind: str, subject: str) -> State:
    """As it is now. Raises UnknownSubject for a kind or a subject that is not there."""
    if kind not in KINDS or "\x00" in subject or "\\u0000" in subject or len(subject) > 1000:
        raise UnknownSubject(subject)
    return KINDS[kind].state(subject)
