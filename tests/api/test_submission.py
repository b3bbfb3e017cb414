"""GET and DELETE /api/v1/submissions/{id}/ read the state of a submission, and withdraw it."""

import pytest
from django.test import Client

from submissions.models import Submission
from submissions.writing import ingest
from tests.factories import SA04G_SERIAL, body, report, uuid

pytestmark = pytest.mark.django_db


@pytest.fixture
def receipt() -> ingest.Receipt:
    return ingest.receive(body(uuid=uuid(7)), channel="api", submitter="anybody")


@pytest.fixture
def url(receipt: ingest.Receipt) -> str:
    return f"/api/v1/submissions/{receipt.submission.public_id}/"


def test_it_works(client: Client, receipt: ingest.Receipt, url: str) -> None:
    assert client.get(url).json()["state"] == "received"
    ingest.process(receipt.submission.pk)
    answer = client.get(url).json()
    assert answer["state"] == "processed"
    assert answer["reason"] is None
    assert answer["received_at"].endswith("Z") and answer["finished_at"].endswith("Z")
    assert answer["links"]["model"] == "http://testserver/models/sa04g-4-gb-sd-02-544d/"


def test_it_says_what_speaks_against_the_card(client: Client) -> None:
    foreign = report()["card"] | {"size_bytes": 7_990_149_120}
    submission = ingest.receive(body(card=foreign), channel="api", submitter="anybody").submission
    url = f"/api/v1/submissions/{submission.public_id}/"
    assert (client.get(url).json()["verdict"], client.get(url).json()["suspicions"]) == (None, [])
    ingest.process(submission.pk)
    answer = client.get(url).json()
    assert answer["verdict"] == "suspicious"
    assert [suspicion["id"] for suspicion in answer["suspicions"]] == ["D1"]
    assert "the system sees 7,990,149,120" in answer["not_ranked"]


def test_a_rejected_one_says_why(client: Client) -> None:
    rejected = ingest.receive(body(card={}), channel="api", submitter="anybody").submission
    ingest.process(rejected.pk)
    answer = client.get(f"/api/v1/submissions/{rejected.public_id}/").json()
    assert answer["state"] == "rejected"
    assert answer["reason"]["code"] == "unidentified_card"
    assert answer["reason"]["field"] == "card"


def test_it_keeps_private_what_is_private(client: Client, receipt: ingest.Receipt, url: str) -> None:
    ingest.process(receipt.submission.pk)
    text = client.get(url).content.decode()
    assert SA04G_SERIAL not in text
    assert str(receipt.submission.uuid) not in text
    assert receipt.delete_key and receipt.delete_key not in text


def test_an_unknown_one_is_not_found(client: Client) -> None:
    response = client.get("/api/v1/submissions/nobody/")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_its_key_deletes_it(client: Client, receipt: ingest.Receipt, url: str) -> None:
    assert client.delete(url, headers={"Delete-Key": str(receipt.delete_key)}).status_code == 204
    assert client.get(url).status_code == 404
    assert Submission.objects.count() == 0


@pytest.mark.parametrize("headers", [{}, {"Delete-Key": "guess"}])
def test_without_its_key_nobody_deletes_it(client: Client, url: str, headers: dict[str, str]) -> None:
    response = client.delete(url, headers=headers)
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "wrong_delete_key"
    assert Submission.objects.count() == 1


def test_it_asks_the_database_three_times(
    client: Client, receipt: ingest.Receipt, url: str, django_assert_num_queries: object
) -> None:
    ingest.process(receipt.submission.pk)
    with django_assert_num_queries(3):  # type: ignore[operator]  # with its geometry and verdicts
        client.get(url)
