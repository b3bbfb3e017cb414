"""A report posted past Django's and DRF's machinery is answered as by them."""

from typing import Any

import pytest
from django.test import Client, RequestFactory
from rest_framework.views import APIView

from api.v1.views import SubmissionsView
from submissions.domain.report import MAX_BYTES
from tests.factories import body, uuid

pytestmark = pytest.mark.django_db
REPORT = body(uuid=uuid(1))
# What a client acts on. Vary and Allow, which DRF adds to every answer, say nothing about a POST.
HEADERS = ("Content-Type", "Retry-After", "WWW-Authenticate", "Location")


class OrdinaryView(SubmissionsView):
    """The same view by DRF's own dispatch."""

    dispatch = APIView.dispatch


def answer(view: Any, sent: bytes, content_type: str, **headers: str) -> Any:
    request = RequestFactory().post("/api/v1/submissions/", sent, content_type=content_type, headers=headers)
    response = view.as_view()(request)
    if hasattr(response, "render"):
        response.render()
    shown = {name: response.headers[name] for name in HEADERS if name in response.headers}
    return response.status_code, shown, response.content


def both(sent: bytes, content_type: str = "application/json", **headers: str) -> Any:
    """The answer, which is the same either way."""
    plain = answer(SubmissionsView, sent, content_type, **headers)
    assert plain == answer(OrdinaryView, sent, content_type, **headers)
    return plain


def test_a_good_report() -> None:
    first, _, _ = answer(SubmissionsView, REPORT, "application/json")
    status, headers, receipt = both(REPORT)
    assert (first, status, headers) == (202, 200, {"Content-Type": "application/json"})
    assert b'"duplicate":true' in receipt


@pytest.mark.parametrize(
    ("sent", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"format":"flashdb-report"}', "application/json", 400),
        (b" " * (MAX_BYTES + 1), "application/json", 413),
        (REPORT, "image/png", 415),
        (b"nonsense", "text/plain", 400),
    ],
)
def test_what_is_refused(sent: bytes, content_type: str, status: int) -> None:
    assert both(sent, content_type)[0] == status


def test_a_wrong_token() -> None:
    assert both(REPORT, Authorization="Token made-up")[0] == 401


def through(door: bool, settings: Any, sent: bytes, **headers: str) -> Any:
    """The whole answer of the site, but for what is of this one request."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if door or name != "api.plain.Door"]
    response = Client().post("/api/v1/submissions/", sent, content_type="application/json", headers=headers)
    shown = {name: value for name, value in response.headers.items() if name != "X-Request-ID"}
    return response.status_code, shown, response.content


@pytest.mark.parametrize(
    ("sent", "headers"),
    [
        (REPORT, {}),
        (REPORT, {"Accept-Language": "de"}),
        (REPORT, {"Authorization": "Token made-up"}),
        (REPORT, {"Origin": "https://elsewhere.example"}),
        (REPORT, {"Receipt-Secret": "short"}),
        (b"{", {}),
        (b" " * (MAX_BYTES + 1), {}),
    ],
)
def test_the_door_leads_to_the_same_answer(settings: Any, sent: bytes, headers: dict[str, str]) -> None:
    through(True, settings, REPORT)
    assert through(True, settings, sent, **headers) == through(False, settings, sent, **headers)
