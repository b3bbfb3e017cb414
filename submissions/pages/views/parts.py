"""Whether a page is wanted, or the part of it that changes."""

from django.http import HttpRequest
from django.views.decorators.vary import vary_on_headers

# For views that answer with a part.
varies = vary_on_headers("HX-Request", "HX-History-Restore-Request")


def is_part(request: HttpRequest) -> bool:
    """Whether htmx asks for a part. When a visitor goes back and it no longer has the page, it asks for the page."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request
