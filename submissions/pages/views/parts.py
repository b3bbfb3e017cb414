"""Help views that answer htmx with a part of a page, and views of pages with a form."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

# For views that answer with a part.
varies = vary_on_headers("HX-Request", "HX-History-Restore-Request")


def is_part(request: HttpRequest) -> bool:
    """Return whether htmx asks for a part of a page, and not for a whole page to restore the browser's history."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def get_inputs(request: HttpRequest) -> QueryDict | None:
    """Return the form inputs of a POST request, None if the method is another."""
    return request.POST if request.method == "POST" else None


def render_form(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Return a page with the `form` in its context, with status 400 if the form has errors."""
    return render(request, template, context, status=400 if context["form"].errors else 200)
