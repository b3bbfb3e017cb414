"""What changed is told once to whoever wants it, whatever breaks meanwhile."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from submissions.following import channels, outbox
from submissions.following.hooks import NotDelivered
from submissions.following.kinds import UnknownSubject, state_of
from submissions.models import Card, Delivery, Event, Followed, Score, Submission, Subscription
from tests.api.test_lists import card
from tests.submissions.pages.test_wear import reading

pytestmark = pytest.mark.django_db
FIRST = "raspberry-pi-5/pi-root"
NO_SEARCHES = (
    *('{"password": "x"}', '{"capacity_gb": {}}', '{"q": 7}', "7", '{"brand": "\\u0000"}'),
    '{"seen_since": "never"}',
)


def subscribed(
    kind: str = "first",
    subject: str = FIRST,
    *,
    channel: str = "mail",
    confirmed: bool = True,
    **changes: Any,
) -> Subscription:
    own = {"address": "ann@there.example", "submitter": "ann", "site": "https://f.example", "language": "en"}
    made = outbox.subscribe(outbox.follow(kind, subject), channel=channel, **(own | changes))
    assert made
    if confirmed:
        outbox.deliver()
        outbox.confirm(made)
        mail.outbox.clear()
    return made


def later(seconds: float) -> None:
    """As if so much time had passed."""
    for delivery in Delivery.objects.all():
        delivery.next_at -= timedelta(seconds=seconds)
        delivery.done_at = delivery.done_at and delivery.done_at - timedelta(seconds=seconds)
        delivery.save()


def change(name: str = "Samsung 4 GB") -> None:
    """Another number one."""
    followed = Followed.objects.get()
    outbox._note(followed.pk, outbox.State(name, name, "/best/raspberry-pi-5/pi-root/"))


def test_it_works() -> None:
    subscription = subscribed()
    assert outbox.look() == 0
    card(1)
    assert (outbox.look(), outbox.look()) == (1, 0)
    outbox.deliver()
    (message,) = mail.outbox
    assert (
        message.subject
        == "flashdb: New number one (Raspberry Pi 5 or 500, Running the system): Kingston 4 GB"
    )
    assert "https://f.example/best/raspberry-pi-5/pi-root/" in message.body
    page = f"https://f.example/follow/{subscription.secret}/"
    assert page in message.body
    assert message.extra_headers["List-Unsubscribe"] == f"<{page}stop/>"
    later(7200)
    outbox.deliver()
    assert len(mail.outbox) == 1


def test_nobody_is_told_who_has_not_said_yes() -> None:
    subscription = subscribed(confirmed=False)
    outbox.deliver()
    (question,) = mail.outbox
    assert subscription.get_absolute_url() in question.body
    change()
    assert Delivery.objects.filter(event__isnull=False).count() == 0


def test_a_place_that_changes_hands_all_the_time_fills_no_letter_box() -> None:
    subscribed()
    change("A")
    change("B")
    outbox.deliver()
    assert [message.subject.rpartition(" ")[2] for message in mail.outbox] == ["B"]
    change("C")
    change("D")
    outbox.deliver()
    assert [message.subject.rpartition(" ")[2] for message in mail.outbox] == ["B"]
    later(3600)
    outbox.deliver()
    assert [message.subject.rpartition(" ")[2] for message in mail.outbox] == ["B", "D"]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Delivery) -> str:
        raise NotDelivered("it answered 500")

    monkeypatch.setattr(channels, "send", fail)


def test_what_does_not_get_through_is_tried_again_with_growing_pauses(failing: None) -> None:
    subscribed(channel="hook", address="https://there.example/", confirmed=False)
    delivery = Delivery.objects.get()
    for attempt, pause in enumerate(outbox.PAUSES_S[:-1], start=1):
        outbox.deliver()
        delivery.refresh_from_db()
        assert (delivery.attempts, delivery.answer, delivery.done_at) == (attempt, "it answered 500", None)
        assert pause - 2 < (delivery.next_at - timezone.now()).total_seconds() <= pause
        later(pause)
    outbox.deliver()
    delivery.refresh_from_db()
    assert delivery.done_at
    assert not Subscription.objects.confirmed()


def test_a_webhook_says_yes_by_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "send", lambda _: "200")
    subscribed(channel="hook", address="https://there.example/", confirmed=False)
    outbox.deliver()
    assert Subscription.objects.confirmed().count() == 1


def test_what_a_killed_worker_had_taken_is_taken_again() -> None:
    subscribed(confirmed=False)
    assert outbox._take() and not outbox._take()
    outbox.deliver()
    assert mail.outbox == []
    later(outbox.LEASE_S)
    outbox.deliver()
    assert len(mail.outbox) == 1


def test_a_worker_has_other_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "DELIVERING_S", 0)
    subscribed(confirmed=False)
    assert outbox.deliver() == 1
    assert mail.outbox == []


def test_it_says_when_to_come_back() -> None:
    assert outbox.deliver() is None
    subscribed(confirmed=False)
    Delivery.objects.update(next_at=timezone.now() + timedelta(seconds=40))
    assert outbox.deliver() in (40, 41)


def test_nobody_is_asked_twice_or_by_many() -> None:
    subscribed(confirmed=False)
    again = outbox.follow("first", FIRST)
    own = {"channel": "mail", "address": "ann@there.example", "site": "https://f.example", "language": "en"}
    assert outbox.subscribe(again, **own, submitter="bob") is None
    for number, board in enumerate(("raspberry-pi-4", "raspberry-pi-3")):
        outbox.subscribe(outbox.follow("first", f"{board}/pi-root"), **own, submitter=f"s{number}")
    with pytest.raises(outbox.TooMany):
        outbox.subscribe(outbox.follow("first", "raspberry-pi-5/media"), **own, submitter="another")


def test_one_person_follows_so_much() -> None:
    for number in range(outbox.MOST_OF_ONE):
        subscribed(address=f"{number}@there.example", confirmed=False)
    with pytest.raises(outbox.TooMany):
        subscribed(address="more@there.example")


def test_what_is_over_is_forgotten() -> None:
    kept = subscribed()
    change()
    late = subscribed("first", "raspberry-pi-4/pi-root", address="bob@there.example", confirmed=False)
    Subscription.objects.filter(pk=late.pk).update(created_at=timezone.now() - outbox.UNCONFIRMED)
    Delivery.objects.update(done_at=timezone.now() - 2 * outbox.KEPT)
    Event.objects.update(happened_at=timezone.now() - 2 * outbox.KEPT)
    outbox.forget()
    assert Subscription.objects.get() == kept
    assert Followed.objects.get() == kept.followed
    assert not Delivery.objects.exists() and not Event.objects.exists()


@pytest.mark.parametrize(
    ("kind", "subject"),
    [
        *(("model", "no-such-card"), ("model", "a\0b"), ("nothing", "x"), ("", "")),
        *(("first", "raspberry-pi-5"), ("first", "no-board/pi-root"), ("first", "raspberry-pi-5/no-purpose")),
        *(("search", "{"), ("search", "[]"), ("search", '["raspberry-pi-5", "none", {}]')),
        *(("search", f'["raspberry-pi-5", "pi-root", {chosen}]') for chosen in NO_SEARCHES),
        *(("family", "sd/zz/x"), ("family", "sd/02-544d"), ("health", "no-such-card")),
        ("model", 1001 * "x"),
    ],
)
def test_what_is_not_there_cannot_be_followed(kind: str, subject: str) -> None:
    with pytest.raises(UnknownSubject):
        state_of(kind, subject)


def _search() -> str:
    return '["raspberry-pi-5", "pi-root", {"brand": "Kingston"}]'


@pytest.mark.parametrize(
    ("kind", "subject", "words"),
    [
        ("model", lambda: "kingston-4-gb", "A new test of Kingston 4 GB"),
        (
            "search",
            _search,
            "A new test of Kingston 4 GB, found by your search (Raspberry Pi 5 or 500, Running the",
        ),
        ("family", lambda: "sd/02-544d/SA04G", "A new test of Kingston 4 GB, of the family SA04G"),
    ],
)
def test_a_new_test_is_told(kind: str, subject: Callable[[], str], words: str) -> None:
    card(1)
    outbox.follow(kind, subject())
    assert outbox.look() == 0
    card(2)
    assert outbox.look() == 1
    assert outbox.words(Event.objects.get()).startswith(words)


def test_another_card_is_no_news_of_this_model() -> None:
    card(1)
    outbox.follow("model", "kingston-4-gb")
    card(2, "Samsung")
    assert outbox.look() == 0


def test_what_is_taken_back_makes_nothing_new() -> None:
    card(1)
    card(2)
    followed = outbox.follow("family", "sd/02-544d/SA04G")
    Submission.objects.latest("pk").delete()
    assert (followed.state != state_of("family", followed.subject).key, outbox.look()) == (True, 0)


def test_the_health_of_a_card_is_told() -> None:
    reading(1, 0, 10)
    outbox.follow("health", Card.objects.get().key)
    assert outbox.look() == 0
    reading(2, 60, 12)
    assert outbox.look() == 1
    assert outbox.words(Event.objects.get()) == "Of your card’s life 12 % is used"


def test_a_thing_that_is_gone_is_passed_over() -> None:
    card(1)
    outbox.follow("health", Card.objects.get().key)
    Followed.objects.update(subject="gone")
    assert outbox.look() == 0


def test_what_was_not_looked_at_for_longest_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_LOOKED_AT", 1)
    card(1)
    outbox.follow("first", "raspberry-pi-4/pi-root")
    outbox.follow("model", "kingston-4-gb")
    card(2)
    assert [outbox.look(), outbox.look()] == [0, 1]
    assert Score.objects.exists()
