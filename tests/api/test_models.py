"""GET /api/v1/models/: the ranking for scripts."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.ranking.interfaces import all_interfaces
from submissions.writing import ingest
from submissions.writing import names as corrections
from tests.factories import body, rand_write, specimen, uuid

pytestmark = pytest.mark.django_db
URL = "/api/v1/models/"


def card(number: int, brand: str, iops: float, *, submitter: str = "anybody", **changes: object) -> None:
    sent = body(
        uuid=uuid(number),
        card=specimen(number, label={"brand": brand}),
        measurements=[rand_write(iops)],
        **changes,
    )
    ingest.process(ingest.receive(sent, channel="api", submitter=submitter).submission.pk)


def names(client: Client, query: str = "") -> list[str]:
    return [row["name"] for row in client.get(URL + query).json()["results"]]


def test_it_works(client: Client) -> None:
    card(1, "Slow", 100)
    card(2, "Fast", 2000)
    rows = client.get(URL).json()["results"]
    assert [(row["rank"], row["name"]) for row in rows] == [(1, "Fast 4 GB"), (2, "Slow 4 GB")]
    score = rows[0]["score"]
    assert score["lower"] < score["value"] < score["upper"]
    figure = score["figures"]["rand_write_4k"]
    assert (figure["measured"], figure["cards"], figure["at_least"]) == (2000.0, 1, False)
    assert figure["lower"] < figure["value"] < 2000 < figure["upper"]
    assert rows[0]["links"]["page"] == "http://testserver/models/fast-4-gb/"


@pytest.mark.parametrize(("people", "first"), [(6, "Steady 4 GB"), (1, "Lucky 4 GB")])
def test_more_people_who_say_the_same_rank_higher(client: Client, people: int, first: str) -> None:
    """One lucky run does not lead: the lower bound decides. Six cards of one person are one voice, too."""
    card(1, "Lucky", 1050)
    for number in range(2, 8):
        card(number, "Steady", 1000, submitter=f"person {number % people}")
    assert names(client)[0] == first


def test_simulated_cards_stand_outside(client: Client) -> None:
    card(1, "Real", 100)
    card(2, "Unreal", 9000, simulated=True, host={"interface": "simulated"})
    assert names(client) == ["Real 4 GB"]
    assert names(client, "?simulated=1") == ["Unreal 4 GB"]


def test_a_real_report_does_not_hide_among_the_simulated(client: Client) -> None:
    card(1, "Unreal", 9000, simulated=True)  # says it was in a slot
    assert names(client) == []


def test_another_profile_ranks_otherwise(client: Client) -> None:
    card(1, "Writer", 2000)
    assert names(client, "?profile=camera") == []


def test_an_unknown_profile_is_refused(client: Client) -> None:
    response = client.get(URL + "?profile=cooking")
    assert response.status_code == 400
    assert response.json()["error"] == {
        "code": "unknown_profile",
        "detail": "Profile “cooking” is not known; known are pi-root, camera, media, logger, express.",
        "field": "profile",
    }


@pytest.mark.parametrize(
    ("query", "matching"),
    [
        ("board=raspberry-pi-4", 2),
        ("interface=ddr50&q=fas", 1),
        ("oem=0x544d", 2),
        ("flagged=false", 2),
        ("price_max=100", 0),
    ],
)
def test_filters(client: Client, query: str, matching: int) -> None:
    """Check a few filters; test_facets has the others."""
    card(1, "Slow", 100)
    card(2, "Fast", 2000)
    assert len(names(client, f"?{query}")) == matching


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("board=raspberry-pi-99", "unknown_board", "board"),
        ("interface=telepathy", "unknown_interface", "interface"),
        ("interface=%00", "unknown_interface", "interface"),
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


def test_positions_go_on_over_the_pages(client: Client, django_assert_num_queries: Any) -> None:
    for number in range(1, 6):
        card(number, f"Brand {number}", 100 * number)
    first = client.get(f"{URL}?limit=2").json()
    with django_assert_num_queries(2):
        second = client.get(first["next"]).json()
    card(9, "Fastest", 5000)  # comes in before both
    third = client.get(second["next"]).json()
    pages = [[(row["rank"], row["brand"]) for row in page["results"]] for page in (first, second, third)]
    assert pages == [
        [(1, "Brand 5"), (2, "Brand 4")],
        [(3, "Brand 3"), (4, "Brand 2")],
        [(6, "Brand 1")],
    ]


def test_another_order_has_no_positions(client: Client) -> None:
    card(1, "Zeta", 2000)
    card(2, "Alpha", 100)
    rows = client.get(f"{URL}?ordering=name").json()["results"]
    assert [(row["rank"], row["brand"]) for row in rows] == [(None, "Alpha"), (None, "Zeta")]


@pytest.mark.parametrize("cards", [1, 5])
def test_everything_about_one(client: Client, cards: int, django_assert_num_queries: Any) -> None:
    for number in range(cards):
        card(number, "Kingston", 500)
    with django_assert_num_queries(6):
        model = client.get(f"{URL}kingston-4-gb/").json()
    (variant,) = model["variants"]
    assert (variant["pnm"], variant["cards"], model["known_cards"]) == ("SA04G", cards, cards)
    assert variant["queue_on_pi_5"] == ["off"]
    (figure,) = model["figures"]
    assert (figure["figure"], figure["cards"]) == ("rand_write_4k", cards)
    assert 0 < figure["lower"] < figure["value"] < figure["upper"]
    assert {score["interface"] for score in model["scores"]} == {
        name for name, interface in all_interfaces().items() if not interface.slot
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
def test_it_asks_the_database_once(client: Client, cards: int, django_assert_num_queries: object) -> None:
    for number in range(cards):
        card(number, f"Brand {number}", 100)
    with django_assert_num_queries(1):  # type: ignore[operator]
        client.get(URL)


def test_a_model_says_what_one_of_its_cards_will_do(client: Client) -> None:
    """Wider than where the mean lies, which four cards tell better than the next card can be known."""
    for number in range(1, 5):
        card(number, "Steady", 1000)
    (figure,) = client.get("/api/v1/models/steady-4-gb/").json()["figures"]
    assert figure["card"]["lower"] < figure["lower"] < figure["upper"] < figure["card"]["upper"]
    assert 0 < figure["card"]["slow_share"] < 0.5
