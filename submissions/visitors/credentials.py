"""Read the credentials of a request, and ask `permissions` whether they suffice."""

import time

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django_otp import devices_for_user
from django_otp.models import Device
from rest_framework.request import Request

from submissions.models import ApiToken
from submissions.visitors import visitor
from submissions.visitors.permissions import DEMANDS, Act, Credentials, Need, find_unmet_need

_FACTOR = "second_factor"  # in a session: the device, and when it was verified


def find_refusal(request: HttpRequest | Request, act: Act, *, owns: bool = True) -> Need | None:
    """Return the first need of an act that a request does not meet, or None; at most four queries, none to read.

    A need is a condition such as an account or a scope. While the submission is not known yet, the sender counts as
    its owner (`owns`), because the view asks again.
    """
    needs = DEMANDS[act].needs
    return find_unmet_need(act, _read_credentials(request, needs, owns)) if needs else None


def remember_factor(request: HttpRequest, device: Device) -> None:
    """Store in a new session that the second factor was verified, because an old session may have been stolen."""
    request.session.cycle_key()
    request.session[_FACTOR] = [device.persistent_id, time.time()]


def find_device(request: HttpRequest) -> str:
    """Return the id of the device with which this session verified the second factor, or ""."""
    return str(_read_session(request)[0])


def _read_credentials(request: HttpRequest | Request, needs: tuple[Need, ...], owns: bool) -> Credentials:
    account = visitor.find_account(request)
    token: ApiToken | None = getattr(request, "auth", None)
    staff = account if account and account.is_staff and Need.STAFF in needs else None
    device, at = (token.device, 0.0) if token else _read_session(request) if staff else ("", 0.0)
    return Credentials(
        operator=Need.OPERATOR in needs and _is_operator(request),
        owner=owns,
        account=account is not None,
        staff=staff is not None,
        rights=frozenset(staff.get_all_permissions() if staff and Need.RIGHT in needs else ()),
        scopes=frozenset(token.scopes) if token else None,
        device=device,
        devices=frozenset(one.persistent_id for one in devices_for_user(staff)) if staff else frozenset(),
        verified_s=time.time() - at,
    )


def _read_session(request: HttpRequest | Request) -> tuple[str, float]:
    device, at = request.session.get(_FACTOR, ("", 0.0))
    return device, at


def _is_operator(request: HttpRequest | Request) -> bool:
    brought = request.headers.get("Authorization", "").removeprefix("Bearer ")
    token: str = settings.METRICS_TOKEN
    return visitor.identify_by_address(request).is_local or (
        bool(token) and constant_time_compare(brought, token)
    )
