"""Limits of the API: a view says with `limit` under what its writing counts; reading counts under one name."""

from typing import TYPE_CHECKING

from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from submissions.visitors import limits, visitor

if TYPE_CHECKING:  # it reads the settings that name this module
    from rest_framework.views import APIView


class Throttle(BaseThrottle):
    """An answer that is kept, or 304, costs nothing and is not counted."""

    def __init__(self) -> None:
        self._wait_s: float | None = None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        name = "read" if request.method in SAFE_METHODS else getattr(view, "limit", "change")
        self._wait_s = limits.spend(name, visitor.of(request))
        return self._wait_s is None

    def wait(self) -> float | None:
        return self._wait_s


def charge(request: Request, name: str, cost: int) -> None:
    """Count what one request brings many of. Raises Throttled."""
    wait_s = limits.spend(name, visitor.of(request), cost=cost)
    if wait_s is not None:
        raise Throttled(wait_s)
