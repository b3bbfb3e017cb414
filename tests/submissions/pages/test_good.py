"""“Is my card good?”: one answer, in words, for the device that is asked about."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import Score
from submissions.pages.content.suitability import answer
from tests.api.test_models import card

pytestmark = pytest.mark.django_db


def page(client: Client, **query: str) -> str:
    response = client.get("/good/", query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("bound", "value", "upper", "expected"),
    [(150, 300, 600, "yes"), (60, 120, 300, "enough"), (20, 60, 180, "unsure"), (10, 30, 90, "no")],
)
def test_the_interval_decides(bound: float, value: float, upper: float, expected: str) -> None:
    assert answer(Score(bound=bound, lower=bound, value=value, upper=upper)) == expected


def test_it_works(client: Client) -> None:
    card(1, "Kingston", 5000)
    Score.objects.update(bound=150, lower=150, value=300, upper=900)
    judged = page(client, q="kingston 4gb for raspberry pi 4")
    assert '<p class="suits yes">Yes</p>' in judged
    assert "Raspberry Pi 4 or 400, Running the system" in judged and "1 card, 1 person" in judged
    assert "m=kingston-4-gb&amp;board=raspberry-pi-4" in judged
    assert "Nintendo Switch" in judged.partition("In other devices")[2]


def test_what_nobody_tested_for_the_use_cannot_be_told(client: Client) -> None:
    card(1, "Kingston", 5000)
    judged = page(client, m="kingston-4-gb", profile="camera")
    assert '<p class="suits unsure">Cannot tell</p>' in judged
    assert "Nobody has tested it for this use yet." in judged


def test_several_models_are_offered(client: Client) -> None:
    card(1, "Kingston Red", 5000)
    card(2, "Kingston Blue", 500)
    offered = page(client, q="kingston")
    assert "Which of these is your card?" in offered and "?m=kingston-blue-4-gb&amp;" in offered


def test_what_is_not_there_has_a_nearest_name(client: Client) -> None:
    card(1, "Quonkel", 5000)
    assert "What comes closest:" in page(client, q="quonkel 512gb")
    assert "Type what the label says" in page(client)
    assert "Type what the label says" in page(client, m="nobody")


def test_what_was_left_out_is_said_before_the_verdict(client: Client) -> None:
    card(1, "Kingston", 5000)
    judged = page(client, q="quonkel kingston 4gb pi 4")
    assert judged.index("No card here is called “quonkel”") < judged.index('class="suits')


def test_it_needs_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    card(1, "Kingston", 5000)
    with django_assert_max_num_queries(7):
        page(client, q="kingston")
