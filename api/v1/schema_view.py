"""GET /api/v1/schema/: the OpenAPI document. It changes with the code alone, and is made once."""

from django.http import HttpRequest
from drf_spectacular.views import SpectacularAPIView

from api.freshness import Fresh
from submissions import freshness


class SchemaView(Fresh, SpectacularAPIView):
    def stamp(self, request: HttpRequest) -> str:
        return freshness.release()
