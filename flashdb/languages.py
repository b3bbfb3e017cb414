"""Which language a visitor reads: middleware for pages and for machines.

A page is in the language of `?lang=`, which a cookie remembers; else of the cookie; else of what the browser wants.
What machines read is English unless they say `?lang=`: a script or a wiki must not depend on who asked.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

_MACHINES = ("/api/v1/", "/feeds/")
_REMEMBERED_S = 365 * 86_400


class Languages:
    """Activates one of `settings.LANGUAGES`; `lang` is no parameter of any view, so it is taken out of the query."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = _asked(request)
        for_machines = _is_for_machines(request.path)
        translation.activate(asked or (settings.LANGUAGE_CODE if for_machines else _usual(request)))
        response = self.get_response(request)
        response.headers["Content-Language"] = translation.get_language()
        if not for_machines:
            patch_vary_headers(response, ["Accept-Language", "Cookie"])
            _remember(request, response, asked)
        return response


def _asked(request: HttpRequest) -> str:
    """The language of `?lang=`; "" for none and for one that we do not have."""
    if "lang" not in request.GET:
        return ""
    query = request.GET.copy()
    (*_, language) = query.pop("lang")
    request.GET = query  # type: ignore[assignment]
    return language if language in dict(settings.LANGUAGES) else ""


def _usual(request: HttpRequest) -> str:
    """The language of the cookie, else the first that the browser wishes for and we have, else English."""
    return translation.get_language_from_request(request)


def _is_for_machines(path: str) -> bool:
    """Addresses of the API and of feeds, and whatever is called like a file: robots.txt, badge.svg, pi-root.md."""
    return path.startswith(_MACHINES) or "." in path.rpartition("/")[2]


def _remember(request: HttpRequest, response: HttpResponse, language: str) -> None:
    name = settings.LANGUAGE_COOKIE_NAME
    if language and request.COOKIES.get(name) != language:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(
            name, language, max_age=_REMEMBERED_S, secure=secure, httponly=True, samesite="Lax"
        )
