"""PATCH /api/v1/submissions/{id}/ corrects statements about a card."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import ApiToken, Run, Submission
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db


@pytest.fixture
def receipt() -> ingest.Receipt:
    sent = body(uuid=uuid(1), card=specimen(1, label={"brand": "Kingstn"}))
    receipt = ingest.receive(sent, channel="api", submitter="x")
    ingest.process(receipt.submission.pk)
    return receipt


def patch(client: Client, receipt: ingest.Receipt, sent: Any, **headers: str) -> Any:
    url = f"/api/v1/submissions/{receipt.submission.public_id}/"
    return client.patch(url, sent, content_type="application/json", headers=headers)


def key(receipt: ingest.Receipt) -> dict[str, str]:
    return {"Delete-Key": str(receipt.delete_key)}


def test_it_works(client: Client, receipt: ingest.Receipt) -> None:
    answer = patch(client, receipt, {"label": {"brand": "Kingston"}, "note": "worn"}, **key(receipt))
    assert answer.status_code == 200
    assert answer.json()["links"]["model"] == "http://testserver/models/kingston-4-gb/"
    assert Run.objects.get().note == "worn"


def test_its_token_may(client: Client, receipt: ingest.Receipt, django_user_model: Any) -> None:
    ada = django_user_model.objects.create_user("ada")
    Submission.objects.update(account=ada)
    for scopes, status in ((["submit"], 403), (["correct"], 200)):
        _, secret = ApiToken.objects.make(ada, name="x", scopes=scopes)
        answer = patch(client, receipt, {"note": "worn"}, Authorization=f"Token {secret}")
        assert answer.status_code == status


@pytest.mark.parametrize("headers", [{}, {"Delete-Key": "guess"}])
def test_a_stranger_may_not(client: Client, receipt: ingest.Receipt, headers: dict[str, str]) -> None:
    answer = patch(client, receipt, {"note": "evil"}, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_delete_key")
    assert Run.objects.get().note == ""


@pytest.mark.parametrize(
    ("sent", "status", "code", "field"),
    [
        (b"", 400, "empty_amendment", ""),
        (b"{", 400, "not_json", ""),
        (b'{"state": "processed"}', 400, "wrong_shape", ""),
        (b'{"label": {"capacity_gb": "much"}}', 400, "wrong_shape", "card.label.capacity_gb"),
        (b'{"note": "' + b"x" * 64_000 + b'"}', 413, "too_large", ""),
    ],
)
def test_nonsense_is_refused(
    client: Client, receipt: ingest.Receipt, sent: bytes, status: int, code: str, field: str
) -> None:
    answer = patch(client, receipt, sent, **key(receipt))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (status, code, field)


def test_what_is_not_there_is_not_found(client: Client) -> None:
    answer = client.patch("/api/v1/submissions/nobody/", {"note": "x"}, content_type="application/json")
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("registers", "code"), [({}, "unidentified_card"), ({"cid": "ab" * 16}, "undecided_bus")]
)
def test_what_does_not_go_with_the_report_is_a_conflict(
    client: Client, registers: dict[str, str], code: str
) -> None:
    unnamed = ingest.receive(body(uuid=uuid(2), card={"registers": registers}), channel="api", submitter="x")
    ingest.process(unnamed.submission.pk)
    answer = patch(client, unnamed, {"note": "worn"}, **key(unnamed))
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, code)
    named = patch(client, unnamed, {"label": {"brand": "Kingston"}}, **key(unnamed))
    assert named.status_code == 200
