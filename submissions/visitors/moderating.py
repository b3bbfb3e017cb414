"""Guard Django's admin by a password, a second factor, and a rate limit of its own."""

import math
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from submissions.visitors import limits, visitor
from submissions.visitors.credentials import find_refusal
from submissions.visitors.permissions import Act, Need


class Site(AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return find_refusal(request, Act.ADMINISTER) is None

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        guarded = super().admin_view(view, cacheable)

        @wraps(view)
        def count_first(request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
            wait_s = limits.spend("admin", visitor.identify(request))
            return _refuse(wait_s) if wait_s else guarded(request, *args, **where)

        return count_first

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the login of the site, or, for staff who have logged in, to the page for the second factor."""
        door = "second-factor" if find_refusal(request, Act.ADMINISTER) is Need.FACTOR else "log-in"
        wish = {"next": request.GET.get("next", reverse("admin:index"))}
        return redirect(f"{reverse(door)}?{urlencode(wish)}")


def _refuse(wait_s: float) -> HttpResponse:
    return HttpResponse(
        limits.explain_refusal(wait_s),
        status=429,
        content_type="text/plain; charset=utf-8",
        headers={"Retry-After": str(math.ceil(wait_s))},
    )
