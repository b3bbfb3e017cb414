"""POST /api/v1/submissions/batch/ returns a receipt per line, and a refused line stops no other."""

from typing import Any

import pytest
from django.test import Client

from submissions import counters
from submissions.counters import redis_client
from submissions.models import Submission
from submissions.visitors import limits
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db
URL = "/api/v1/submissions/batch/"


def report(number: int) -> bytes:
    return body(uuid=uuid(number), card=specimen(number))


def post(client: Client, content: bytes, content_type: str = "application/jsonl") -> Any:
    return client.post(URL, content, content_type=content_type)


def lines(response: Any) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.content
    answered: list[dict[str, Any]] = response.json()["results"]
    return answered


def test_it_works(client: Client) -> None:
    first, second = lines(post(client, report(1) + b"\n" + report(2) + b"\n"))
    assert [(line["line"], line["status"]) for line in (first, second)] == [(1, 202), (2, 202)]
    assert first["receipt"]["delete_key"] != second["receipt"]["delete_key"]
    assert Submission.objects.count() == 2


def test_a_refused_line_stops_no_other(client: Client) -> None:
    answers = lines(post(client, b"\n".join([report(1), b"{broken", b"", b'{"format": 7}', report(2)])))
    assert [(line["line"], line["status"]) for line in answers] == [(1, 202), (2, 400), (4, 400), (5, 202)]
    assert answers[1]["error"]["code"] == "not_json"
    assert answers[2]["error"]["field"] == "format"


def test_it_takes_what_calls_itself_text(client: Client) -> None:
    answer = client.post(URL, report(1), content_type="text/plain")
    assert [line["status"] for line in lines(answer)] == [202]


def test_sent_again_it_counts_once(client: Client) -> None:
    first = lines(post(client, report(1)))[0]["receipt"]
    again = lines(post(client, report(1) + b"\r\n" + report(1)))
    assert [line["status"] for line in again] == [200, 200]
    assert again[0]["receipt"]["duplicate"]
    assert first["delete_key"] and again[0]["receipt"]["id"] == first["id"]
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "content_type", "status", "code"),
    [
        (b" \n\n", "application/jsonl", 400, "empty_body"),
        (b"", "application/jsonl", 400, "empty_body"),
        (b"{}\n" * 1001, "application/jsonl", 413, "too_large"),
        (b"x" * 16_000_001, "application/jsonl", 413, "too_large"),
        (b"{}", "text/html", 415, "unsupported_media_type"),
    ],
)
def test_what_is_no_batch(client: Client, content: bytes, content_type: str, status: int, code: str) -> None:
    response = post(client, content, content_type)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert Submission.objects.count() == 0


def test_each_report_counts(client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PATIENCE_S", 5.0)
    monkeypatch.setattr(limits, "outage", counters.Outage())
    settings.LIMIT_LOOPBACK, settings.RATE_LIMITS = True, {"submit": (3, 3600)}
    redis_client(patience_s=2).flushdb()
    two, two_more = (b"\n".join(map(report, numbers)) for numbers in ((1, 2), (3, 4)))
    assert [post(client, content).status_code for content in (two, two_more)] == [200, 429]
    assert Submission.objects.count() == 2
