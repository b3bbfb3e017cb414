"""Where a webhook may go, and how far: strangers name the address."""

import time
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest

from submissions.following import hooks as outgoing
from submissions.following.hooks import NotDelivered, is_public, post
from tests.submissions.following.receivers import Hooks, ended, started


class _Drip(StreamRequestHandler):
    def handle(self) -> None:
        try:
            for letter in b"HTTP/1.1 200 " + b"x" * 100:
                self.wfile.write(bytes([letter]))
                time.sleep(0.05)
        except OSError:
            return


def test_it_works(anywhere: None, hooks: Hooks) -> None:
    assert post(hooks.url, b"{}", {"Flashdb-Delivery": "7"}) == "200"
    [(_, headers, content)] = hooks.taken
    assert (headers["Flashdb-Delivery"], headers["Content-Type"], content) == ("7", "application/json", b"{}")


def test_no_redirect_is_followed(anywhere: None, hooks: Hooks) -> None:
    hooks.answers, hooks.headers = [302], {"Location": hooks.url}
    with pytest.raises(NotDelivered, match="it answered 302"):
        post(hooks.url, b"{}", {})
    assert len(hooks.taken) == 1


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "0.0.0.0"]
)
def test_no_machine_of_our_own_is_reached(host: str) -> None:
    with pytest.raises(NotDelivered, match="open internet"):
        post(f"https://{host}/", b"{}", {})


@pytest.mark.parametrize(
    "place",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *("::ffff:10.0.0.1", "2002:0a00:0001::", "64:ff9b::a00:1", "2001:0:1::1", "::127.0.0.1"),
    ],
)
def test_no_address_is_public_that_is_not(place: str) -> None:
    assert not is_public(place)


@pytest.mark.parametrize("place", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_the_open_internet_is_public(place: str) -> None:
    assert is_public(place)


def test_whoever_drips_is_cut_off(anywhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "TIMEOUT_S", 0.3)
    with ThreadingTCPServer(("127.0.0.1", 0), _Drip) as server:
        started(server)
        with pytest.raises(NotDelivered):
            post(f"http://127.0.0.1:{server.server_address[1]}/", b"{}", {})
        ended(server)
