"""For what machines ask most often: POST without the machinery that DRF puts around it, by the same rules."""

from typing import Any

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.views import APIView

from api import errors
from api.access import TokenAuthentication


class PlainPost(APIView):
    """Put it first. `post` gets Django's request, reads the body itself, and answers with `answered`.

    The answer is JSON, whatever else the visitor would take.
    """

    def dispatch(self, request: Any, *args: Any, **where: Any) -> HttpResponseBase:
        if request.method != "POST":
            return super().dispatch(request, *args, **where)
        self.headers = self.default_response_headers
        try:
            self._enter(request)
            return self.post(request, *args, **where)  # type: ignore[attr-defined]
        except errors.KNOWN as error:
            return self.finalize_response(request, self.handle_exception(error), *args, **where)

    def _enter(self, request: Any) -> None:
        """Raises APIException for whoever may not. Sessions count on pages only."""
        request.user, request.auth = TokenAuthentication().authenticate(request) or (None, None)
        self.check_permissions(request)
        self.check_throttles(request)


def answered(answer: msgspec.Struct, *, status: int) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(answer), content_type="application/json", status=status)
