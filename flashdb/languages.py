"""Choose the language of a response.

A page is in the language of `?lang=`, which a cookie remembers; else of the cookie; else of the browser.
The API and other answers for machines are in English unless `?lang=` is given, because a script must not depend on the
browser of a visitor.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

_MACHINES = ("/api/v1/", "/feeds/")
_REMEMBERED_S = 365 * 86_400


class Languages(MiddlewareMixin):
    """Middleware that activates one of `settings.LANGUAGES`, and removes `lang` from the query that views get."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = _take_parameter(request)
        # Besides the API and feeds: robots.txt, badge.svg, pi-root.md.
        for_machines = request.path.startswith(_MACHINES) or "." in request.path.rpartition("/")[2]
        translation.activate(
            asked
            or (settings.LANGUAGE_CODE if for_machines else translation.get_language_from_request(request))
        )
        response = self.get_response(request)
        response.headers["Content-Language"] = translation.get_language()
        if not for_machines:
            patch_vary_headers(response, ["Accept-Language", "Cookie"])
            _remember(request, response, asked)
        return response


def _take_parameter(request: HttpRequest) -> str:
    """Remove `lang` from the query and return its value, or "" if it is missing or no language of the site."""
    if "lang" not in request.GET:
        return ""
    query = request.GET.copy()
    (*_, language) = query.pop("lang")
    request.GET = query  # type: ignore[assignment]
    return language if language in dict(settings.LANGUAGES) else ""


def _remember(request: HttpRequest, response: HttpResponse, language: str) -> None:
    name = settings.LANGUAGE_COOKIE_NAME
    if language and request.COOKIES.get(name) != language:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(
            name, language, max_age=_REMEMBERED_S, secure=secure, httponly=True, samesite="Lax"
        )
