"""POST /api/v1/decode/ decodes registers for scripts, and GET /api/v1/makers/ lists makers."""

import json
from typing import Any

import pytest
import yaml
from django.test import Client

from submissions.models import Submission
from tests.factories import SA04G, SA04G_SERIAL

URL = "/api/v1/decode/"


def post(client: Client, **question: Any) -> Any:
    return client.post(URL, json.dumps(question), content_type="application/json")


def answer(client: Client, **question: Any) -> Any:
    response = post(client, **question)
    assert response.status_code == 200, response.content
    return response.json()


def refuse(response: Any, status: int, code: str, field: str = "") -> str:
    assert response.status_code == status
    error = response.json()["error"]
    assert (error["code"], error["field"]) == (code, field)
    return str(error["detail"])


def test_it_works(client: Client) -> None:
    decoded = answer(client, bus="SD", **SA04G)
    expected = {
        "bus": "SD",
        "mid": 2,
        "mid_hex": "0x02",
        "oid": "TM",
        "oid_hex": "0x544d",
        "pnm": "SA04G",
        "prv": "1.1",
        "mdt": "2013-03",
        "capacity_bytes": 3_904_897_024,
        "csd_structure": 1,
        "sd_spec": "3.0x",
        "speed_class": None,
        "verdict": "nothing unusual",
        "suspicions": [],
        "findings": [],
        "readings": [],
    }
    assert {name: decoded[name] for name in expected} == expected
    assert decoded["maker"]["manufacturer"] == "Toshiba (memory business now Kioxia)"
    assert (
        decoded["maker"]["confidence"] == "high"
        and decoded["maker"]["conflicts"]
        and decoded["maker"]["source"]
    )
    assert decoded["products"][0]["brand"] == "Kingston"
    assert decoded["registers"]["csd"]["capacity_class"] == "SDHC"


def test_speed_classes_come_from_the_ssr(client: Client) -> None:
    ssr = "0000000004000000040090000f051a00000000000001" + "0" * 84
    decoded = answer(client, ssr=ssr)
    assert (
        decoded["bus"],
        decoded["speed_class"],
        decoded["uhs_speed_grade"],
        decoded["app_perf_class"],
    ) == (
        "SD",
        10,
        1,
        1,
    )
    assert decoded["au_size_bytes"] == 4 * 2**20
    assert decoded["maker"] is None and decoded["verdict"] is None


def test_the_serial_number_comes_back_only_when_asked_for(client: Client) -> None:
    number = int(SA04G_SERIAL, 16)
    silent = post(client, **SA04G, explain=True).content.decode()
    assert SA04G_SERIAL not in silent and str(number) not in silent
    assert answer(client, **SA04G, serial=True)["psn"] == number


def test_a_suggested_cid_carries_the_serial_number_only_when_asked_for(client: Client) -> None:
    shifted = "00035344534331364780ecf4c851011b"  # as a Raspberry Pi bootloader prints it: 00 and 15 bytes
    silent = post(client, cid=shifted, bus="SD", explain=True).content.decode()
    assert not [number for number in ("ecf4c851", str(0xECF4C851), str(0x80ECF4C8)) if number in silent]
    finding = answer(client, cid=shifted, bus="SD", serial=True)["findings"][-1]
    assert finding["suggestion"] == shifted[2:]


def test_every_field_is_explained_when_asked_for(client: Client) -> None:
    assert "explanation" not in answer(client, **SA04G)
    rows = answer(client, **SA04G, explain=True)["explanation"]
    assert {
        name: next(row for row in rows if row["field"] == "PNM")[name]
        for name in ("register", "field", "bits", "raw")
    } == {"register": "cid", "field": "PNM", "bits": "103:64", "raw": "0x5341303447"}


def test_suspicions_come_with_weight_reason_and_false_positives(client: Client) -> None:
    decoded = answer(client, bus="SD", cid="000000555344000020000025670196e1")
    assert decoded["verdict"] == "suspicious"
    first = decoded["suspicions"][0]
    assert (first["id"], first["weight"]) == ("C2", "S")
    assert first["reason"].startswith("suspicious because ") and first["false_positives"] and first["source"]


