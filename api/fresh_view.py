"""For views whose answer depends on little more than the address."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.listing import filters
from submissions import freshness


class Known(APIView):
    # The parameters that an address takes, beside the `format` of all. No docstring: visitors would read it.
    parameters: tuple[str, ...] = ()

    def initial(self, request: Request, *args: Any, **where: Any) -> None:
        super().initial(request, *args, **where)
        filters.refuse_unknown(request.query_params, (*self.parameters, "format"))


class Fresh(APIView):
    # Answers GET from what is kept, with 304 where nothing has changed. Stands before APIView.

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        def ask() -> HttpResponseBase:
            return super(Fresh, self).dispatch(request, *args, **where)

        if "Authorization" in request.headers:  # a wrong token is told so
            return ask()
        return freshness.answer(request, ask, stamp=self.stamp(request))

    def stamp(self, request: HttpRequest) -> str:
        """What the answer depends on; "" when that is not known."""
        return freshness.current_stamp() if request.method in ("GET", "HEAD") else ""
