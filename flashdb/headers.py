"""What every answer tells the browser it may do: nothing but show this site."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# No inline script, no inline style, nothing from elsewhere, no frame; forms lead back here.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
# A page about cards needs none of what a browser could give it.
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class SecurityHeaders:
    """Middleware. A view that needs another policy sets its own header; nosniff, HSTS and the like are Django's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response
