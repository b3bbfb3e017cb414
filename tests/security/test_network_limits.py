"""Security review, finding 2: rate limits count the many addresses of a large network as one visitor."""

import secrets
from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions import counters
from submissions.counters import redis_client
from submissions.visitors import limits
from submissions.visitors.visitor import Visitor, network
from tests.factories import body, uuid

PASSWORD = "a long one, and right"


@pytest.fixture(autouse=True)
def few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RATE_LIMITS = dict.fromkeys(("submit", "look", "change", "log-in"), (3, 3600))
    monkeypatch.setattr(limits, "outage", counters.Outage())


@pytest.fixture
def home() -> str:
    """Return the first part of the address of a new IPv6 /48 network."""
    return f"2001:db8:{secrets.token_hex(2)}"


@pytest.fixture
def street() -> str:
    """Return the first part of the address of a new IPv4 /24 network, in the reserved range."""
    return f"{240 + secrets.randbelow(15)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"


def count_accepted(addresses: Iterable[str], **who: Any) -> int:
    return [limits.spend("submit", Visitor(network(address), None, **who)) for address in addresses].count(
        None
    )


def test_addresses_of_one_64_are_one(home: str) -> None:
    assert count_accepted(f"{home}::{host:x}" for host in range(20)) == 3


def test_a_56_may_ten_times_as_often(home: str) -> None:
    assert count_accepted(f"{home}:{subnet:x}::1" for subnet in range(0, 256, 2)) == 30


def test_a_48_may_a_hundred_times_as_often(home: str) -> None:
    assert count_accepted(f"{home}:{subnet:x}00::1" for subnet in range(256) for _ in range(2)) == 300


def test_an_ipv4_24_may_ten_times_as_often(street: str) -> None:
    assert count_accepted(f"{street}.{host}" for host in range(0, 256, 2)) == 30


def test_what_is_refused_counts_nowhere(home: str) -> None:
    """If refused requests counted, an address could use up the limit of its neighbours."""
    assert count_accepted([f"{home}::1"] * 100) == 3
    assert count_accepted(f"{home}:{subnet:x}::1" for subnet in range(1, 200)) == 27


def test_many_accounts_of_one_network_are_not_many(home: str) -> None:
    """A token permits ten times as many requests as an address, and they also count for the network of the address."""
    accounts = [User(pk=secrets.randbelow(2**31)) for _ in range(4)]
    visitors = [Visitor(network(f"{home}::1"), account, by_token=True) for account in accounts]
    assert [limits.spend("submit", visitor) for visitor in visitors for _ in range(20)].count(None) == 30


def test_an_account_is_one_wherever_it_is(home: str) -> None:
    ada = User(pk=secrets.randbelow(2**31))
    visitors = [Visitor(network(f"{home}:{subnet:x}00::1"), ada) for subnet in range(100)]
    assert [limits.spend("submit", visitor) for visitor in visitors].count(None) == 30


def test_no_address_and_no_name_stands_in_redis(home: str, street: str) -> None:
    store, name = redis_client(patience_s=2), f"ada-{secrets.token_hex(4)}"
    before = set(store.scan_iter("limit:*"))
    count_accepted([f"{home}::1", f"{street}.1"])
    limits.spend("log-in", Visitor(network(f"{street}.7"), None), subject=name)
    limits.remember_login(name, Visitor(network(f"{street}.7"), None))
    new = [key.decode() for key in set(store.scan_iter("limit:*")) - before]
    assert len(new) == 3 + 2 + 3 + 1
    assert not [key for key in new if home in key or street in key or name in key]


# Tests of logging in.


def guess(address: str, name: str = "ada", password: str = "wrong") -> int:
    sent = {"username": name, "password": password}
    return Client().post("/account/log-in/", sent, REMOTE_ADDR=address).status_code


@pytest.fixture
def ada(db: None) -> str:
    """Create an account with a new name, and return the name."""
    name = f"ada-{secrets.token_hex(4)}"
    User.objects.create_user(name, password=PASSWORD)
    return name


def test_one_account_is_not_tried_from_everywhere(ada: str) -> None:
    answers = [guess(f"2001:db8:{secrets.token_hex(2)}::1", ada) for _ in range(60)]
    assert (answers.count(200), answers.count(429)) == (3, 57)
    assert guess(f"2001:db8:{secrets.token_hex(2)}::1", f" {ada.upper()} ") == 429


def test_nobody_locks_the_owner_out(ada: str, home: str) -> None:
    assert guess(f"{home}::1", ada, PASSWORD) == 302
    for _ in range(10):
        guess(f"2001:db8:{secrets.token_hex(2)}::1", ada)
    assert guess(f"{home}:77::1", ada, PASSWORD) == 302


def test_whoever_is_welcome_is_limited_as_a_network(ada: str, home: str) -> None:
    answers = [guess(f"{home}::1", ada, PASSWORD), *(guess(f"{home}::1", ada) for _ in range(9))]
    assert answers == [302, 200, 200, *[429] * 7]


def test_an_account_that_does_not_exist_is_limited_alike(db: None) -> None:
    name = secrets.token_hex(6)
    answers = [guess(f"2001:db8:{secrets.token_hex(2)}::1", name) for _ in range(5)]
    assert answers == [200, 200, 200, 429, 429]


# Tests of requests from this machine.


@pytest.mark.django_db
@pytest.mark.parametrize(("limited", "answers"), [(True, [202, 202, 202, 429]), (False, [202] * 4)])
def test_whether_loopback_is_limited_is_a_setting(
    client: Client, settings: Any, limited: bool, answers: Any
) -> None:
    redis_client(patience_s=2).flushdb()
    settings.LIMIT_LOOPBACK = limited
    assert [
        client.post("/api/v1/submissions/", body(uuid=uuid(number)), "application/json").status_code
        for number in range(4)
    ] == answers
