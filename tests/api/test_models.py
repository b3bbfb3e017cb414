"""GET /api/v1/models/: the ranking for scripts."""

import pytest
from django.test import Client

from submissions import ingest
from tests.factories import body, rand_write, specimen, uuid

pytestmark = pytest.mark.django_db
URL = "/api/v1/models/"


def card(number: int, brand: str, iops: float, **changes: object) -> None:
    given = body(
        uuid=uuid(number),
        card=specimen(number, label={"brand": brand}),
        measurements=[rand_write(iops)],
        **changes,
    )
    ingest.process(ingest.receive(given, channel="api", submitter="anybody").submission.pk)


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


def test_more_cards_of_the_same_speed_rank_higher(client: Client) -> None:
    """One lucky run never leads: the lower bound decides."""
    card(1, "Lucky", 1050)
    for number in range(2, 8):
        card(number, "Steady", 1000)
    assert names(client) == ["Steady 4 GB", "Lucky 4 GB"]


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
        "detail": "Profile “cooking” is not known; known are pi-root, camera, media.",
        "field": "profile",
    }


@pytest.mark.parametrize("cards", [1, 5])
def test_it_asks_the_database_once(client: Client, cards: int, django_assert_num_queries: object) -> None:
    for number in range(cards):
        card(number, f"Brand {number}", 100)
    with django_assert_num_queries(1):  # type: ignore[operator]
        client.get(URL)


@pytest.mark.parametrize("name", ["telepathy", "%00"])
def test_an_unknown_interface_is_refused(client: Client, name: str) -> None:
    response = client.get(f"{URL}?interface={name}")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "unknown_interface"


def test_it_finds_by_name(client: Client) -> None:
    card(1, "Kingston", 100)
    card(2, "Transcend", 200)
    assert names(client, "?q=king") == ["Kingston 4 GB"]
    assert names(client, "?q=%00") == []
