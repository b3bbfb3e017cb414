"""GET /api/v1/models/ is the ranking of models for scripts."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.ranking.slots import all_slots
from submissions.writing import ingest
from submissions.writing import names as corrections
from tests.factories import body, rand_write, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db
URL = "/api/v1/models/"


def card(
    number: int,
    brand: str,
    iops: float,
    *,
    submitter: str = "anybody",
    vouched: bool = False,
    **changes: object,
) -> None:
    """Process a report of one card by a person without a record, or if `vouched` by a trusted source."""
    sent = body(
        uuid=uuid(number),
        card=specimen(number, label={"brand": brand}),
        measurements=[rand_write(iops)],
        **changes,
    )
    submission = ingest.receive(sent, channel="api", submitter=submitter).submission
    if vouched:
        vouch(submission)
    ingest.process(submission.pk)


def names(client: Client, query: str = "") -> list[str]:
    return [row["name"] for row in client.get(URL + query).json()["results"]]


def test_it_works(client: Client) -> None:
    card(1, "Slow", 100, vouched=True)
    card(2, "Fast", 2000, vouched=True)
    rows = client.get(URL).json()["results"]
    assert [(row["place"], row["name"]) for row in rows] == [(1, "Fast 4 GB"), (2, "Slow 4 GB")]
    leading = rows[0]["leading"]
    assert (leading["ability"], leading["unit"], leading["at_least"]) == ("small_writes", "1/s", False)
    assert leading["lower"] < leading["value"] < leading["upper"]
    assert rows[0]["abilities"]["small_writes"]["median"] == 2000
    assert rows[0]["proof"] == {"cards": 1, "people": 1, "known_people": 1, "runs": 1, "voices": 1}
    assert (rows[0]["gates"], rows[0]["shared"]) == ([], False)
    assert rows[0]["links"]["page"] == "http://testserver/models/fast-4-gb/"


def test_the_word_of_one_stranger_gives_no_place(client: Client) -> None:
    card(1, "Boasted", 5000)
    card(2, "Vouched", 2000, vouched=True)
    rows = client.get(URL).json()["results"]
    assert [(row["place"], row["name"]) for row in rows] == [(1, "Vouched 4 GB"), (None, "Boasted 4 GB")]


def test_each_need_has_its_state_and_threshold(client: Client) -> None:
    card(1, "Fast", 5000, vouched=True)
    card(2, "Boasted", 5000)
    row, boasted = client.get(URL).json()["results"]
    needs = {need["ability"]: need for need in row["needs"]}
    assert (needs["small_writes"]["state"], needs["small_writes"]["threshold"]) == ("pass", 500)
    assert [need["state"] for need in boasted["needs"] if need["ability"] == "small_writes"] == ["unclear"]
    assert (needs["small_reads"]["state"], needs["small_reads"]["value"]) == ("not_measured", None)


def test_more_people_who_say_the_same_come_first(client: Client) -> None:
    """Of two equal estimates, the surer one has the better rank."""
    card(1, "Lucky", 1000)
    for number in range(2, 8):
        card(number, "Steady", 1000, submitter=f"person {number}")
    assert names(client)[0] == "Steady 4 GB"


def test_simulated_cards_stand_outside(client: Client) -> None:
    card(1, "Real", 100)
    card(2, "Unreal", 9000, simulated=True, host={"interface": "simulated"})
    assert names(client) == ["Real 4 GB"]
    assert names(client, "?simulated=1") == ["Unreal 4 GB"]


def test_a_real_report_does_not_hide_among_the_simulated(client: Client) -> None:
    card(1, "Unreal", 9000, simulated=True)  # says it was in a slot
    assert names(client) == []


def test_another_use_lists_other_models(client: Client) -> None:
    card(1, "Writer", 2000)
    assert names(client, "?use=camera") == []
    assert names(client, "?board=dashcam") == []  # its usual use is dashcam, as on pages


def test_profile_is_the_former_name_of_use(client: Client) -> None:
    card(1, "Writer", 2000)
    response = client.get(URL + "?profile=pi-root")
    assert [row["use"] for row in response.json()["results"]] == ["pi-root"]
    assert "Deprecation" in response.headers


def test_an_unknown_use_is_refused(client: Client) -> None:
    response = client.get(URL + "?use=cooking")
    assert response.status_code == 400
    assert response.json()["error"] == {
        "code": "unknown_use",
        "detail": (
            "Use “cooking” is unknown; choose from pi-root, database, dashcam, camera, camera-v60, games,"
            " media, logger, express."
        ),
        "field": "use",
    }


def test_a_use_of_another_kind_of_slot_is_refused(client: Client) -> None:
    answer = client.get("/api/v1/models/?board=raspberry-pi-pico&use=games")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("wrong_parameter", "use")
    assert error["detail"].endswith("Its uses are logger.")


@pytest.mark.parametrize(
    ("query", "matching"),
    [
        ("board=raspberry-pi-4", 2),
        ("board=raspberry-pi-4&q=fas", 1),
        ("small_writes_min=500", 1),
        ("oem=0x544d", 2),
        ("flagged=false", 2),
        ("price_max=100", 0),
    ],
)
def test_filters(client: Client, query: str, matching: int) -> None:
    """Only a few filters are checked here; test_facets.py checks the others."""
    card(1, "Slow", 100)
    card(2, "Fast", 2000)
    assert len(names(client, f"?{query}")) == matching


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("board=raspberry-pi-99", "unknown_board", "board"),
        ("board=%00", "unknown_board", "board"),
        ("interface=sdr104", "unknown_parameter", "interface"),
        ("small_writes_min=many", "wrong_parameter", "small_writes_min"),
        ("q=%00", "wrong_parameter", "q"),
        ("oem=0xzz", "wrong_parameter", "oem"),
        ("capacity_gb=nan", "wrong_parameter", "capacity_gb"),
        ("capacity_gb=1e999", "wrong_parameter", "capacity_gb"),
        ("min_cards=-1", "wrong_parameter", "min_cards"),
    ],
)
def test_what_it_does_not_know_is_refused(client: Client, query: str, code: str, field: str) -> None:
    response = client.get(f"{URL}?{query}")
    assert response.status_code == 400
    assert (response.json()["error"]["code"], response.json()["error"]["field"]) == (code, field)


def test_places_go_on_over_the_pages(client: Client, django_assert_num_queries: Any) -> None:
    for number in range(1, 6):
        card(number, f"Brand {number}", 20 * 3**number, vouched=True)
    first = client.get(f"{URL}?limit=2").json()
    with django_assert_num_queries(2):
        second = client.get(first["next"]).json()
    card(9, "Fastest", 15_000, vouched=True)  # comes in before both
    third = client.get(second["next"]).json()
    pages = [[row["brand"] for row in page["results"]] for page in (first, second, third)]
    assert pages == [["Brand 5", "Brand 4"], ["Brand 3", "Brand 2"], ["Brand 1"]]
    assert third["results"][0]["place"] == client.get(URL).json()["results"][-1]["place"] > 3


def test_another_order_keeps_the_places(client: Client) -> None:
    card(1, "Zeta", 2000, vouched=True)
    card(2, "Alpha", 100, vouched=True)
    rows = client.get(f"{URL}?ordering=name").json()["results"]
    assert [(row["place"], row["brand"]) for row in rows] == [(2, "Alpha"), (1, "Zeta")]


@pytest.mark.parametrize("cards", [1, 5])
def test_everything_about_one(client: Client, cards: int, django_assert_num_queries: Any) -> None:
    for number in range(cards):
        card(number, "Kingston", 500)
    with django_assert_num_queries(6):
        model = client.get(f"{URL}kingston-4-gb/").json()
    (variant,) = model["variants"]
    assert (variant["pnm"], variant["cards"], model["known_cards"]) == ("SA04G", cards, cards)
    assert variant["queue_on_pi_5"] == ["off"]
    (estimate,) = model["estimates"]
    assert (estimate["ability"], estimate["cards"], estimate["median"]) == ("small_writes", cards, 500)
    assert 0 < estimate["lower"] < estimate["value"] < estimate["upper"]
    assert {row["slot"] for row in model["slots"]} == {
        name for name, slot in all_slots().items() if not slot.interface.slot
    }
    assert client.get(model["links"]["runs"]).json()["results"]
    assert model["variation"] == []


def test_an_old_address_leads_on(client: Client) -> None:
    card(1, "Kingstn", 500)
    card(2, "Kingston", 500)
    corrections.merge(["kingstn-4-gb"], into="kingston-4-gb")
    response = client.get(f"{URL}kingstn-4-gb/")
    assert (response.status_code, response.headers["Location"]) == (301, "/api/v1/models/kingston-4-gb/")
    assert client.get(f"{URL}nobody/").status_code == 404


@pytest.mark.parametrize("cards", [1, 5])
def test_it_asks_the_database_twice(client: Client, cards: int, django_assert_num_queries: object) -> None:
    for number in range(cards):
        card(number, f"Brand {number}", 100)
    with django_assert_num_queries(2):  # type: ignore[operator]
        client.get(URL)


@pytest.mark.parametrize("cards", [1, 4])
def test_two_cards_tell_how_far_a_single_one_may_lie(client: Client, cards: int) -> None:
    for number in range(cards):
        card(number, "Steady", 1000, submitter=f"person {number}")
    (row,) = client.get("/api/v1/models/steady-4-gb/").json()["estimates"]
    if cards == 1:
        assert (row["card_lower"], row["card_upper"]) == (None, None)
    else:
        assert row["card_lower"] < row["lower"] < row["upper"] < row["card_upper"]


def test_synced_small_writes_have_a_rate_and_a_slowest_percent(client: Client) -> None:
    rate = rand_write(120)
    rate["parameters"] |= {"sync": "osync"}
    slowest = rate | {"metric": "latency_p99", "unit": "ms", "values": [25.0]}
    sent = body(uuid=uuid(1), card=specimen(1, label={"brand": "Synced"}), measurements=[rate, slowest])
    ingest.process(ingest.receive(sent, channel="api", submitter="anybody").submission.pk)
    model = client.get(f"{URL}synced-4-gb/").json()
    estimates = {row["ability"]: row for row in model["estimates"]}
    assert estimates["synced_small_writes"]["median"] == pytest.approx(120)
    row = estimates["synced_small_writes_p99"]
    assert (row["unit"], row["median"]) == ("ns", pytest.approx(25e6))
    assert row["lower"] < row["value"] < row["upper"]
