"""Refuse requests before any view runs: unknown hosts and methods, long queries, and writes by pages of other sites."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from api import cors
from api.errors import build_error
from submissions.domain.search.question import MOST_LETTERS

_READING = ("GET", "HEAD", "OPTIONS")
_METHODS = (*_READING, "POST", "PUT", "PATCH", "DELETE")
# For any other method a page would be rendered completely, without counting for the rate limit.
_METHODS_OF_PAGES = ("GET", "HEAD", "POST")

# The longest query: a page repeats it in every link, so 24,000 letters took 200 ms.
_LONGEST = 4_096


class Refusal(NamedTuple):
    status: int
    code: str
    detail: str


def _refuse_host(request: HttpRequest) -> Refusal | None:
    try:
        request.get_host()
    except DisallowedHost:
        return Refusal(400, "unknown_host", "This site does not answer under that host name (ALLOWED_HOSTS).")
    return None


def _refuse_method(request: HttpRequest) -> Refusal | None:
    if request.method in _methods(request):
        return None
    return Refusal(405, "method_not_allowed", "This address does not accept this method.")


def _methods(request: HttpRequest) -> tuple[str, ...]:
    return _METHODS if request.path.startswith(cors.ROOM) else _METHODS_OF_PAGES


def _refuse_foreign_page(request: HttpRequest) -> Refusal | None:
    # A page of another site must not make its visitors submit anything. A browser never adds a token by itself, as it
    # does with cookies, so a request with a token is intended.
    if request.method in _READING or request.path in cors.QUESTIONS or _has_token(request):
        return None
    if not _is_foreign(request):
        return None
    detail = (
        "A page of a different site sent this without a token. Open this site itself, or create a token here."
    )
    return Refusal(403, "foreign_page", detail)


def _has_token(request: HttpRequest) -> bool:
    # Other kinds of authorization may come from the browser itself.
    return request.META.get("HTTP_AUTHORIZATION", "").lower().startswith("token ")


def _is_foreign(request: HttpRequest) -> bool:
    # Without TLS a browser sends only Origin, without Sec-Fetch-Site; other programs send neither.
    origin, site = request.META.get("HTTP_ORIGIN"), request.META.get("HTTP_SEC_FETCH_SITE")
    if origin and origin in settings.CSRF_TRUSTED_ORIGINS:
        return False
    if site:
        return site not in ("same-origin", "none")
    return bool(origin) and urlsplit(origin).netloc != request.get_host()


def _refuse_parameters(request: HttpRequest) -> Refusal | None:
    # Django counts parameters on first access; if it raised there, the error page would raise again.
    if not (query := request.META.get("QUERY_STRING", "")):
        return None
    try:
        bool(request.GET)
    except TooManyFieldsSent:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        return Refusal(400, "too_many_parameters", f"An address can have at most {most:,} parameters.")
    if len(query) > _LONGEST:
        return Refusal(
            400, "too_long", f"The part of an address after the ? can have at most {_LONGEST:,} characters."
        )
    return None


_RULES = (_refuse_host, _refuse_method, _refuse_foreign_page, _refuse_parameters)


class Refusals(MiddlewareMixin):
    """Middleware that answers refused requests by the first rule that applies: as JSON for the API, else as text.

    A search with a text that is too long is redirected to a search with the beginning of the text.
    """

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for rule in _RULES:
            if refusal := rule(request):
                return _answer(request, refusal)
        return self.get_response(request)


def _answer(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if refusal.code == "too_long" and request.path == reverse("finder"):
        # One letter more than a search reads: its page says so.
        query = request.GET.copy()
        query["q"] = query.get("q", "")[: MOST_LETTERS + 1]
        if len(cut := query.urlencode()) <= _LONGEST:
            return HttpResponseRedirect(f"{request.path}?{cut}")
    headers = {"Allow": ", ".join(_methods(request))} if refusal.status == 405 else {}
    if request.path.startswith(cors.ROOM):
        body = build_error(refusal.code, refusal.detail)
        return JsonResponse(body, status=refusal.status, headers=headers)
    return HttpResponse(
        f"{refusal.detail}\n",
        status=refusal.status,
        content_type="text/plain; charset=utf-8",
        headers=headers,
    )
