"""A visitor is identified by address and network, and one network counts as one person."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import RequestFactory, override_settings
from rest_framework.settings import api_settings

from submissions.models import keys
from submissions.visitors import visitor
from submissions.writing import ingest
from tests.factories import body


def request(**meta: str) -> HttpRequest:
    asked = RequestFactory().get("/", **meta)  # type: ignore[arg-type]
    asked.user = AnonymousUser()
    return asked


def set_proxies(proxies: int) -> Any:
    settings = {name: api_settings.user_settings[name] for name in api_settings.user_settings}
    return override_settings(REST_FRAMEWORK=settings | {"NUM_PROXIES": proxies})


def test_it_tells_addresses_apart_and_does_not_tell_them() -> None:
    first, other = request(REMOTE_ADDR="192.0.2.1"), request(REMOTE_ADDR="192.0.2.2")
    assert (
        visitor.identify(first).submitter
        == visitor.identify(first).submitter
        != visitor.identify(other).submitter
    )
    assert "192.0.2" not in visitor.identify(first).submitter


def test_nobody_changes_into_another_by_a_header() -> None:
    plain = request(REMOTE_ADDR="192.0.2.1")
    dressed = request(REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR="198.51.100.7")
    assert visitor.identify(plain).submitter == visitor.identify(dressed).submitter


def test_behind_a_proxy_its_header_counts_and_nothing_left_of_it() -> None:
    with set_proxies(1):
        seen = request(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="198.51.100.7")
        invented = request(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="203.0.113.9, 198.51.100.7")
        other = request(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="198.51.100.8")
        assert (
            visitor.identify(seen).submitter
            == visitor.identify(invented).submitter
            != visitor.identify(other).submitter
        )


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "local"),
        ("::1", "local"),
        ("", "unknown"),
        ("somewhere", "unknown"),
        ("203.0.113.7:4711", "unknown"),
    ],
)
def test_a_household_is_one_visitor(address: str, expected: str) -> None:
    assert visitor.network(address) == expected


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:ffff::1", True),
        ("2001:db8:1:2::1", "2001:db8:2:2::1", False),
        ("203.0.113.7", "::ffff:203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
    ],
)
def test_a_network_that_one_person_can_hold_is_one_voice(one: str, other: str, is_one: bool) -> None:
    voices = {visitor.identify(request(REMOTE_ADDR=address)).submitter for address in (one, other)}
    assert (len(voices) == 1) == is_one


def test_the_voice_of_an_address_stays_what_was_stored() -> None:
    stored = keys.submitter_key("address", "203.0.113.7")
    assert visitor.identify(request(REMOTE_ADDR="203.0.113.7")).submitter == stored


@pytest.mark.parametrize(
    ("one", "other", "are_neighbours"),
    [
        ("203.0.113.7", "203.0.113.250", True),
        ("203.0.113.7", "203.0.114.7", False),
        ("203.0.113.7", "::ffff:203.0.113.9", True),
        ("2001:db8:1:2::1", "2001:db8:1:ffff::1", True),
        ("2001:db8:1:2::1", "2001:db8:2:2::1", False),
    ],
)
def test_neighbours_share_a_number_of_their_network(one: str, other: str, are_neighbours: bool) -> None:
    numbers = {visitor.origin(request(REMOTE_ADDR=address), "api")["network"] for address in (one, other)}
    assert (len(numbers) == 1) == are_neighbours
    assert all(number is not None and 0 <= number < 2**63 for number in numbers)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "", "somewhere"])
def test_the_server_itself_and_unknown_addresses_have_no_network(address: str) -> None:
    assert visitor.origin(request(REMOTE_ADDR=address), "api")["network"] is None


@pytest.mark.django_db
def test_the_network_is_stored_with_the_submission() -> None:
    sender = visitor.origin(request(REMOTE_ADDR="203.0.113.7"), "api")
    stored = ingest.receive(body(), **sender).submission
    stored.refresh_from_db()
    assert stored.network == sender["network"]


@pytest.mark.django_db
def test_accounts_are_no_voices_of_their_own(django_user_model: Any) -> None:
    """An account counts for the network from which it first sent a report, wherever the user is now."""
    home, elsewhere = (request(REMOTE_ADDR=address) for address in ("203.0.113.7", "198.51.100.1"))
    stranger = visitor.identify(home).submitter
    home.user = elsewhere.user = django_user_model.objects.create_user("ada")
    assert visitor.identify(home).submitter == stranger
    ingest.receive(body(), **visitor.origin(home, "api"))
    assert visitor.identify(elsewhere).submitter == stranger
