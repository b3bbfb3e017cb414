"""Check for every page whether its visitor is permitted to make the request."""

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from submissions.visitors.credentials import find_refusal
from submissions.visitors.permissions import Need, find_act

_CHECKED_ELSEWHERE = "/api/v1/"  # by api.authentication; the admin by submissions.visitors.moderating


class Permissions(MiddlewareMixin):
    """Middleware that refuses requests that `visitors.permissions` does not permit, and methods that a page lacks."""

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponseBase | None:
        match = request.resolver_match
        if match is None or match.app_name == "admin" or request.path.startswith(_CHECKED_ELSEWHERE):
            return None
        act = find_act(request.method, match.url_name)
        if act is None:
            return HttpResponseNotAllowed(("GET", "HEAD"))
        need = find_refusal(request, act)
        return _refuse(request, need) if need else None


def _refuse(request: HttpRequest, need: Need) -> HttpResponseBase:
    if need is Need.ACCOUNT:
        return redirect_to_login(request.get_full_path())
    raise Http404
