"""Define base classes of API views that refuse unknown query parameters, and that answer from a cache."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.listing import filters
from submissions import freshness


class StrictView(APIView):
    # Refuses query parameters other than these and `format`. No docstring, because the OpenAPI document would print it.
    parameters: tuple[str, ...] = ()

    def initial(self, request: Request, *args: Any, **where: Any) -> None:
        super().initial(request, *args, **where)
        filters.refuse_unknown(request.query_params, (*self.parameters, "format"))


class CachedView(APIView):
    # Answers GET from a cache, and with 304 if nothing has changed. Inherit from it before APIView.

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        def ask() -> HttpResponseBase:
            return super(CachedView, self).dispatch(request, *args, **where)

        if "Authorization" in request.headers:  # a wrong token gets its refusal
            return ask()
        return freshness.answer(request, ask, stamp=self.stamp(request))

    def stamp(self, request: HttpRequest) -> str:
        """Return a text that changes when the response may change, or "" for a response that is not cached."""
        return freshness.current_stamp() if request.method in ("GET", "HEAD") else ""
