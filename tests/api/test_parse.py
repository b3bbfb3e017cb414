"""POST /api/v1/parse/ returns the report that a pasted text would become."""

import json
from typing import Any

import pytest
from django.test import Client

from submissions.domain import report
from submissions.models import Submission
from submissions.writing.ingest import process
from tests import corpus

URL = "/api/v1/parse/"
PAGE = (corpus.LOGS / "flashbench" / "sa04g-whole-page.txt").read_bytes()


def post(client: Client, body: bytes, content_type: str = "text/plain") -> Any:
    return client.post(URL, body, content_type=content_type)


def answer(client: Client, body: bytes, content_type: str = "text/plain") -> Any:
    response = post(client, body, content_type)
    assert response.status_code == 200, response.content
    return response.json()


def only_case(parsed: Any) -> Any:
    (case,) = parsed["cases"]
    return case


def refuse(response: Any, status: int, code: str) -> None:
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_it_works(client: Client) -> None:
    parsed = answer(client, PAGE)

    assert (parsed["tools"], parsed["problem"], parsed["questions"]) == (["flashbench"], None, [])
    assert len(only_case(parsed)["report"]["measurements"]) == 201
    assert only_case(parsed)["report"]["card"]["size_bytes"] == 3_904_897_024
    assert parsed["numbers"]["understood"] > 400
    assert {"line": 5, "text": "Flashbenching a 4 GB card, on a white BeagleBone"} not in parsed[
        "not_understood"
    ]


def test_the_report_is_one_that_may_be_sent(client: Client) -> None:
    assert (
        report.parse(json.dumps(only_case(answer(client, PAGE))["report"]).encode()).run.tool == "flashbench"
    )


@pytest.mark.django_db
def test_it_stores_nothing(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        answer(client, PAGE)
    assert Submission.objects.count() == 0


def test_curl_says_it_sends_a_form(client: Client) -> None:
    assert answer(client, PAGE, "application/x-www-form-urlencoded")["tools"] == ["flashbench"]


def test_a_micro_sign_in_latin_1_is_read(client: Client) -> None:
    row = "align 2048\tpre 750µs\ton 760µs\tpost 750µs\tdiff 10µs\n".encode("latin-1")

    assert only_case(answer(client, row))["report"]["measurements"][0]["unit"] == "us"


def test_what_is_left_open_is_asked(client: Client) -> None:
    parsed = answer(client, b"card 5 of 7\n4MiB    10.3M/s \n")

    assert (only_case(parsed)["report"], parsed["problem"]["code"]) == (None, "nothing_understood")
    assert [(question["line"], question["about"]) for question in parsed["questions"]] == [(2, "workload")]
    assert [rest["line"] for rest in parsed["not_understood"]] == [1, 2]


def test_several_cards_are_said_to_be_so(client: Client) -> None:
    body = (corpus.LOGS / "hdparm" / "002-rpi4-usb-sg_io-errors-fr.txt").read_bytes()

    assert answer(client, body)["problem"]["code"] == "several_cards"


def test_each_case_becomes_a_report_once_it_is_answered(client: Client) -> None:
    run = "$ dd if=/dev/zero of=t bs=4M\n41943040 bytes (42 MB) copied, {} s, {} MB/s\n"
    text = f"## Before\n{run.format(4, 10.5)}## After\n{run.format(2, 21)}".encode()
    asked = answer(client, text)
    assert (asked["cases"], asked["problem"]["code"]) == ([], "several_cards")
    keys = [question["key"] for question in asked["questions"]]
    address = f"{URL}?answer.{keys[0]}=A&answer.{keys[1]}=B"
    cases = client.post(address, text, content_type="text/plain").json()["cases"]

    assert [(case["card"], case["title"]) for case in cases] == [("A", "Before"), ("B", "After")]
    assert [case["report"]["measurements"][0]["values"] for case in cases] == [[10485760], [20971520]]


@pytest.mark.django_db
def test_a_case_is_handed_in_by_its_first_line(client: Client) -> None:
    run = "# {}\n$ dd if=/dev/mmcblk0 of=/dev/null bs=4M\n41943040 bytes (42 MB) copied, {} s, {} MB/s\n"
    text = (run.format("Pi 4", 4, 10.5) + run.format("laptop", 2, 21)).encode()
    keys = [question["key"] for question in answer(client, text)["questions"]]
    address = f"/api/v1/submissions/?brand=X&answer.{keys[1]}=A"
    refuse(client.post(address, text, content_type="text/plain"), 400, "several_cards")
    for line in (1, 4):
        receipt = client.post(f"{address}&case={line}", text, content_type="text/plain").json()
        process(Submission.objects.get(public_id=receipt["id"]).pk)

    first, second = Submission.objects.order_by("pk")
    assert first.run.card == second.run.card
    assert [one.run.measurements.get().value for one in (first, second)] == [10485760, 20971520]
    refuse(client.post(f"{address}&case=3", text, content_type="text/plain"), 400, "several_cards")


def test_an_empty_body_is_refused(client: Client) -> None:
    refuse(post(client, b" \n"), 400, "empty_body")


def test_too_large_a_text_is_refused(client: Client) -> None:
    refuse(post(client, b"x" * 8_000_001), 413, "too_large")


def test_a_form_with_files_is_refused(client: Client) -> None:
    refuse(client.post(URL, {"text": "x"}), 415, "unsupported_media_type")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "log", ["sa04g-whole-page", "041-wirenboard-10-2-00000-wrongid", "003-pqi-32gb-class10-gentoo-wiki"]
)
def test_the_report_goes_the_same_way_in_as_any_other(client: Client, log: str) -> None:
    parsed = answer(client, (corpus.LOGS / "flashbench" / f"{log}.txt").read_bytes())
    document = only_case(parsed)["report"]
    if "card.label" in only_case(parsed)["needs"]:
        document["card"]["label"] = {"brand": "PQI", "capacity_gb": 32}
    receipt = client.post("/api/v1/submissions/", json.dumps(document), content_type="application/json")
    process(Submission.objects.get(public_id=receipt.json()["id"]).pk)

    submission = Submission.objects.get()
    assert (submission.state, submission.not_understood) == ("processed", [])
    assert submission.run.measurements.count() == len(document["measurements"])


def test_a_card_that_nothing_names_needs_its_label(client: Client) -> None:
    assert only_case(answer(client, PAGE))["needs"] == []
    assert only_case(answer(client, b"AU=1, linear access\n4MiB    10M/s   \n"))["needs"] == ["card.label"]


def test_a_question_is_answered_in_the_address(client: Client) -> None:
    (question,) = answer(client, b"4MiB    10.3M/s \n")["questions"]
    assert question["choices"]["open-au random 3"] == "open-au, 3 open, random"
    parsed = client.post(
        f"{URL}?answer.{question['key']}=open-au+random+3", b"4MiB    10.3M/s \n", content_type="text/plain"
    ).json()
    assert parsed["questions"][0]["answer"] == "open-au random 3"
    assert only_case(parsed)["report"]["measurements"][0]["parameters"]["open_au"] == 3
