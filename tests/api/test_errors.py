"""The API reports every error in the same format, and never shows a stack trace."""

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client

from submissions.models import ApiToken, Submission
from tests.factories import body

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
@pytest.mark.parametrize("url", ["/api/v1/nothing/", "/api/v1/submissions/%00/", "/api/v1/a%0Ab/"])
def test_an_address_it_does_not_have(client: Client, method: str, url: str) -> None:
    response = getattr(client, method)(url)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("url", "shape"), [("/api/v1/submissions/a/", "server_error"), ("/", "went wrong on our side")]
)
def test_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch, url: str, shape: str) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of ours")

    for name in ("recent", "headlines"):
        monkeypatch.setattr(type(Submission.objects), name, fail)
    response = Client(raise_request_exception=False).get(url)
    assert response.status_code == 500
    assert shape in response.content.decode()
    assert "secret" not in response.content.decode()


def test_a_database_that_is_not_reached_asks_for_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    def restarting(*_: object) -> None:
        raise OperationalError("the database system is starting up, says /a/secret/path")

    monkeypatch.setattr(type(Submission.objects), "recent", restarting)
    response = Client().get("/api/v1/submissions/a/")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "unavailable")
    assert response["Retry-After"] == "2"
    assert "secret" not in response.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_page", [True, False])
def test_a_database_that_only_reads_asks_for_patience(by_page: bool) -> None:
    """A standby refuses writes, and so does a primary in maintenance."""
    client = Client(raise_request_exception=False)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
        assert client.get("/recent/").status_code == 200
        response = (
            client.post("/submit/", {"text": body().decode()})
            if by_page
            else client.post("/api/v1/submissions/", body(), content_type="application/json")
        )
    finally:
        connection.close()
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert ("what you typed is still there" if by_page else "unavailable") in response.content.decode()
    assert not Submission.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_token_reads_from_a_database_that_only_reads(django_user_model: type[User]) -> None:
    _, secret = ApiToken.objects.make(
        django_user_model.objects.create_user("ada"), name="x", scopes=["submit"]
    )
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
        answer = Client().get("/api/v1/makers/", headers={"Authorization": f"Token {secret}"})
    finally:
        connection.close()
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("method", "url", "status", "code"),
    [
        ("get", "/api/v1/nothing/", 404, "not_found"),  # no view
        ("get", "/api/v1/models/?limit=0", 400, "wrong_parameter"),  # a list
        ("post", "/api/v1/submissions/", 415, "unsupported_media_type"),  # a report
        ("trace", "/api/v1/boards/", 405, "method_not_allowed"),  # before any view
        ("get", "/api/v1/dumps/2026-01-01T000000Z/models.parquet", 404, "not_found"),  # a file
    ],
)
def test_a_problem_for_who_accepts_one(client: Client, method: str, url: str, status: int, code: str) -> None:
    """A client that accepts RFC 9457 gets its format, and all other clients the earlier format."""
    usual = getattr(client, method)(url)
    problem = getattr(client, method)(url, headers={"Accept": "application/json, application/problem+json"})
    assert (usual.status_code, usual["Content-Type"]) == (status, "application/json")
    assert (problem.status_code, problem["Content-Type"]) == (status, "application/problem+json")
    assert "Accept" in usual["Vary"]
    document = problem.json()
    assert (document["type"], document["status"], document["code"]) == ("about:blank", status, code)
    assert {name: document[name] for name in ("code", "detail", "field")} == usual.json()["error"]
