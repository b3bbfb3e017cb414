"""GET /api/v1/schema/: the OpenAPI document. It changes with the code alone, and is made once."""

from threading import Lock
from typing import Any

from django.http import HttpRequest
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from api.fresh_view import Fresh
from submissions import freshness

# What describes a view stands on its class: two threads that write the document at once would mix it up.
_writing = Lock()


class SchemaView(Fresh, SpectacularAPIView):
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        with _writing:
            response: Response = super().get(request, *args, **kwargs)
        return response

    def stamp(self, request: HttpRequest) -> str:
        return freshness.release()
