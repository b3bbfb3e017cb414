"""POST /api/v1/submissions/ accepts reports and texts from programs."""

from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from api.v1.openapi import LOG_SCHEMA
from submissions.domain.pasting import pasted
from submissions.domain.report import MAX_BYTES, parse
from submissions.models import Submission
from tests.factories import SA04G_SERIAL, body, report, uuid

pytestmark = pytest.mark.django_db
URL = "/api/v1/submissions/"


def post(client: Client, data: bytes, content_type: str = "application/json") -> Any:
    return client.post(URL, data, content_type=content_type)


def check_refusal(response: Any, status: int, code: str, field: str = "") -> str:
    """Assert the status, code and field of an error, and that nothing was stored; return its sentence for people."""
    assert response.status_code == status
    error = response.json()["error"]
    assert (error["code"], error["field"]) == (code, field)
    assert set(error) == {"code", "detail", "field"}
    assert Submission.objects.count() == 0
    return str(error["detail"])


def test_it_works(client: Client) -> None:
    response = post(client, body(uuid=uuid(1)))
    assert response.status_code == 202
    receipt = response.json()
    assert receipt["state"] == "received"
    assert receipt["duplicate"] is False
    assert len(receipt["delete_key"]) == 32
    assert receipt["links"]["self"] == f"http://testserver/api/v1/submissions/{receipt['id']}/"
    assert receipt["links"]["page"] == f"http://testserver/submissions/{receipt['id']}/"
    assert receipt["links"]["model"] is None


def test_it_takes_what_curl_calls_a_form(client: Client) -> None:
    """`curl -d @report.json` sends this content type for any file."""
    assert post(client, body(), "application/x-www-form-urlencoded").status_code == 202


def test_the_same_again_is_the_same_submission(client: Client) -> None:
    first = post(client, body(uuid=uuid(1))).json()
    again = post(client, body(uuid=uuid(1)))
    assert again.status_code == 200
    assert again.json()["id"] == first["id"]
    assert again.json()["duplicate"] is True
    assert again.json()["delete_key"] is None


def test_a_copied_report_without_uuid_does_not_get_the_key(client: Client) -> None:
    post(client, body())
    assert post(client, body()).json()["delete_key"] is None


OPEN_AU = b"$ ./flashbench /dev/mmcblk1 --open-au --open-au-nr=1\n1MiB    5.19M/s\n"


def test_it_takes_what_another_tool_printed(client: Client) -> None:
    response = client.post(URL + "?brand=Kingston&capacity_gb=4", OPEN_AU, content_type="text/plain")
    assert response.status_code == 202
    submission = Submission.objects.get()
    assert bytes(submission.pasted or b"") == OPEN_AU
    again = client.post(
        URL + "?brand=Kingston&capacity_gb=4", OPEN_AU, content_type="text/plain; charset=utf-8"
    )
    assert (again.status_code, again.json()["id"]) == (200, submission.public_id)


@pytest.mark.parametrize(
    ("query", "data", "code", "field"),
    [
        ("", OPEN_AU, "needs_label", "card.label.brand"),
        ("?brand=Kingston", b"hello", "nothing_understood", "text"),
        ("?brand=Kingston&capacity_gb=much", OPEN_AU, "wrong_label", "card.label"),
        ("?brnd=Kingston", OPEN_AU, "wrong_label", "card.label"),
        ("?brand=Kingston&capacity_gb=nan", OPEN_AU, "wrong_label", "card.label"),
        ("?brand=Kingston&capacity_gb=", OPEN_AU, "wrong_label", "card.label"),
        ("?brand=Kingston&brand=Sandisk", OPEN_AU, "wrong_label", "brand"),
        ("?brand=Kingston&note=" + 301 * "x", OPEN_AU, "wrong_label", "note"),
    ],
)
def test_text_that_makes_no_report_is_refused(
    client: Client, query: str, data: bytes, code: str, field: str
) -> None:
    check_refusal(client.post(URL + query, data, content_type="text/plain"), 400, code, field)


@given(st.from_regex(LOG_SCHEMA["pattern"], alphabet=st.characters(codec="utf-8")))
def test_a_text_with_a_cid_is_taken_whatever_stands_around(text: str) -> None:
    taken = pasted.take(text.encode(), claims=pasted.Claims())
    assert parse(taken.body).card.registers.cid


def test_a_wrong_address_is_refused_of_a_report_too(client: Client) -> None:
    answer = client.post(URL + "?price=much", body(), content_type="application/json")
    check_refusal(answer, 400, "wrong_label", "card.label")


@pytest.mark.parametrize(
    ("sent", "status", "code", "field", "words"),
    [
        (b"", 400, "empty_body", "", "no body"),
        (b"flashbench -a /dev/sda", 400, "not_json", "", ""),
        *((body()[:kept], 400, "not_json", "", "cut off") for kept in (1, 100, -1)),
        (b" " * (MAX_BYTES + 1), 413, "too_large", "", ""),
        (body(mesurements=[]), 400, "wrong_shape", "", "mesurements"),
        *((text, 400, "wrong_shape", "", "") for text in (b"[]", b'"report"', b"7", b"null", b"{}")),
        (body(format_version=99), 400, "wrong_shape", "format_version", ""),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_report_is_refused(
    client: Client, sent: bytes, status: int, code: str, field: str, words: str
) -> None:
    assert words in check_refusal(post(client, sent), status, code, field)


def test_a_report_of_8_mb_is_taken(client: Client) -> None:
    assert post(client, body().ljust(MAX_BYTES)).status_code == 202


def test_a_wrong_type_is_refused_with_its_path(client: Client) -> None:
    measurements = report()["measurements"]
    measurements[1]["values"] = [500, "fast"]
    detail = check_refusal(
        post(client, body(measurements=measurements)), 400, "wrong_shape", "measurements[1].values[1]"
    )
    assert "float" in detail


def test_deep_nesting_is_refused(client: Client) -> None:
    nested = body(extra={"deep": "here"}).replace(b'"here"', b"[" * 100_000 + b"]" * 100_000)
    check_refusal(post(client, nested), 400, "not_json")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "9" * 500])
def test_numbers_that_are_none_are_refused(client: Client, number: str) -> None:
    data = body().replace(b"1500.0", number.encode())
    assert post(client, data).status_code == 400
    assert Submission.objects.count() == 0


def test_another_media_type_is_refused(client: Client) -> None:
    check_refusal(post(client, body(), "application/xml"), 415, "unsupported_media_type")


def test_another_method_is_refused(client: Client) -> None:
    response = client.put(URL)
    assert response.status_code == 405
    assert response.json()["error"]["code"] == "method_not_allowed"


def test_nobody_is_told_a_serial_number(client: Client) -> None:
    response = post(client, body())
    assert SA04G_SERIAL not in response.content.decode()
    assert uuid(1) not in post(client, body(uuid=uuid(1))).content.decode()


def test_a_stray_answer_is_refused(client: Client) -> None:
    address = f"{URL}?brand=Kingston&answer.dd.direction.1=read"
    check_refusal(
        client.post(address, OPEN_AU, content_type="text/plain"), 400, "wrong_answer", "answer.dd.direction.1"
    )
