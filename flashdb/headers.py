"""Add headers that restrict browsers: pages load nothing from other sites, and no other site frames them."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

# No inline scripts or styles, nothing from other sites, no frames; forms are sent only to this site.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect", "manifest")),
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# A page about cards needs no device of the visitor.
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


# An answer for one visitor, or to a write, may contain a key or a token, so no cache may keep it.
_PERSONAL = "private, no-store"


class SecurityHeaders(MiddlewareMixin):
    """Middleware that sets security headers that Django does not set, unless the view has set them."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if _is_personal(request, response):
            response.headers["Cache-Control"] = _PERSONAL
        return response


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    # A form with its secret, a session that was read, a cookie, a write, or a request with a token.
    session = getattr(request, "session", None)
    return (
        request.method not in ("GET", "HEAD", "OPTIONS")
        or "Authorization" in request.headers
        or bool(response.cookies)
        or bool(request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
        or bool(session and session.accessed and settings.SESSION_COOKIE_NAME in request.COOKIES)
    )
