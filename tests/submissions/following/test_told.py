"""A new number one for a Pi 5, told by mail, webhook and feed, once each, through restarts of every part."""

import hashlib
import hmac
import json
import re
from collections.abc import Callable

import pytest
from celery import current_app
from django.test import Client
from django.utils import timezone

from submissions import tasks
from submissions.models import Delivery, Event, Subscription
from tests.api.test_models import card
from tests.conftest import Worker
from tests.submissions.following.receivers import Hooks, Mails

FOLLOW, FEED = (f"/{page}/?kind=first&subject=raspberry-pi-5/pi-root" for page in ("follow", "feeds/follow"))
Wait = Callable[[Callable[[], object]], None]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, settings: object, mails: Mails) -> None:
    """Of the worker, and of this process."""
    monkeypatch.setenv("MAIL_URL", mails.url)
    monkeypatch.setenv("HOOKS_ANYWHERE", "True")
    settings.HOOKS_ANYWHERE = True  # type: ignore[attr-defined]


def test_it_works(client: Client, mails: Mails, hooks: Hooks, worker: Worker, wait_until: Wait) -> None:
    card(1, "Slow", 100)
    worker.start()
    _both_follow(client, mails, hooks, wait_until)
    worker.kill()
    hooks.answers = [500, 503]
    card(2, "Fast", 2000)
    _told_in_spite_of_kills(worker, wait_until)
    _each_once(client, mails, hooks)


def _both_follow(client: Client, mails: Mails, hooks: Hooks, wait_until: Wait) -> None:
    client.post(FOLLOW, {"channel": "mail", "address": "me@example.org"})
    client.post(FOLLOW, {"channel": "hook", "address": hooks.url})
    wait_until(lambda: mails.taken and Subscription.objects.confirmed().filter(channel="hook").exists())
    question = mails.taken.pop().get_content()
    client.post(re.search(r"http://testserver(/follow/\S+)", question)[1])  # type: ignore[index]
    assert Subscription.objects.confirmed().count() == 2
    wait_until(lambda: not Delivery.objects.filter(done_at=None).exists())
    hooks.taken.clear()


def _told_in_spite_of_kills(worker: Worker, wait_until: Wait) -> None:
    """The worker dies as soon as the change is written down, and again while the receiver refuses; Redis forgets."""
    tasks.tell.delay()
    worker.start()
    wait_until(Event.objects.exists)
    worker.kill()
    with current_app.connection_for_write() as broker:
        broker.default_channel.client.flushdb()
    _lease_is_over()
    tasks.sweep()  # as the beat does
    worker.start()
    wait_until(lambda: Delivery.objects.filter(answer__contains="50").exists())
    worker.kill()
    _lease_is_over()
    tasks.sweep()
    worker.start()
    wait_until(lambda: not Delivery.objects.filter(done_at=None).exists())


def _lease_is_over() -> None:
    """Instead of waiting for it."""
    Delivery.objects.filter(done_at=None, attempts__gt=0).update(next_at=timezone.now())


def _each_once(client: Client, mails: Mails, hooks: Hooks) -> None:
    event = Event.objects.get()
    messages = {mail["Message-ID"]: mail for mail in mails.taken}
    [mail] = messages.values()
    assert "Fast 4 GB" in mail["Subject"] and "http://testserver/best/" in mail.get_content()
    assert [status for status, _, _ in hooks.taken][-3:] == [500, 503, 200]
    _, headers, content = hooks.taken[-1]
    assert [one["event"] for one in json.loads(content)["events"]] == [event.pk]
    key = Subscription.objects.get(channel="hook").key
    signature = hmac.new(key.encode(), content, hashlib.sha256).hexdigest()
    assert headers["Flashdb-Signature"] == f"sha256={signature}"
    feed = client.get(FEED).content.decode()
    assert feed.count("<entry>") == 1 and "Fast 4 GB" in feed
