"""The API answers every error in one shape, and never shows a trace."""

from collections.abc import Callable

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import Client

from submissions.models import Submission
from tests.factories import body

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
@pytest.mark.parametrize("url", ["/api/v1/nothing/", "/api/v1/submissions/%00/", "/api/v1/a%0Ab/"])
def test_an_address_it_does_not_have(client: Client, method: str, url: str) -> None:
    response = getattr(client, method)(url)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("url", "shape"), [("/api/v1/submissions/a/", "server_error"), ("/", "broke on our side")]
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


@pytest.mark.parametrize(
    "send",
    [
        lambda: Client().post("/api/v1/submissions/", body(), content_type="application/json"),
        lambda: Client().post("/submit/", {"text": body().decode()}),
    ],
    ids=["API", "page"],
)
def test_a_replica_takes_nothing_and_asks_for_patience(send: Callable[[], HttpResponse]) -> None:
    """The database itself refuses, as one does that follows another one."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    answer = send()
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert "only reads" in answer.content.decode()
