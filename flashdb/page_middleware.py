"""Middleware that the API is spared: sessions, accounts, forms and messages are for pages.

Each is Django's own and does nothing under /api/v1/: together they would take as long as storing a report.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django_htmx.middleware import HtmxMiddleware
from django_otp.middleware import OTPMiddleware

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


class SecondFactors(_ForPages, OTPMiddleware):
    pass


class Messages(_ForPages, MessageMiddleware):
    pass


class Htmx(_ForPages, HtmxMiddleware):
    pass
