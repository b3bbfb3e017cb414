"""Following something on the pages: ask, say yes, see what came, end it."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client

from submissions.following import outbox
from submissions.models import CardModel, Subscription
from tests.api.test_lists import card

pytestmark = pytest.mark.django_db
FIRST = "/follow/?kind=first&subject=raspberry-pi-5/pi-root"
MAIL = {"channel": "mail", "address": "ann@there.example"}


def test_it_works(client: Client) -> None:
    card(1)
    best = client.get("/best/raspberry-pi-5/pi-root/").content.decode()
    assert 'href="/follow/?kind=first&amp;subject=raspberry-pi-5/pi-root"' in best
    form = client.get(FIRST).content.decode()
    assert 'rel="canonical"' not in form, "without what is followed the address leads nowhere"
    assert "Number one of a board" in form and "Kingston 4 GB" in form
    assert "We have written to this address" in client.post(FIRST, MAIL).content.decode()
    outbox.deliver()
    address = Subscription.objects.get().get_absolute_url()
    assert address in mail.outbox[0].body
    assert "Yes, tell me" in client.get(address).content.decode()
    assert not Subscription.objects.confirmed()  # mail programs look, too
    told = client.post(address, follow=True).content.decode()
    assert "We tell you when it changes" in told and "The question whether you want this" in told
    assert "We have deleted the address" in client.post(f"{address}stop/").content.decode()
    assert not Subscription.objects.exists()
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "This field is required"),
        ({"channel": "mail", "address": "ann"}, "Enter a valid email address"),
        ({"channel": "pigeon", "address": "ann@there.example"}, "Select a valid choice"),
        ({"channel": "hook", "address": "http://there.example/"}, "it must begin with https://"),
        ({"channel": "hook", "address": "https://127.0.0.1:22/"}, "only the ports 443 and 8443"),
        ({"channel": "mail", "address": 501 * "a"}, "at most 500 characters"),
        (
            {"channel": "mail", "address": "ann@there.example\r\nBcc: bob@there.example"},
            "Enter a valid email address",
        ),
    ],
)
def test_what_is_wrong_is_said(client: Client, sent: dict[str, str], words: str) -> None:
    answer = client.post(FIRST, sent)
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not Subscription.objects.exists()


@pytest.mark.parametrize("query", ["", "?kind=first", "?kind=first&subject=x", "?kind=model&subject=a%00b"])
def test_there_is_nothing_of_this_name(client: Client, query: str) -> None:
    for path in ("/follow/", "/feeds/follow/"):
        assert client.get(path + query).status_code == 404


def test_enough_is_enough(client: Client) -> None:
    for board in ("raspberry-pi-5", "raspberry-pi-4", "raspberry-pi-3"):
        client.post(f"/follow/?kind=first&subject={board}/pi-root", MAIL)
    answer = client.post("/follow/?kind=first&subject=raspberry-pi-5/media", MAIL)
    assert answer.status_code == 400 and "That is enough" in answer.content.decode()


def test_who_follows_already_is_not_betrayed(client: Client) -> None:
    first, second = (client.post(FIRST, MAIL).content.decode() for _ in range(2))
    assert "We have written to this address" in first and "We have written to this address" in second
    assert Subscription.objects.count() == 1


def test_a_search_is_followed_as_it_was_typed(client: Client) -> None:
    card(1)
    address = "/follow/?kind=search&board=raspberry-pi-5&q=kingston+4gb&seen_since=2020-01-01"
    assert "kingston" in client.get(address).content.decode().lower()
    client.post(address, MAIL)
    assert outbox.look() == 0
    card(2)
    assert outbox.look() == 1
    assert "Kingston 4 GB" in client.get(f"/feeds{address}").content.decode()


def test_a_webhook_gets_a_key_and_says_yes_by_itself(client: Client) -> None:
    answer = client.post(FIRST, {"channel": "hook", "address": "https://there.example/x"}, follow=True)
    subscription = Subscription.objects.get()
    page = answer.content.decode()
    assert subscription.key in page and "https://there.example/x" in page
    assert "As soon as your address answers" in page
    assert answer.headers["Cache-Control"] == "private, no-store"
    client.post(subscription.get_absolute_url())
    assert not Subscription.objects.confirmed()


def test_a_mail_program_ends_it_without_a_cookie() -> None:
    strict = Client(enforce_csrf_checks=True)
    followed = outbox.follow("first", "raspberry-pi-5/pi-root")
    own: dict[str, Any] = {"submitter": "x", "site": "https://f.example", "language": "de"}
    subscription = outbox.subscribe(followed, **MAIL, **own)
    assert subscription
    stop = f"{subscription.get_absolute_url()}stop/"
    assert strict.get(stop).status_code == 405
    assert strict.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Subscription.objects.exists()


def test_it_is_asked_in_the_language_of_who_asked(client: Client) -> None:
    client.post(FIRST, MAIL, headers={"Accept-Language": "de"})
    outbox.deliver()
    assert "Bitte bestätige" in mail.outbox[0].subject


def test_a_feed_says_how_it_stands_and_then_what_changed(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    card(1)
    feed = "/feeds" + FIRST
    assert client.get(feed).content.decode().count("<entry") == 1
    client.post(FIRST, MAIL)
    CardModel.objects.update(name="Another card", slug="another")
    outbox.look()
    with django_assert_max_num_queries(4):
        assert "Another card" in client.get(feed).content.decode()


def test_last_messages_need_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    client.post(FIRST, MAIL)
    outbox.deliver()
    subscription = Subscription.objects.get()
    outbox.confirm(subscription)
    for number in range(5):
        outbox._note(subscription.followed_id, outbox.State(str(number), f"card {number}", "/"))
        subscription.deliveries.update(attempts=1)
    with django_assert_max_num_queries(3):
        assert "card 4" in client.get(subscription.get_absolute_url()).content.decode()


def test_a_site_without_mail_offers_none(client: Client, settings: Any) -> None:
    settings.HAS_MAIL = False
    assert 'value="mail"' not in client.get(FIRST).content.decode()
    assert client.post(FIRST, MAIL).status_code == 400
