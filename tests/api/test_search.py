"""GET /api/v1/search/ interprets the words of a visitor and returns the models that match."""

from typing import Any

import pytest
from django.test import Client

from tests.api.test_models import card
from tests.performances import add_performance

pytestmark = pytest.mark.django_db


def find(client: Client, text: str, **more: str) -> dict[str, Any]:
    response = client.get("/api/v1/search/", {"q": text, **more})
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    return answer


def slugs(rows: list[dict[str, Any]]) -> list[str]:
    return [row["slug"] for row in rows]


def test_it_works(client: Client) -> None:
    card(1, "Slow", 100, vouched=True)
    card(2, "Fast", 2000, vouched=True)
    answer = find(client, "beste karte raspberry pi 4 4gb")
    assert slugs(answer["models"]) == ["fast-4-gb", "slow-4-gb"]
    assert [(row["place"], row["leading"]["origin"]) for row in answer["models"]] == [
        (1, "here"),
        (2, "here"),
    ]
    assert (answer["board"], answer["use"]) == ("raspberry-pi-4", "pi-root")
    kinds = [(term["kind"], term["value"]) for term in answer["understood"]]
    assert kinds == [("order", ""), ("board", "raspberry-pi-4"), ("capacity", 4.0)]


def test_it_says_first_what_the_page_picks(client: Client) -> None:
    values = {"small_writes": 4e3, "small_reads": 4e3, "large_writes": 30e6, "large_reads": 80e6}
    faster = {ability: 2 * value for ability, value in values.items()}
    add_performance("Fast", "nintendo-switch", faster, people=1)
    add_performance("Proven", "nintendo-switch", values)
    answer = find(client, "nintendo switch")
    assert slugs(answer["models"]) == ["fast", "proven"] and answer["answer"].endswith(": Proven")
    assert find(client, "fastest nintendo switch")["answer"].endswith(": Fast")
    page = client.get("/", {"q": "nintendo switch"}).content.decode()
    assert "Proven" in page.partition('class="picks"')[2].partition("</article>")[0]


def test_a_word_no_model_has_is_said(client: Client) -> None:
    card(1, "Kingston", 2000)
    answer = find(client, "kingston flubberwort")
    assert (slugs(answer["models"]), answer["ignored"]) == (["kingston-4-gb"], ["flubberwort"])


def test_where_nothing_answers_the_nearest_names_are_told(client: Client) -> None:
    card(1, "Kingston", 2000)
    answer = find(client, "kingston 512gb")
    assert (answer["models"], slugs(answer["nearest"])) == ([], ["kingston-4-gb"])


def test_models_that_were_not_measured_for_the_use_are_listed(client: Client) -> None:
    card(1, "Kingston", 2000)
    answer = find(client, "kingston", use="camera")
    assert (answer["models"], slugs(answer["untested"])) == ([], ["kingston-4-gb"])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "wrong_parameter"),
        ("q=", "wrong_parameter"),
        ("q=a&board=abacus", "unknown_board"),
        ("q=a&use=flying", "unknown_use"),
        ("q=a&x=1", "unknown_parameter"),
        (f"q={'x' * 201}", "wrong_parameter"),
        ("q=%00", "wrong_parameter"),
    ],
)
def test_what_is_refused(client: Client, query: str, code: str) -> None:
    response = client.get(f"/api/v1/search/?{query}")
    assert (response.status_code, response.json()["error"]["code"]) == (400, code)


def test_it_needs_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(1, 5):
        card(number, f"Brand {number}", 100 * number)
    with django_assert_max_num_queries(6):
        find(client, "brand 4gb")
