"""For views whose answer depends on nothing but the database and the address."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.views import APIView

from submissions import freshness


class Fresh(APIView):
    """Answers GET from what is kept, with 304 where nothing has changed. Put it before APIView."""

    from_database = True  # False: what the stamp of the database does not tell

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        if not self.from_database:
            return super().dispatch(request, *args, **where)
        return freshness.answer(request, lambda: APIView.dispatch(self, request, *args, **where))
