"""A page that may not be sent to too often."""

import math
from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from submissions.visitors import limits, visitor

View = Callable[..., HttpResponseBase]
Choice = Callable[[HttpRequest], str]


def limited(name: str | Choice) -> Callable[[View], View]:
    """Count what is sent to a page under `name`, or under what `name` makes of the request. Looking is free."""

    def decorate(view: View) -> View:
        @wraps(view)
        def count_first(request: HttpRequest, *args: object, **where: object) -> HttpResponseBase:
            if request.method != "POST":
                return view(request, *args, **where)
            wait_s = limits.spend(name if isinstance(name, str) else name(request), visitor.of(request))
            return _later(request, wait_s) if wait_s else view(request, *args, **where)

        return count_first

    return decorate


def _later(request: HttpRequest, wait_s: float) -> HttpResponse:
    answer = render(request, "429.html", {"sentence": limits.sentence(wait_s)}, status=429)
    answer.headers["Retry-After"] = str(math.ceil(wait_s))
    return answer
