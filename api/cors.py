"""Pages of other sites may read the API. It takes no cookies, so they act with no visitor's rights."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

ROOM = "/api/"
# What is only asked, and stores nothing, may be asked from anywhere.
_ASKED = ("/api/v1/decode/", "/api/v1/parse/")
_EXPOSED = "ETag, Last-Modified, Link, Retry-After"


class CorsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(ROOM):
            return self.get_response(request)
        response = _preflight(request) if _is_preflight(request) else self.get_response(request)
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        return response


def _is_preflight(request: HttpRequest) -> bool:
    return request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers


def _preflight(request: HttpRequest) -> HttpResponse:
    methods = "GET, HEAD, POST" if request.path in _ASKED else "GET, HEAD"
    response = HttpResponse(
        status=204,
        headers={
            "Access-Control-Allow-Methods": methods,
            "Access-Control-Allow-Headers": "Content-Type, If-None-Match, If-Modified-Since",
            "Access-Control-Max-Age": "86400",
        },
    )
    patch_vary_headers(response, ["Access-Control-Request-Method"])
    return response
