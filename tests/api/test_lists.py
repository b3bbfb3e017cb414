"""Lists have filters, orderings, pages by cursor, chosen fields and CSV; a misspelled name is refused."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from submissions.writing import ingest
from tests.factories import SA04G_SERIAL, body, rand_write, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db
LISTS = [
    "cards",
    "runs",
    "measurements",
    "submissions",
    "makers",
    "boards",
    "interfaces",
    "uses",
    "profiles",
    "metrics",
]
STORED = ["cards", "runs", "measurements", "submissions"]


def card(
    number: int,
    brand: str = "Kingston",
    *,
    submitter: str = "anybody",
    vouched: bool = False,
    **changes: Any,
) -> str:
    """Process a report of one card by a person without a record, or if `vouched` by a trusted source; return its id."""
    sent = {"card": specimen(number, label={"brand": brand}), "measurements": [rand_write(500)]} | changes
    submission = ingest.receive(
        body(uuid=uuid(number), **sent), channel="api", submitter=submitter
    ).submission
    if vouched:
        vouch(submission)
    ingest.process(submission.pk)
    return submission.public_id


def ask(client: Client, path: str, **query: Any) -> Any:
    response = client.get(f"/api/v1/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()


def rows(client: Client, path: str, **query: Any) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = ask(client, path, **query)["results"]
    return results


def refusal(client: Client, path: str, **query: Any) -> dict[str, str]:
    response = client.get(f"/api/v1/{path}", query)
    assert response.status_code == 400, response.content
    assert response.headers["Content-Type"].startswith("application/json")
    error: dict[str, str] = response.json()["error"]
    return error


def test_it_works(client: Client) -> None:
    card(1, "Transcend")
    card(2)
    assert [row["model"]["name"] for row in rows(client, "runs/")] == ["Kingston 4 GB", "Transcend 4 GB"]
    assert [row["run"] for row in rows(client, "measurements/")] == [
        row["id"] for row in rows(client, "runs/", ordering="received_at")
    ]


@pytest.mark.parametrize("name", LISTS)
def test_every_list_has_the_same_envelope(client: Client, name: str) -> None:
    card(1)
    answer = ask(client, f"{name}/")
    assert set(answer) == {"results", "next"}
    assert answer["results"]


def test_pages_follow_each_other_without_gap_or_repetition(client: Client) -> None:
    ids = [card(number) for number in range(1, 6)]
    seen, url, pages = [], "/api/v1/runs/?limit=2", 0
    while url:
        answer = client.get(url).json()
        seen += [row["id"] for row in answer["results"]]
        url, pages = answer["next"], pages + 1
    assert (seen, pages) == (ids[::-1], 3)


def test_what_comes_in_meanwhile_moves_no_page(client: Client) -> None:
    ids = [card(number) for number in range(1, 4)]
    following = ask(client, "runs/", limit=2)["next"]
    card(9)
    assert [row["id"] for row in client.get(following).json()["results"]] == [ids[0]]


def test_a_list_can_be_read_from_its_other_end(client: Client) -> None:
    ids = [card(number) for number in range(1, 4)]
    assert [row["id"] for row in rows(client, "runs/", ordering="filed_at")] == ids
    assert [row["id"] for row in rows(client, "runs/", ordering="-filed_at")] == ids[::-1]


@pytest.mark.parametrize(
    ("path", "query", "count"),
    [
        ("runs/", {"model": "transcend-4-gb"}, 1),
        ("runs/", {"board": "pi 4"}, 2),
        ("runs/", {"board": "pi 5"}, 0),
        ("runs/", {"bus_mode": "ddr50", "interface": "mmc", "ranked": "true"}, 2),
        ("runs/", {"simulated": "1"}, 0),
        ("runs/", {"since": "2099-01-01"}, 0),
        ("runs/", {"filed_since": "2001-01-01T00:00:00+01:00"}, 2),
        ("runs/", {"model": ""}, 2),
        ("cards/", {"verdict": "suspicious"}, 1),
        ("cards/", {"manufactured": "2013"}, 2),
        ("measurements/", {"figure": "rand_write_4k", "model": "kingston-4-gb"}, 1),
        ("measurements/", {"metric": "throughput"}, 0),
        ("submissions/", {"state": "processed"}, 2),
        ("submissions/", {"state": "rejected"}, 0),
        ("makers/", {"q": "toshiba", "bus": "sd"}, 1),
    ],
)
def test_filters(client: Client, path: str, query: dict[str, str], count: int) -> None:
    card(1, "Transcend")
    card(2)
    assert len(rows(client, path, **query)) >= count
    if path != "makers/":
        assert len(rows(client, path, **query)) == count


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ({"modell": "x"}, "unknown_parameter", "modell"),
        ({"simulated": "perhaps"}, "wrong_parameter", "simulated"),
        ({"since": "yesterday"}, "wrong_parameter", "since"),
        ({"since": "9999-12-31T23:59:59-23:00"}, "wrong_parameter", "since"),
        ({"interface": "telepathy"}, "wrong_parameter", "interface"),
        ({"model": "a\x00b"}, "wrong_parameter", "model"),
        ({"limit": "0"}, "wrong_parameter", "limit"),
        ({"limit": ""}, "wrong_parameter", "limit"),
        ({"since": ""}, "wrong_parameter", "since"),
        ({"ordering": ""}, "wrong_parameter", "ordering"),
        ({"limit": "1001"}, "wrong_parameter", "limit"),
        ({"limit": "٣"}, "wrong_parameter", "limit"),
        ({"ordering": "luck"}, "wrong_parameter", "ordering"),
        ({"fields": "id,secret"}, "unknown_field", "fields"),
        ({"fields": ""}, "unknown_field", "fields"),
        ({"fields": "id,"}, "unknown_field", "fields"),
        ({"fields": "host.secret"}, "unknown_field", "fields"),
        ({"fields": "id.secret"}, "unknown_field", "fields"),
        ({"format": "xml"}, "wrong_parameter", "format"),
    ],
)
def test_what_it_does_not_know_is_refused(
    client: Client, query: dict[str, str], code: str, field: str
) -> None:
    error = refusal(client, "runs/", **query)
    assert (error["code"], error["field"]) == (code, field)
    assert error["detail"]


def test_a_cursor_belongs_to_its_list_and_order(client: Client) -> None:
    card(1), card(2)
    cursor = ask(client, "runs/", limit=1)["next"].partition("cursor=")[2].partition("&")[0]
    for path, query in (("cards/", {}), ("runs/", {"ordering": "filed_at"})):
        for text in (cursor, "made-up"):
            answer = client.get(f"/api/v1/{path}", {"cursor": text, **query})
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "wrong_cursor")


def test_only_the_fields_one_wants(client: Client) -> None:
    name = card(1)
    assert rows(client, "runs/", fields="id,host.board,registers.cid.pnm,label.nothing") == [
        {
            "id": name,
            "host": {"board": "Raspberry Pi 4 Model B"},
            "registers": {"cid": {"pnm": "SA04G"}},
            "label": {"nothing": None},
        }
    ]


def test_a_field_and_a_part_of_it(client: Client) -> None:
    client.post("/api/v1/submissions/", body(), content_type="application/json")
    (whole,) = rows(client, "submissions/", fields="links,links.page,reason,reason.code")
    assert (whole["reason"], list(whole["links"])) == (None, ["self", "page", "model"])
    (part,) = rows(client, "submissions/", fields="links.page,reason.code")
    assert (part["reason"], list(part["links"])) == ({"code": None}, ["page"])


def test_as_a_table(client: Client) -> None:
    card(1), card(2)
    response = client.get("/api/v1/runs/", {"format": "csv", "limit": "1", "fields": "id,host,label,note"})
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    (row,) = csv.DictReader(io.StringIO(response.content.decode()))
    assert list(row)[:3] == ["id", "host.board", "host.machine"]
    assert row["host.clock_hz"] == "50000000"
    assert json.loads(row["label"])["brand"] == "Kingston"
    assert response.headers["Link"].endswith('>; rel="next"')


def test_an_empty_table_has_its_headings(client: Client) -> None:
    assert client.get("/api/v1/cards/?format=csv&fields=key,runs").content == b"key,runs\n"


@pytest.mark.parametrize("name", LISTS)
def test_an_error_is_no_table(client: Client, name: str) -> None:
    assert refusal(client, f"{name}/", format="csv", nonsense="1")["code"] == "unknown_parameter"


def test_a_receipt_is_no_table(client: Client) -> None:
    address, as_table = "/api/v1/submissions/", {"Accept": "text/csv"}
    answer = client.post(address, body(), content_type="application/json", headers=as_table)
    assert (answer.status_code, answer.json()["duplicate"]) == (202, False)


def test_a_wrong_token_is_refused(client: Client) -> None:
    answer = client.get("/api/v1/runs/", headers={"Authorization": "Token made-up"})
    assert (answer.status_code, set(answer.json())) == (401, {"error"})


def test_no_cell_is_a_formula(client: Client) -> None:
    card(1, "=SUM(A1)")
    assert (
        client.get("/api/v1/runs/?format=csv&fields=model.name")
        .content.splitlines()[1]
        .startswith(b"'=SUM(A1)")
    )


@pytest.mark.parametrize("cards", [1, 4])
@pytest.mark.parametrize("name", STORED)
def test_a_page_is_one_query(client: Client, name: str, cards: int, django_assert_num_queries: Any) -> None:
    for number in range(1, cards + 1):
        card(number)
    with django_assert_num_queries(1):
        client.get(f"/api/v1/{name}/")


def test_one_run_with_everything_it_measured(client: Client, django_assert_num_queries: Any) -> None:
    name = card(1)
    with django_assert_num_queries(3):
        run = ask(client, f"runs/{name}/")
    assert run["links"]["self"] == f"http://testserver/api/v1/runs/{name}/"
    (measured,) = run["measurements"]
    assert (measured["figure"], measured["value"], measured["unit"]) == ("rand_write_4k", 500.0, "1/s")


def test_one_card(client: Client) -> None:
    card(1)
    (listed,) = rows(client, "cards/")
    assert listed["runs"] == 1
    assert ask(client, f"cards/{listed['key']}/") == listed


@pytest.mark.parametrize("path", ["runs/nothing/", "cards/nothing/"])
def test_what_there_is_not(client: Client, path: str) -> None:
    assert client.get(f"/api/v1/{path}").json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("name", STORED)
def test_no_serial_number_and_no_submitter(client: Client, name: str) -> None:
    ingest.process(ingest.receive(body(), channel="api", submitter="the-submitter").submission.pk)
    text = client.get(f"/api/v1/{name}/").content.decode()
    assert SA04G_SERIAL not in text
    assert str(int(SA04G_SERIAL, 16)) not in text
    assert "the-submitter" not in text


def test_the_tables_of_the_code(client: Client) -> None:
    boards = {row["slug"]: row for row in rows(client, "boards/")}
    assert boards["raspberry-pi-4"]["interface"] == "ddr50"
    assert (boards["raspberry-pi-cm5-lite"]["slot"], boards["raspberry-pi-cm5-lite"]["use"]) == (
        "raspberry-pi-5",
        "pi-root",
    )
    assert rows(client, "interfaces/")[0]["name"] == "high_speed"
    (use,) = [row for row in rows(client, "uses/") if row["name"] == "pi-root"]
    assert (use["leading"], use["fallback"]) == ("small_writes", "")
    need = use["needs"][0]
    assert (need["ability"], need["threshold"], need["unit"]) == ("small_writes", 500.0, "1/s")
    assert "Raspberry Pi Diagnostics" in need["source"]
    (iops,) = [row for row in rows(client, "metrics/") if row["name"] == "iops"]
    assert (iops["base_unit"], iops["better"]) == ("1/s", "higher")
    assert "rand_write_4k" in iops["figures"]
    abilities = {row["name"]: row for row in iops["abilities"]}
    assert "rand_write_4k" in abilities["small_writes"]["methods"]
    assert abilities["small_writes_queued"]["queue_of"] == "small_writes"


def test_a_former_address_is_deprecated(client: Client) -> None:
    former, now = (client.get(f"/api/v1/{name}/") for name in ("profiles", "uses"))
    assert former.json() == now.json()
    assert (former.headers["Deprecation"], "Deprecation" in now.headers) == ("@1795737600", False)
