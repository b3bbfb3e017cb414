"""What following refuses, and what it promises to whom it writes."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from submissions.following import outbox
from submissions.models import Card, Delivery, Event, Followed, Run, Subscription
from tests.api.test_models import card
from tests.submissions.following.receivers import Hooks

pytestmark = pytest.mark.django_db(transaction=True)
FIRST = "/follow/?kind=first&subject=raspberry-pi-5/pi-root"
ME = {"channel": "mail", "address": "me@example.org"}


def told() -> list[str]:
    """Subjects of what has been mailed by now."""
    outbox.look()
    outbox.deliver()
    return [str(message.subject) for message in mail.outbox]


def confirmed(client: Client, url: str = FIRST, sent: dict[str, str] = ME) -> Subscription:
    assert client.post(url, sent).status_code in (200, 302)
    outbox.deliver()
    subscription = Subscription.objects.get()
    client.post(subscription.get_absolute_url())
    mail.outbox.clear()
    return subscription


def later(**time: int) -> None:
    """Everything was so long ago."""
    for row in Subscription.objects.all():
        Subscription.objects.filter(pk=row.pk).update(
            quiet_until=row.quiet_until - timedelta(**time), created_at=row.created_at - timedelta(**time)
        )
    for delivery in Delivery.objects.all():
        done_at = delivery.done_at and delivery.done_at - timedelta(**time)
        Delivery.objects.filter(pk=delivery.pk).update(
            next_at=delivery.next_at - timedelta(**time), done_at=done_at
        )


def test_nothing_comes_before_somebody_confirms(client: Client) -> None:
    card(1, "Slow", 100)
    client.post(FIRST, ME)
    card(2, "Fast", 2000)
    assert told() == ["flashdb: Please confirm: Number one of a board"]
    assert client.get(Subscription.objects.get().get_absolute_url()).status_code == 200
    card(3, "Faster", 4000)
    assert len(told()) == 1, "whoever looks, as mail programs do, has not confirmed"


def test_one_click_ends_it_and_deletes_the_address(client: Client) -> None:
    subscription = confirmed(client)
    card(1, "Fast", 2000)
    told()
    [message] = mail.outbox
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = message.extra_headers["List-Unsubscribe"].strip("<>").removeprefix("http://testserver")
    machine = Client(enforce_csrf_checks=True)
    assert machine.get(address).headers["Location"] == subscription.get_absolute_url()
    assert machine.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Subscription.objects.exists() and not Delivery.objects.exists()
    card(2, "Faster", 4000)
    assert len(told()) == 1


def test_one_mail_an_hour_with_all_that_happened(client: Client) -> None:
    confirmed(client)
    for number, brand in enumerate(("Fast", "Faster", "Fastest"), 1):
        card(number, brand, 2000 * number)
        told()
    assert len(mail.outbox) == 1
    later(hours=1)
    told()
    assert len(mail.outbox) == 2 and "Fastest 4 GB" in mail.outbox[1].subject
    assert "Faster 4 GB" in mail.outbox[1].body


def test_what_is_taken_is_nobody_elses() -> None:
    subscription = _subscription()
    assert outbox._take() and not outbox._take()
    Delivery.objects.update(next_at=timezone.now())
    assert [one.attempts for one in outbox._take()] == [2]
    assert subscription.deliveries.count() == 1


def test_a_change_is_written_down_once() -> None:
    followed = outbox.follow("first", "raspberry-pi-5/pi-root")
    stale = Followed.objects.get()
    card(1, "Fast", 2000)
    assert outbox._looked_at(followed) and not outbox._looked_at(stale)
    assert Event.objects.count() == 1


def _subscription(**changes: Any) -> Subscription:
    own = {
        "channel": "mail",
        "address": "me@example.org",
        "submitter": "me",
        "site": "http://x",
        "language": "de",
    }
    return outbox.subscribe(outbox.follow("first", "raspberry-pi-5/pi-root"), **own | changes)  # type: ignore[return-value]


def test_mail_speaks_the_language_of_who_asked() -> None:
    _subscription()
    assert told() == ["flashdb: Bitte bestätigen: Nummer eins eines Geräts"]


@pytest.mark.parametrize("kind", ["model", "family", "search", "health"])
def test_every_kind_is_told(client: Client, kind: str) -> None:
    card(1, "Fast", 2000)
    Run.objects.update(life_used=10)
    subjects = {
        "model": "kind=model&subject=fast-4-gb",
        "family": "kind=family&subject=SD-02-544d-SA04G",
        "search": "kind=search&board=raspberry-pi-5&profile=pi-root&brand=Fast",
        "health": f"kind=health&subject={Card.objects.get().key}",
    }
    confirmed(client, f"/follow/?{subjects[kind]}")
    assert told() == []
    card(3, "Fast", 1000)
    Run.objects.update(life_used=20)
    [subject] = told()
    assert ("20 %" if kind == "health" else "Fast 4 GB") in subject
    assert client.get(f"/feeds/follow/?{subjects[kind]}").content.count(b"<entry>") == 1


def test_what_is_taken_back_makes_nothing_new(client: Client) -> None:
    card(1, "Fast", 2000)
    card(2, "Fast", 2000)
    confirmed(client, "/follow/?kind=model&subject=fast-4-gb")
    newest = Run.objects.latest("pk").submission
    newest.run.delete()
    assert told() == []


@pytest.mark.parametrize(
    "query",
    [
        "",
        "kind=first",
        "kind=first&subject=abacus/pi-root",
        "kind=first&subject=raspberry-pi-5/express",
        "kind=model&subject=nothing",
        "kind=model&subject=%00",
        "kind=health&subject=x",
        "kind=family&subject=SD-xx",
        "kind=nothing&subject=x",
        "kind=search&subject=[]",
        "kind=search&subject=1",
        'kind=search&subject=["raspberry-pi-5","pi-root",{"password":"x"}]',
        'kind=search&subject=["raspberry-pi-5","pi-root",{"capacity":{"a":1}}]',
        'kind=search&subject=["raspberry-pi-5","pi-root",7]',
        f"kind=model&subject={'x' * 1001}",
    ],
)
def test_what_is_not_there_cannot_be_followed(client: Client, query: str) -> None:
    for page in ("follow", "feeds/follow"):
        assert client.get(f"/{page}/?{query}").status_code == 404
    assert client.post(f"/follow/?{query}", ME).status_code == 404


@pytest.mark.parametrize(
    ("channel", "address"),
    [
        ("mail", ""),
        ("mail", "nobody"),
        ("mail", "a@example.org\nBcc: b@example.org"),
        ("pigeon", "me@example.org"),
        ("hook", "http://example.org/"),
        ("hook", "https://"),
        ("hook", "https://me:secret@example.org/"),
        ("hook", "https://example.org:22/"),
        ("hook", "https://example.org:x/"),
        ("hook", "https://example.org/a b"),
        ("hook", "https://[::1/"),
    ],
)
def test_no_address_of_another_kind(client: Client, channel: str, address: str) -> None:
    answer = client.post(FIRST, {"channel": channel, "address": address})
    assert answer.status_code == 400 and b"errorlist" in answer.content
    assert not Subscription.objects.exists()


def test_one_address_is_asked_once_and_for_few_things(client: Client) -> None:
    for _ in range(2):
        client.post(FIRST, ME | {"address": "Me@Example.org"})
    assert Subscription.objects.count() == 1
    for board in ("raspberry-pi-4", "raspberry-pi-3", "raspberry-pi-zero-2-w"):
        last = client.post(f"/follow/?kind=first&subject={board}/pi-root", ME)
    assert last.status_code == 400 and b"That is enough" in last.content
    assert Subscription.objects.count() == outbox.MOST_ASKED


def test_one_person_follows_so_many_things() -> None:
    for number in range(outbox.MOST_OF_ONE):
        _subscription(address=f"{number}@example.org")
    with pytest.raises(outbox.TooMany):
        _subscription(address="one-more@example.org")


def test_a_network_may_ask_so_often(client: Client, settings: Any) -> None:
    settings.LIMIT_LOOPBACK, settings.RATE_LIMITS = True, {"follow": (1, 86_400)}
    assert client.post(FIRST, ME).status_code == 200
    assert client.post(FIRST, ME | {"address": "other@example.org"}).status_code == 429


def test_an_address_is_forgotten_that_nobody_confirms(client: Client) -> None:
    client.post(FIRST, ME)
    later(days=3)
    Followed.objects.update(created_at=timezone.now() - timedelta(days=3))
    outbox.forget()
    assert not Subscription.objects.exists() and not Followed.objects.exists()


def test_deliveries_are_kept_for_a_month(client: Client) -> None:
    subscription = confirmed(client)
    outbox.forget()
    assert subscription.deliveries.count() == 1
    later(days=31)
    outbox.forget()
    assert subscription.deliveries.count() == 0 and Subscription.objects.exists()


def test_a_mail_server_that_is_away_loses_nothing(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    _subscription()
    assert [_tried() for _ in outbox.PAUSES_S] == list(outbox.PAUSES_S)
    assert sum(outbox.PAUSES_S) > 86_400 and sorted(outbox.PAUSES_S) == list(outbox.PAUSES_S)
    _tried()
    [delivery] = Delivery.objects.all()
    assert delivery.done_at and "ConnectionRefusedError" in delivery.answer and Subscription.objects.exists()


def _tried() -> int:
    """-> seconds until it is tried again."""
    Delivery.objects.update(next_at=timezone.now())
    now = timezone.now()
    outbox.deliver()
    return round((Delivery.objects.get().next_at - now).total_seconds())


def test_a_webhook_that_never_answers_is_deleted(anywhere: None, hooks: Hooks) -> None:
    hooks.answers = [500] * (len(outbox.PAUSES_S) + 1)
    _subscription(channel="hook", address=hooks.url)
    while Subscription.objects.exists():
        Delivery.objects.update(next_at=timezone.now())
        outbox.deliver()
    assert len(hooks.taken) == len(outbox.PAUSES_S) + 1


def test_the_page_shows_the_last_deliveries(client: Client, anywhere: None, hooks: Hooks) -> None:
    hooks.answers = [500]
    subscription = _subscription(channel="hook", address=hooks.url)
    outbox.deliver()
    page = client.get(subscription.get_absolute_url())
    assert "it answered 500" in page.content.decode() and subscription.key in page.content.decode()
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert client.get("/follow/guessed/").status_code == 404


def test_looking_costs_one_query_each(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    card(1, "Fast", 2000)
    for board in ("raspberry-pi-5", "raspberry-pi-4"):
        outbox.follow("first", f"{board}/pi-root")
    with django_assert_num_queries(3):
        outbox.look()
