"""Who sends a request: an account, or a network; nothing else is read of them.

One person is one voice: in scores, in how much stands behind them, in how many cards of a model he may send in a day,
and in remarks. A person is a network as large as one person can hold: a rented server comes with an IPv6 /48. An IPv4
address stands alone: each costs rent, while strangers share the addresses around it. Accounts are free, so they are no
voices of their own: each keeps that of the network from which it sent first.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TypedDict

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.request import HttpHeaders
from rest_framework.request import Request
from rest_framework.settings import api_settings

from submissions.domain.errors import ReportError
from submissions.models import Submission, keys
from submissions.models.keys import LOCAL

_HELD_BY_ONE = {4: 32, 6: 48}

# With the same secret in this header a client that lost the answer gets its delete key again.
RECEIPT_SECRET = "Receipt-Secret"
_SECRET_IN_META = HttpHeaders.to_wsgi_name(RECEIPT_SECRET)
SECRET_PATTERN = r"[A-Za-z0-9_-]{32,128}"


class Origin(TypedDict):
    """The sender, as arguments of `admitting.accept_report`."""

    submitter: str
    account: User | None
    proof: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """`network`: as the function `network` says. `account`: logged in or, `by_token`, the owner of the token sent."""

    network: str
    account: User | None
    by_token: bool = False

    @property
    def submitter(self) -> str:
        """The voice: keyed hash of the network that one person can hold; one query for an account."""
        own = Submission.objects.voice_of(self.account) if self.account else ""
        return own or _voice(self.network)

    @property
    def is_local(self) -> bool:
        """Whether the request comes from the server itself."""
        return self.network == LOCAL


def of(request: HttpRequest | Request) -> Visitor:
    """The visitor behind a request to a page or to the API.

    Behind proxies the address is taken from X-Forwarded-For, as many places from its end as NUM_PROXIES says;
    what stands further left may be invented by the sender.
    """
    account, by_token = _logged_in(request.user), getattr(request, "auth", None) is not None
    return Visitor(_network_of(request), account, by_token)


def unnamed(request: HttpRequest) -> Visitor:
    """The visitor by the address alone: nobody looks whether there is a session."""
    return Visitor(_network_of(request), None)


def _network_of(request: HttpRequest | Request) -> str:
    """By the same address as rest_framework's `get_ident`, which makes a mapping of all headers to look up one."""
    forwarded, proxies = request.META.get("HTTP_X_FORWARDED_FOR"), api_settings.NUM_PROXIES
    if not proxies or forwarded is None:
        return network(request.META.get("REMOTE_ADDR", ""))
    addresses = forwarded.split(",")
    return network(addresses[-min(proxies, len(addresses))])


def submitter(request: HttpRequest | Request) -> str:
    return of(request).submitter


def origin(request: HttpRequest | Request) -> Origin:
    """Raises ReportError for a receipt secret that could be guessed."""
    visitor, secret = of(request), request.META.get(_SECRET_IN_META, "")
    if secret and not re.fullmatch(SECRET_PATTERN, secret):
        raise ReportError(
            f"{RECEIPT_SECRET} is 32 to 128 random letters, digits, - and _; make another one.",
            code="wrong_receipt_secret",
        )
    return {"submitter": visitor.submitter, "account": visitor.account, "proof": keys.proof(secret)}


@lru_cache(maxsize=1024)
def network(address: str) -> str:
    """What counts as one household: an IPv4 address, or the /64 around an IPv6 one. `LOCAL` for this machine."""
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
    return keys.submitter_key("address", held_by_one(network))


@lru_cache(maxsize=1024)
def held_by_one(network: str) -> str:
    """The network one person can hold around a `network`: an IPv6 /48, or an IPv4 address."""
    if network in (LOCAL, "unknown"):
        return network
    parsed = ip_network(network)
    return str(parsed.supernet(new_prefix=_HELD_BY_ONE[parsed.version])).removesuffix("/32")


def _logged_in(user: object) -> User | None:
    """The user of a request, if logged in. On pages it is a lazy object; the API may have none."""
    return user if getattr(user, "is_authenticated", False) else None  # type: ignore[return-value]
