"""Identify the sender of a request by its account and network.

Each person counts once: in estimates, in the limit of cards per day, and in remarks. A person is recognized by the
largest network that one person can rent cheaply: an IPv6 /48, or a single IPv4 address. Accounts are free, so an
account counts as the network from which it sent its first submission.
"""

import re
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.request import HttpHeaders
from rest_framework.request import Request
from rest_framework.settings import api_settings

from submissions.domain.errors import ReportError
from submissions.models import Submission, keys
from submissions.models.keys import LOCAL
from submissions.writing.receiving import Sender

_PREFIX_OF_PERSON = {4: 32, 6: 48}
# Addresses of one such network often belong to one company, which rents them together.
_PREFIX_OF_NEIGHBOURS = {4: 24, 6: 48}
_NO_NETWORKS = (LOCAL, "unknown")

# A client that lost the answer sends the same secret in this header to get its delete key again.
RECEIPT_SECRET = "Receipt-Secret"
_SECRET_IN_META = HttpHeaders.to_wsgi_name(RECEIPT_SECRET)
SECRET_PATTERN = r"[A-Za-z0-9_-]{32,128}"


class Visitor(NamedTuple):
    """The sender of a request: a network, and the account that logged in or, if `by_token`, sent its token."""

    network: str
    account: User | None
    by_token: bool = False

    @property
    def submitter(self) -> str:
        """Return the keyed hash under which submissions count as of one person; one query if there is an account."""
        own = Submission.objects.voice_of(self.account) if self.account else ""
        return own or _voice(self.network)

    @property
    def network_number(self) -> int | None:
        """Return a keyed hash of the wider network (IPv4 /24, IPv6 /48); None for this server or an unknown address."""
        return _number_of_neighbours(self.network)

    @property
    def is_local(self) -> bool:
        """Return whether the request comes from the server itself."""
        return self.network == LOCAL


def identify(request: HttpRequest | Request) -> Visitor:
    """Return the visitor behind a request to a page or to the API.

    Behind proxies the address is the one NUM_PROXIES places from the end of X-Forwarded-For; the sender may have
    invented the earlier ones.
    """
    account, by_token = find_account(request), getattr(request, "auth", None) is not None
    return Visitor(_network_of(request), account, by_token)


def identify_by_address(request: HttpRequest) -> Visitor:
    """Return the visitor behind a request by the address only, without reading the session."""
    return Visitor(_network_of(request), None)


def _network_of(request: HttpRequest | Request) -> str:
    # The same as DRF's `get_ident`, but faster: that copies all headers to look up one.
    forwarded, proxies = request.META.get("HTTP_X_FORWARDED_FOR"), api_settings.NUM_PROXIES
    if not proxies or forwarded is None:
        return network(request.META.get("REMOTE_ADDR", ""))
    addresses = forwarded.split(",")
    return network(addresses[-min(proxies, len(addresses))])


def origin(request: HttpRequest | Request, channel: str) -> Sender:
    """Return the sender of a report by this channel. Raise ReportError if its receipt secret could be guessed."""
    visitor, secret = identify(request), request.META.get(_SECRET_IN_META, "")
    if secret and not re.fullmatch(SECRET_PATTERN, secret):
        raise ReportError(
            f"{RECEIPT_SECRET} is 32 to 128 random letters, digits, - and _; make another one.",
            code="wrong_receipt_secret",
        )
    return {
        "channel": channel,
        "submitter": visitor.submitter,
        "account": visitor.account,
        "proof": keys.proof(secret),
        "network": visitor.network_number,
    }


@lru_cache(maxsize=1024)
def network(address: str) -> str:
    """Return the network of a household: an IPv4 address, the /64 of an IPv6 address, or `LOCAL` for this machine."""
    try:
        parsed = ip_address(address.strip())
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return LOCAL
    return str(parsed) if parsed.version == 4 else str(ip_network((parsed, 64), strict=False))


@lru_cache(maxsize=1024)
def _voice(network: str) -> str:
    return keys.submitter_key("address", network_of_person(network))


def network_of_person(network: str) -> str:
    """Return the network that counts as one person: the IPv6 /48 around a `network`, or an IPv4 address."""
    return network if network in _NO_NETWORKS else _widen(network, _PREFIX_OF_PERSON).removesuffix("/32")


@lru_cache(maxsize=1024)
def _number_of_neighbours(network: str) -> int | None:
    return None if network in _NO_NETWORKS else keys.network_number(_widen(network, _PREFIX_OF_NEIGHBOURS))


def _widen(network: str, prefixes: dict[int, int]) -> str:
    parsed = ip_network(network)
    return str(parsed.supernet(new_prefix=prefixes[parsed.version]))


def find_account(request: HttpRequest | Request) -> User | None:
    """Return the account that logged in or sent its token, or None."""
    user = request.user  # on pages a lazy object; the API may have none
    return user if getattr(user, "is_authenticated", False) else None  # type: ignore[return-value]
