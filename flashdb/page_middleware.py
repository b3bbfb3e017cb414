"""Middleware that the API is spared: sessions, accounts, forms and messages are for pages.

Each is Django's own and does nothing under /api/v1/: together they would take as long as storing a report.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.locale import LocaleMiddleware
from django_htmx.middleware import HtmxMiddleware

MACHINES = "/api/v1/"


class _ForPages:
    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path.startswith(MACHINES):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class Sessions(_ForPages, SessionMiddleware):
    pass


class Forms(_ForPages, CsrfViewMiddleware):
    pass


class Accounts(_ForPages, AuthenticationMiddleware):
    pass


class Messages(_ForPages, MessageMiddleware):
    pass


class Htmx(_ForPages, HtmxMiddleware):
    pass


class Languages(LocaleMiddleware):
    """Not used while the site has one language."""

    def __init__(self, get_response: Any) -> None:
        if len(settings.LANGUAGES) < 2:
            raise MiddlewareNotUsed
        super().__init__(get_response)