def test_size_and_label_are_held_against_the_registers(client: Client) -> None:
    decoded = answer(client, **SA04G, size_bytes=7_948_206_080, label_brand="Samsung")
    assert {"C19", "D1"} <= {suspicion["id"] for suspicion in decoded["suspicions"]}


def test_an_undecided_bus_gives_both_readings(client: Client) -> None:
    decoded = answer(client, cid="7411225344434152441012345678013b")
    assert decoded["bus"] is None and decoded["mid"] is None
    assert [reading["bus"] for reading in decoded["readings"]] == ["SD", "MMC"]
    assert [reading["mid"] for reading in decoded["readings"]] == [0x74, 0x74]


@pytest.mark.django_db
def test_it_stores_nothing(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        answer(client, **SA04G)
    assert Submission.objects.count() == 0


# Tests of refusals.


def test_a_register_that_cannot_be_read_is_named_with_the_position(client: Client) -> None:
    detail = refuse(post(client, cid=SA04G["cid"], csd="400e0z"), 400, "undecodable_register", "csd")
    assert "'z' at position 6" in detail


@pytest.mark.parametrize(
    ("question", "code", "field", "words"),
    [
        ({"bus": "SD"}, "undecodable_register", "", "at least one of cid"),
        ({"bus": "USB", **SA04G}, "undecodable_register", "bus", ""),
        ({"cdi": SA04G["cid"]}, "wrong_shape", "", "cdi"),
        ({"cid": 7}, "wrong_shape", "cid", ""),
        *(
            ({**SA04G, "size_bytes": size}, "wrong_shape", "size_bytes", "")
            for size in (0, -1, "4 GB", 2**63)
        ),
    ],
)
def test_a_question_that_makes_no_sense(
    client: Client, question: Any, code: str, field: str, words: str
) -> None:
    assert words in refuse(post(client, **question), 400, code, field)


@pytest.mark.parametrize(
    ("sent", "kind", "status", "code"),
    [
        (b"", "json", 400, "empty_body"),
        (b"{", "json", 400, "not_json"),
        (b" " * 65_537, "json", 413, "too_large"),
        (b"x", "xml", 415, "unsupported_media_type"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_body_that_is_no_question(client: Client, sent: bytes, kind: str, status: int, code: str) -> None:
    refuse(client.post(URL, sent, content_type=f"application/{kind}"), status, code)


# Tests of makers.


@pytest.mark.django_db
def test_makers_are_listed_with_their_sources(client: Client) -> None:
    rows = client.get("/api/v1/makers/?bus=SD&q=544d").json()["results"]
    assert [(row["mid_hex"], row["oid_hex"], row["models"]) for row in rows] == [("0x02", "0x544d", 0)]
    assert rows[0]["source"] and rows[0]["links"]["page"] == "http://testserver/makers/sd/02-544d/"


@pytest.mark.django_db
def test_makers_of_an_unknown_bus(client: Client) -> None:
    assert "SD or MMC" in refuse(client.get("/api/v1/makers/?bus=usb"), 400, "unknown_bus", "bus")


@pytest.mark.django_db
def test_makers_ask_the_database_once(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        client.get("/api/v1/makers/")


# Tests of the OpenAPI document.


def test_the_schema_says_what_may_be_sent_and_what_comes_back(client: Client) -> None:
    schema = yaml.safe_load(client.get("/api/v1/schema/").content)
    question = schema["components"]["schemas"]["SubmittedQuestion"]["properties"]
    assert {"bus", "cid", "csd", "scr", "ssr", "ext_csd", "size_bytes", "label_brand"} <= set(question)
    described = schema["components"]["schemas"]["Decoded"]["properties"]
    assert set(answer(client, **SA04G, serial=True, explain=True)) == set(described)
    maker = schema["components"]["schemas"]["Maker"]["properties"]
    assert set(answer(client, **SA04G)["maker"]) == set(maker)
    assert "/api/v1/makers/" in schema["paths"]
