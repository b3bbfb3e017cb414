"""GET /api/v1/schema/: the OpenAPI document. It changes with the code alone, and is made once in each process."""

from threading import Lock
from typing import Any

from django.http import HttpRequest, HttpResponse
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from api.fresh_view import Fresh
from submissions import freshness

# What describes a view stands on its class: two threads that write the document at once would mix it up.
_writing = Lock()
_written: dict[str, str | bytes] = {}  # by format; however it is asked for, there is one in each


class SchemaView(Fresh, SpectacularAPIView):
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        renderer = request.accepted_renderer
        with _writing:
            if renderer.format not in _written:
                document = super().get(request, *args, **kwargs)
                _written[renderer.format] = renderer.render(document.data, renderer.media_type, {})
        return HttpResponse(_written[renderer.format], content_type=renderer.media_type)

    def stamp(self, request: HttpRequest) -> str:
        return freshness.release()
