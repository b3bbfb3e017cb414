"""Who sends a request: an account, or a network; nothing else is read of them."""

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
    """The sender, as arguments of `tasks.accept`."""

    submitter: str
    account: User | None


@dataclass(frozen=True, slots=True)
class Visitor:
    """`network`: as the function `network` says. `account`: logged in or, `by_token`, the owner of the token sent."""

    network: str
    account: User | None
    by_token: bool = False

    @property
    def submitter(self) -> str:
        """Keyed hash of the account, else of the network."""
        if self.account:
            return keys.submitter_key("account", str(self.account.pk))
        return keys.submitter_key("address", self.network)

    @property
    def is_local(self) -> bool:
        """Whether the request comes from the server itself."""
        return self.network == LOCAL


def of(request: HttpRequest | Request) -> Visitor:
    """The visitor behind a request to a page or to the API.

    Behind proxies the address is taken from X-Forwarded-For, as many places from its end as NUM_PROXIES says;
    what stands further left may be invented by the sender.
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


def _logged_in(user: object) -> User | None:
    """The user of a request, if logged in. On pages it is a lazy object; the API may have none."""
    return user if getattr(user, "is_authenticated", False) else None  # type: ignore[return-value]
