"""Who is asking, as far as we want to know."""

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TypedDict

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from submissions import keys
from submissions.keys import LOCAL


class Origin(TypedDict):
    """What `tasks.accept` wants to know of a sender."""

    submitter: str
    account: User | None


@dataclass(frozen=True, slots=True)
class Visitor:
    """`network`: where they come from, see there. `account`: who is logged in or, `by_token`, whose token was sent."""

    network: str
    account: User | None
    by_token: bool = False

    @property
    def submitter(self) -> str:
        """Keyed hash that stands for this person: of the account, else of the network."""
        if self.account:
            return keys.submitter_key("account", str(self.account.pk))
        return keys.submitter_key("address", self.network)

    @property
    def is_local(self) -> bool:
        """Whether they sit at the server itself."""
        return self.network == LOCAL


def of(request: HttpRequest | Request) -> Visitor:
    """The visitor behind a request to a page or to the API.

    Behind proxies the address is taken from X-Forwarded-For, as many places from its end as NUM_PROXIES says;
    what stands further left anybody can invent.
    """
    address = BaseThrottle().get_ident(request)  # type: ignore[arg-type]  # it reads META, which both have
    account, by_token = _logged_in(request.user), getattr(request, "auth", None) is not None
    return Visitor(network(address or ""), account, by_token)


def submitter(request: HttpRequest | Request) -> str:
    return of(request).submitter


def origin(request: HttpRequest | Request) -> Origin:
    visitor = of(request)
    return {"submitter": visitor.submitter, "account": visitor.account}


@lru_cache(maxsize=1024)
def network(address: str) -> str:
    """What one household has: an IPv4 address, or the /64 around an IPv6 one. `LOCAL` for this machine."""
    try:
        found = ip_address(address.strip())
    except ValueError:
        return "unknown"
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    if found.is_loopback:
        return LOCAL
    return str(found) if found.version == 4 else str(ip_network((found, 64), strict=False))


def _logged_in(user: object) -> User | None:
    """Pages carry a lazy user, the API none at all."""
    return user if getattr(user, "is_authenticated", False) else None  # type: ignore[return-value]
