"""POST /api/v1/decode/batch/ decodes up to a thousand cards in one request, each independently."""

import json
import time
from random import Random
from typing import Any

import pytest
from django.test import Client

from submissions import counters
from submissions.visitors import limits

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/decode/batch/"
CIDS = ("02544d534130344711c0ffee0000d30f", "27504853443136473000c0ffee00fbdb")


def send(client: Client, *lines: str, kind: str = "text/plain") -> Any:
    return client.post(ADDRESS, "\n".join(lines), content_type=kind)


def test_it_works(client: Client) -> None:
    rows = send(client, *CIDS, "", json.dumps({"cid": CIDS[0], "serial": True})).json()["results"]
    single = [client.post("/api/v1/decode/", {"cid": cid}, "application/json").json() for cid in CIDS]
    assert [row["line"] for row in rows] == [1, 2, 4]
    assert [row["card"] for row in rows[:2]] == single
    assert "psn" in rows[2]["card"] and "psn" not in rows[0]["card"]


def test_a_wrong_line_spoils_no_other(client: Client) -> None:
    rows = send(client, "nonsense", CIDS[0], '{"cid": 5}', '{"colour": "red"}').json()["results"]
    assert [("error" in row, "card" in row) for row in rows] == [(True, False), (False, True)] + 2 * [
        (True, False)
    ]
    assert "cid" in rows[0]["error"]["field"]
    assert "colour" in rows[3]["error"]["detail"]


@pytest.mark.parametrize("body", [b"", b"\n \n"])
def test_nothing_is_refused(client: Client, body: bytes) -> None:
    answer = client.post(ADDRESS, body, content_type="text/plain")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "empty_body")


def test_more_than_a_thousand_are_refused(client: Client) -> None:
    assert send(client, *[CIDS[0]] * 1001).status_code == 413


def test_bytes_that_are_no_text_are_a_wrong_line(client: Client) -> None:
    (row,) = client.post(ADDRESS, b"\xff\xfe", content_type="text/plain").json()["results"]
    assert "error" in row


def test_it_counts_as_what_it_costs(client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PATIENCE_S", 5.0)
    monkeypatch.setattr(limits, "outage", counters.Outage())
    settings.LIMIT_LOOPBACK, settings.RATE_LIMITS = True, {"look": (24, 3600)}
    assert send(client, *[CIDS[0]] * 1000).headers["RateLimit"].startswith('"look";r=23;')
    assert send(client, *[CIDS[0]] * 1000).status_code == 429
    assert send(client, CIDS[0]).status_code == 200


def test_a_thousand_different_ones(client: Client) -> None:
    """The CPU time is printed, not asserted."""
    lots = Random(1)
    cids = [
        bytes([*lots.choice((b"\x02TM", b"\x03SD", b"\x1bSM")), *lots.randbytes(13)]).hex()
        for _ in range(1000)
    ]
    send(client, *cids)
    began = time.process_time()
    answer = send(client, *cids)
    print(f"{1e3 * (time.process_time() - began):.0f} ms of processor, {len(answer.content):,} bytes")
    assert len(answer.json()["results"]) == 1000
