"""Define middleware for pages only: sessions, accounts, forms and messages.

Each class is Django's, but does nothing under /api/v1/, where all of them would take as long as storing a report.
"""

import re
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django_htmx.middleware import HtmxMiddleware

MACHINES = "/api/v1/"
_KEY = re.compile(r"[a-z0-9]{32}")  # as Django makes them


class _ForPages:
    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path.startswith(MACHINES):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class Sessions(_ForPages, SessionMiddleware):
    """Django's sessions, but a cookie that cannot be a session key is ignored: a NUL is an error in PostgreSQL."""

    def process_request(self, request: HttpRequest) -> None:
        if not _KEY.fullmatch(request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")):
            request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)
        super().process_request(request)


class Forms(_ForPages, CsrfViewMiddleware):
    pass


class Accounts(_ForPages, AuthenticationMiddleware):
    pass


class Messages(_ForPages, MessageMiddleware):
    pass


class Htmx(_ForPages, HtmxMiddleware):
    pass
