"""Security review, finding 11: odd requests get a plain refusal, and no cache keeps a response for one visitor."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import body

pytestmark = pytest.mark.django_db

URL = "/api/v1/submissions/"
PERSONAL = "private, no-store"


@pytest.fixture
def one_host(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["flashdb.example", "testserver", "127.0.0.1"]


@pytest.mark.usefixtures("one_host")
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1@evil", "[::1", "a" * 300, "", "flashdb.example.evil"]
)
@pytest.mark.parametrize("path", ["/about/", "/api/v1/models/", "/nowhere/", "/", "/health/"])
def test_an_unknown_host_is_told_so(caplog: pytest.LogCaptureFixture, host: str, path: str) -> None:
    answer = Client(raise_request_exception=False).get(path, HTTP_HOST=host)
    assert answer.status_code == 400
    words = answer.json()["error"]["detail"] if path.startswith("/api/") else answer.content.decode()
    assert "does not answer under that host name" in words
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/models/", "/api/v1/submissions/", "/static/none.css", "/about/"]
)
@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT", "PROPFIND"])
def test_an_odd_method_is_refused(client: Client, path: str, method: str) -> None:
    answer = client.generic(method, path)
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"] and "TRACE" not in answer.headers["Allow"]


# Tests of caches.


def personal(answer: Any) -> bool:
    directives = {part.strip() for part in answer.headers.get("Cache-Control", "").split(",")}
    return {"private", "no-store"} <= directives


def test_the_page_with_the_key_is_not_kept(client: Client) -> None:
    page = client.post("/submit/", {"text": body().decode()})
    assert personal(page)
    shown = client.get(page.headers["Location"])
    assert "delete key" in shown.content.decode().lower() and personal(shown)
    assert not personal(Client().get(page.headers["Location"]))


@pytest.mark.parametrize("path", ["/submit/", "/decode/", "/account/log-in/", "/account/sign-up/"])
def test_a_page_with_the_secret_of_a_form_is_not_kept(client: Client, path: str) -> None:
    answer = client.get(path)
    assert "csrfmiddlewaretoken" in answer.content.decode() and personal(answer)


def test_what_a_member_sees_is_not_kept(client: Client) -> None:
    client.force_login(User.objects.create_user("ada"))
    for path in ("/account/", "/account/password/", "/account/close/"):
        assert personal(client.get(path)), path


def test_an_answer_with_a_key_is_not_kept(client: Client) -> None:
    receipt = client.post(URL, body(), content_type="application/json")
    assert receipt.json()["delete_key"] and receipt.headers["Cache-Control"] == PERSONAL


@pytest.mark.parametrize("path", ["/", "/about/", "/api/v1/models/", "/methods/", "/privacy/"])
def test_what_everybody_sees_may_be_kept(client: Client, path: str) -> None:
    assert not personal(client.get(path))


# Tests of parts of pages.


@pytest.mark.django_db(transaction=True)
def test_the_address_of_a_search_goes_along_however_often_it_is_asked_for() -> None:
    asked = [Client().get("/?q=kingston", headers={"HX-Request": "true"}) for _ in range(8)]
    assert [answer.headers.get("HX-Push-Url") for answer in asked] == ["/?q=kingston"] * 8


@pytest.mark.django_db(transaction=True)
def test_whoever_goes_back_gets_the_page() -> None:
    part = {"HX-Request": "true"}
    for _ in range(2):
        assert b"<html" not in Client().get("/", headers=part).content
        assert b"<html" in Client().get("/", headers=part | {"HX-History-Restore-Request": "true"}).content
