"""GET /api/v1/compare/ compares models, with the probabilities that one is better than another."""

from typing import Any

import pytest
from django.test import Client

from tests.api.test_models import card

pytestmark = pytest.mark.django_db
URL = "/api/v1/compare/"


def compare(client: Client, query: str) -> dict[str, Any]:
    response = client.get(f"{URL}?{query}")
    assert response.status_code == 200, response.content
    return {row["slug"]: row for row in response.json()["results"]}


def test_it_works(client: Client, django_assert_num_queries: Any) -> None:
    card(1, "Slow", 100, vouched=True)
    card(2, "Fast", 2000, vouched=True)
    with django_assert_num_queries(3):
        rows = compare(client, "m=slow-4-gb,fast-4-gb&board=raspberry-pi-5&use=pi-root")
    assert list(rows) == ["slow-4-gb", "fast-4-gb"]
    fast, slow = rows["fast-4-gb"], rows["slow-4-gb"]
    assert (fast["place"], fast["leading"]["ability"]) == (1, "small_writes")
    assert list(fast["better_than"]) == ["slow-4-gb"] and 0.5 < fast["better_than"]["slow-4-gb"] < 1
    assert fast["better_than"]["slow-4-gb"] + slow["better_than"]["fast-4-gb"] == pytest.approx(1)


def test_what_was_not_measured_is_compared_with_nobody(client: Client) -> None:
    card(1, "Real", 100)
    card(2, "Other", 100)
    rows = compare(client, "m=real-4-gb,other-4-gb&use=camera")  # nothing of it was measured
    assert [(row["place"], row["better_than"]) for row in rows.values()] == [(None, {}), (None, {})]


def test_models_is_the_former_name_of_m(client: Client) -> None:
    card(1, "Real", 100)
    assert list(compare(client, "models=real-4-gb")) == ["real-4-gb"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "wrong_parameter"),
        ("m=a,b,c,d,e,f,g", "wrong_parameter"),
        ("m=a,b%00", "wrong_parameter"),
    ],
)
def test_what_cannot_be_compared(client: Client, query: str, code: str) -> None:
    card(1, "Real", 100)
    response = client.get(f"{URL}?{query}")
    assert (response.status_code, response.json()["error"]["code"]) == (400, code)


def test_a_model_that_nobody_knows(client: Client) -> None:
    response = client.get(f"{URL}?m=nobody")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_model")
