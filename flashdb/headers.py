"""What every answer tells the browser it may do: nothing but show this site."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

# No inline script, no inline style, nothing from elsewhere, no frame; forms lead back here.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{what}-src 'self'" for what in ("script", "style", "img", "font", "connect", "manifest")),
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# A page about cards needs none of what a browser could give it.
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


# No cache keeps what was made for one visitor, nor what a write answered: a key or a token may stand in it.
_PERSONAL = "private, no-store"


class SecurityHeaders:
    """Middleware. A view that needs another policy sets its own header; nosniff, HSTS and the like are Django's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if _is_personal(request, response):
            response.headers["Cache-Control"] = _PERSONAL
        return response


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """A form with its secret, a session that was looked at, a cookie, and whatever was sent or asked with a token."""
    session = getattr(request, "session", None)
    return (
        request.method not in ("GET", "HEAD", "OPTIONS")
        or "Authorization" in request.headers
        or bool(response.cookies)
        or bool(request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
        or bool(session and session.accessed and settings.SESSION_COOKIE_NAME in request.COOKIES)
    )
