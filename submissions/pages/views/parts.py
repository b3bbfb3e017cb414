"""Helpers of several views: parts of pages for htmx, and pages with a form."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

# For views that answer with a part.
varies = vary_on_headers("HX-Request", "HX-History-Restore-Request")


def is_part(request: HttpRequest) -> bool:
    """Return whether htmx asks for a part of a page. It asks for a whole page to restore one that it no longer has."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def get_inputs(request: HttpRequest) -> QueryDict | None:
    """Return the inputs of a POST request, None for another method."""
    return request.POST if request.method == "POST" else None


def render_form(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render a page with the `form` in its context; the status is 400 if the form has errors."""
    return render(request, template, context, status=400 if context["form"].errors else 200)
