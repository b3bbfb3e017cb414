"""Limit how often a visitor may read pages or send forms."""

import math
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from submissions.visitors import limits, visitor

View = Callable[..., HttpResponseBase]
_COUNTED_ELSEWHERE = ("/api/", "/health/", "/ready/", "/metrics/")
Choice = Callable[[HttpRequest], str]


def limit(name: str | Choice, *, subject: Choice = lambda _: "") -> Callable[[View], View]:
    """Return a decorator that limits how often a visitor may send the form of a view by POST; GET is not counted.

    `name`: name of the rate limit, or a function that returns it. `subject`: function that returns a second key to
    count by, such as the account for which a password is tried (see limits.count_request).
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def count_first(request: HttpRequest, *args: object, **where: object) -> HttpResponseBase:
            if request.method != "POST":
                return view(request, *args, **where)
            bucket = name if isinstance(name, str) else name(request)
            cost = limits.cost_of_request(request.META)
            wait_s = limits.spend(bucket, visitor.identify(request), cost=cost, subject=subject(request))
            return _refuse(request, wait_s) if wait_s else view(request, *args, **where)

        return count_first

    return decorate


class LimitReading(MiddlewareMixin):
    """Middleware that limits how often a visitor may read pages, cached or not; the API counts its own requests."""

    def process_view(self, request: HttpRequest, view: View, *_: object) -> HttpResponse | None:
        if request.method not in ("GET", "HEAD") or request.path.startswith(_COUNTED_ELSEWHERE):
            return None
        wait_s = limits.spend("page", visitor.identify_by_address(request))
        return _refuse(request, wait_s) if wait_s else None


def _refuse(request: HttpRequest, wait_s: float) -> HttpResponse:
    answer = render(request, "429.html", {"sentence": limits.explain_refusal(wait_s)}, status=429)
    answer.headers["Retry-After"] = str(math.ceil(wait_s))
    return answer
