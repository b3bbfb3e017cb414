"""GET /api/v1/compare/: models side by side, with the probabilities that one is better than another."""

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
    card(1, "Slow", 100)
    card(2, "Fast", 2000)
    with django_assert_num_queries(2):
        rows = compare(client, "models=slow-4-gb,fast-4-gb&board=raspberry-pi-5&profile=pi-root")
    assert list(rows) == ["slow-4-gb", "fast-4-gb"]
    fast, slow = rows["fast-4-gb"], rows["slow-4-gb"]
    assert fast["score"]["interface"] == "sdr104"
    assert 0.5 < fast["better_than"]["slow-4-gb"] < 1
    assert fast["better_than"]["slow-4-gb"] + slow["better_than"]["fast-4-gb"] == pytest.approx(1)


def test_a_model_without_a_score_is_compared_with_nobody(client: Client) -> None:
    card(1, "Real", 100)
    card(2, "Other", 100)
    rows = compare(client, "models=real-4-gb,other-4-gb&profile=camera")  # nothing of it was measured
    assert [(row["score"], row["better_than"]) for row in rows.values()] == [(None, {}), (None, {})]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "wrong_parameter"),
        ("models=a,b,c,d,e,f,g", "wrong_parameter"),
        ("models=a,b%00", "wrong_parameter"),
    ],
)
def test_what_cannot_be_compared(client: Client, query: str, code: str) -> None:
    card(1, "Real", 100)
    response = client.get(f"{URL}?{query}")
    assert (response.status_code, response.json()["error"]["code"]) == (400, code)


def test_a_model_that_nobody_knows(client: Client) -> None:
    response = client.get(f"{URL}?models=nobody")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_model")
