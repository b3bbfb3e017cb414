"""A POST to an address of a stranger's choice reaches the open internet alone, ends in time, and is signed."""

import hashlib
import hmac
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from submissions.following import hooks, outbox
from submissions.following.hooks import NotDelivered, checked, is_public, post
from tests.submissions.following.receivers import Receiver, serving
from tests.submissions.following.test_outbox import subscribed


@pytest.fixture
def anywhere(settings: Any) -> None:
    settings.HOOKS_ANYWHERE = True


@pytest.mark.django_db
def test_it_works(anywhere: None) -> None:
    with serving(Receiver()) as receiver:
        subscription = subscribed(channel="hook", address=receiver.url, confirmed=False)
        outbox.deliver()
        ((headers, body),) = receiver.taken
    signature = hmac.new(subscription.key.encode(), body, hashlib.sha256).hexdigest()
    assert headers["Flashdb-Signature"] == f"sha256={signature}"
    sent = json.loads(body)
    assert sent["page"] == f"https://f.example{subscription.get_absolute_url()}"
    assert (sent["kind"], sent["subject"], sent["event"]) == ("first", "raspberry-pi-5/pi-root", None)
    assert headers["Flashdb-Delivery"] == str(sent["delivery"])


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://there.example/", "https"),
        ("ftp://there.example/", "https"),
        ("https:///path", "host"),
        ("https://user:word@there.example/", "name"),
        ("https://there.example/a b", "blank"),
        ("https://there.example/\n", "blank"),
        ("https://thére.example/", "special"),
        ("https://there.example:22/", "ports"),
        ("https://there.example:99999/", "no address"),
        ("https://[::1/", "no address"),
        ("", "https"),
    ],
)
def test_such_an_address_is_refused_before_anything_is_asked(address: str, why: str) -> None:
    with pytest.raises(NotDelivered, match=why):
        checked(address)


@pytest.mark.parametrize(
    "place",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "::1", "::", "fe80::1%eth0", "fc00::1"),
        *(
            "::ffff:127.0.0.1",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
            "2001:0:4136:e378::",
            "ff02::1",
            "2001:db8::1",
        ),
    ],
)
def test_it_is_not_the_open_internet(place: str) -> None:
    assert not is_public(place)


@pytest.mark.parametrize("place", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_it_is_the_open_internet(place: str) -> None:
    assert is_public(place)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "2130706433", "0x7f.1"])
def test_no_name_leads_to_this_machine(name: str) -> None:
    with pytest.raises(NotDelivered, match=r"open internet|Error"):
        post(f"https://{name}/", b"{}", {})


@pytest.mark.parametrize("status", [302, 404, 500])
def test_another_answer_is_no_delivery_and_leads_nowhere(anywhere: None, status: int) -> None:
    with serving(Receiver(status)) as receiver, pytest.raises(NotDelivered, match=str(status)):
        post(receiver.url, b"{}", {})


def test_nobody_there(anywhere: None) -> None:
    with pytest.raises(NotDelivered, match="refused"):
        post("http://127.0.0.1:9/", b"{}", {})


@pytest.fixture
def silent() -> Iterator[str]:
    """Takes the call, and says a letter now and then."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_who_says_nothing_keeps_nobody(
    anywhere: None, monkeypatch: pytest.MonkeyPatch, silent: str, scheme: str
) -> None:
    monkeypatch.setattr(hooks, "TIMEOUT_S", 0.3)
    began = time.monotonic()
    with pytest.raises(NotDelivered):
        post(f"{scheme}://{silent}/", b"{}", {})
    assert time.monotonic() - began < 30  # not for ever: the limit only ends a test that has failed anyway
