"""First place for a Pi 5: told by mail, webhook and feed, once each, though every part is started again meanwhile."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from submissions import tasks
from submissions.following import outbox
from submissions.models import CardModel, Delivery, Followed, Subscription
from tests.conftest import Worker
from tests.submissions.following.receivers import MailServer, Receiver, serving
from tests.submissions.following.test_outbox import FIRST
from tests.submissions.test_tasks import accept

Wait = Callable[[Callable[[], object]], None]
FORM = "/follow/?kind=first&subject=" + FIRST


def test_it_works(
    client: Client, worker: Worker, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with serving(MailServer()) as post_office, serving(Receiver(500, 503)) as receiver:
        settings.HOOKS_ANYWHERE = True
        monkeypatch.setattr(tasks, "TELL_AFTER_S", 0)
        monkeypatch.setenv("MAIL_URL", post_office.url)
        monkeypatch.setenv("HOOKS_ANYWHERE", "True")
        worker.start()
        _follow(client, post_office, receiver, wait_until)
        worker.kill()
        accept(1)
        worker.start()
        wait_until(lambda: Delivery.objects.filter(event__isnull=False, attempts__gt=0).exists())
        worker.kill()  # in the middle: whatever it had taken is taken again when its lease is over, which is now
        Delivery.objects.update(next_at=F("next_at") - timedelta(seconds=outbox.LEASE_S))
        worker.start()
        wait_until(lambda: Delivery.objects.filter(event__isnull=False, done_at__isnull=False).count() == 2)
        worker.stop()
        worker.start()
        looked_at = Followed.objects.get().looked_at
        accept(2)  # another card of the model that is first already
        wait_until(lambda: Followed.objects.get().looked_at > looked_at)
    name = CardModel.objects.get().name
    told = [words for words in post_office.mails if name in words]
    assert len(set(map(_message_id, told))) == 1 and "New number one" in told[0]
    # What was answered and not yet marked when its worker was killed comes again, with its number.
    assert list(
        {headers["Flashdb-Delivery"]: json.loads(body)["name"] for headers, body in receiver.taken}.values()
    ) == ["", name]
    feed = client.get("/feeds/" + FORM[1:]).content.decode()
    assert feed.count("<entry") == 1 and name in feed


def _message_id(words: str) -> str:
    return words.partition("Message-ID:")[2].split()[0]


def _follow(client: Client, post_office: MailServer, receiver: Receiver, wait_until: Wait) -> None:
    """Both say yes: a person by the link in the mail, a program by its answer."""
    for channel, address in (("mail", "ann@there.example"), ("hook", receiver.url)):
        assert client.post(FORM, {"channel": channel, "address": address}).status_code in (200, 302)
    wait_until(lambda: post_office.mails and receiver.taken)
    (link,) = set(re.findall(r"https?://\S+?(/follow/[\w-]+/)\s", post_office.mails[0]))
    client.post(link)
    wait_until(lambda: Subscription.objects.confirmed().count() == 2)
