"""/api/ for people: recipes, every address with what it does, and Swagger UI beside it."""

from dataclasses import dataclass
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from api.recipes import recipes

# As every page (flashdb/headers.py), but Swagger UI has its small pictures in its style sheet.
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str
    path: str
    does: str


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """What the API is, with recipes to copy."""
    server = request.build_absolute_uri("/").rstrip("/")
    introduction, *rest = recipes(server)
    context = {"introduction": introduction, "recipes": rest, "endpoints": _endpoints()}
    return render(request, "api/index.html", context)


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Swagger UI, from this server."""
    response = render(request, "api/reference.html")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@cache
def _endpoints() -> tuple[Endpoint, ...]:
    """Every method of every address, as OpenAPI tells it."""
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    return tuple(
        Endpoint(method.upper(), path, operation.get("description", "").partition("\n")[0])
        for path, methods in paths.items()
        for method, operation in methods.items()
    )
