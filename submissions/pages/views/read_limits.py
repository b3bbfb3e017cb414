"""Pages that may not be asked for, or sent to, too often."""

import math
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from submissions.visitors import limits, visitor

View = Callable[..., HttpResponseBase]
_COUNTED_ELSEWHERE = ("/api/", "/health/", "/ready/", "/metrics/")
Choice = Callable[[HttpRequest], str]


def limited(name: str | Choice, *, subject: Choice = lambda _: "") -> Callable[[View], View]:
    """Count what is sent to a page under `name`, or under what `name` makes of the request. Looking is free.

    `subject`: what it counts for besides its sender (limits.spend).
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def count_first(request: HttpRequest, *args: object, **where: object) -> HttpResponseBase:
            if request.method != "POST":
                return view(request, *args, **where)
            bucket = name if isinstance(name, str) else name(request)
            cost = limits.cost_of_request(request.META)
            wait_s = limits.spend(bucket, visitor.identify(request), cost=cost, subject=subject(request))
            return _later(request, wait_s) if wait_s else view(request, *args, **where)

        return count_first

    return decorate


class LimitReading:
    """Middleware: every page that somebody asks for counts, kept or not; the API counts its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: View, *_: object) -> HttpResponse | None:
        if request.method not in ("GET", "HEAD") or request.path.startswith(_COUNTED_ELSEWHERE):
            return None
        wait_s = limits.spend("page", visitor.identify_by_address(request))
        return _later(request, wait_s) if wait_s else None


def _later(request: HttpRequest, wait_s: float) -> HttpResponse:
    answer = render(request, "429.html", {"sentence": limits.explain_refusal(wait_s)}, status=429)
    answer.headers["Retry-After"] = str(math.ceil(wait_s))
    return answer
