"""Set CORS headers: pages of other sites may read the API, and write with a token.

The API ignores cookies, so these pages cannot act as their visitors. They could still write without a token, because
browsers send a simple POST without asking first (a preflight); `api.refusals` refuses that.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from api import problems, throttling

ROOM = "/api/"
# These views answer a question and store nothing, so pages of every site may use them.
QUESTIONS = ("/api/v1/decode/", "/api/v1/decode/batch/", "/api/v1/parse/")
_EXPOSED = "Deprecation, ETag, Last-Modified, Link, RateLimit, RateLimit-Policy, Retry-After"


class CorsMiddleware(MiddlewareMixin):
    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(ROOM):
            return self.get_response(request)
        is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        response = _preflight(request) if is_preflight else self.get_response(request)
        problems.render(request, response)
        for name, value in throttling.rate_limit_headers(request).items():
            response.headers[name] = value
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response


def _preflight(request: HttpRequest) -> HttpResponse:
    methods, headers = _allowed_methods_and_headers(request)
    response = HttpResponse(
        status=204,
        headers={
            "Access-Control-Allow-Methods": methods,
            "Access-Control-Allow-Headers": headers,
            "Access-Control-Max-Age": "86400",
        },
    )
    patch_vary_headers(response, ["Access-Control-Request-Method", "Access-Control-Request-Headers"])
    return response


def _allowed_methods_and_headers(request: HttpRequest) -> tuple[str, str]:
    reading = "If-None-Match, If-Modified-Since"
    if request.path in QUESTIONS:
        return "GET, HEAD, POST", f"Content-Type, {reading}"
    asked = request.headers.get("Access-Control-Request-Headers", "").lower().replace(" ", "").split(",")
    if "authorization" in asked:
        return "GET, HEAD, POST, PATCH, DELETE", f"Authorization, Content-Type, Receipt-Secret, {reading}"
    return "GET, HEAD", reading
