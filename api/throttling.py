"""Limit the rate of API requests: a write counts for the limit that its view names in `limit`, a read for “read”."""

from math import ceil
from typing import Any

from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from submissions.domain.errors import ReportError
from submissions.visitors import limits, visitor
from submissions.visitors.limits import Balance

_BALANCE = "flashdb.rate_limit"


def rate_limit_headers(request: HttpRequest) -> dict[str, str]:
    """Return the RateLimit headers (draft-ietf-httpapi-ratelimit-headers-11); {} if the request was not counted."""
    balance: Balance | None = request.META.get(_BALANCE)
    if balance is None:
        return {}
    return {
        "RateLimit-Policy": f'"{balance.name}";q={balance.most};w={balance.period_s}',
        "RateLimit": f'"{balance.name}";r={balance.left};t={ceil(balance.wait_s or balance.reset_s)}',
    }


class Throttle(BaseThrottle):
    """A throttle of DRF by `visitors.limits`. Responses from the cache do not count, because they reach no view."""

    _wait_s: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        name = "read" if request.method in SAFE_METHODS else getattr(view, "limit", "change")
        balance = limits.count_request(
            name, visitor.identify(request), cost=limits.cost_of_request(request.META)
        )
        request.META[_BALANCE] = balance
        self._wait_s = balance.wait_s if balance else None
        return self._wait_s is None

    def wait(self) -> float | None:
        return self._wait_s


def count_batch(request: Request, name: str, cost: int) -> None:
    """Count a batch as `cost` requests for the rate limit `name`, all of them or none.

    Raise Throttled, or ReportError if the limit never allows so many at once.
    """
    who = visitor.identify(request)
    if cost > (most := limits.largest_cost(name, who)):
        raise ReportError(
            f"The batch has {cost:,} reports, and none of them was accepted: the limit is {most:,.0f} at once. Send"
            f" it in parts, or with a token, which allows {limits.WITH_TOKEN} times as many.",
            code="too_many",
        )
    wait_s = limits.spend(name, who, cost=cost)
    if wait_s is not None:
        raise Throttled(wait_s)
