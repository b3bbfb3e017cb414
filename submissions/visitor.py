"""Who is asking, as far as we want to know."""

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from submissions import ingest


def submitter(request: HttpRequest | Request) -> str:
    """Keyed hash of the visitor's address.

    Behind proxies the address is taken from X-Forwarded-For, as many places from its end as NUM_PROXIES says;
    what stands further left anybody can invent.
    """
    address = BaseThrottle().get_ident(request)  # type: ignore[arg-type]  # it reads META, which both have
    return ingest.submitter_key("address", address or "unknown")
