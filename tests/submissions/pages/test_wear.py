"""The wear that a card reports is shown on its page, on the page of its model, and in the finder."""

import pytest
from django.test import Client

from submissions.models import Card, CardModel, Run
from tests.factories import specimen
from tests.submissions.pages.test_model_page import ADDRESS, file, page

pytestmark = pytest.mark.django_db


def reading(number: int, day: int, used: float, *, card: int = 1) -> None:
    began = f"2026-0{day // 30 + 1}-{day % 30 + 1:02}T12:00:00Z"
    figures = {"life_used": used, "life_used_step": 1}
    file(
        number,
        card=specimen(card),
        run={"suite": "health", "tool": "cardbench", "started_at": began},
        measurements=[],
        readings=[{"name": name, "value": value, "unit": "%"} for name, value in figures.items()],
    )


def test_it_works(client: Client, django_assert_max_num_queries) -> None:
    for number, (day, used) in enumerate([(0, 10), (60, 16), (120, 22)], 1):
        reading(number, day, used)
    reading(9, 90, 40, card=2)
    first = Card.objects.get(pk=Run.objects.earliest("pk").card_id)
    with django_assert_max_num_queries(8):
        shown = page(client, first.get_absolute_url())
    assert "The card reports that 22 % of its life is used up." in shown
    assert "At this rate, it will last another" in shown
    assert "40 %" in shown  # the other card of the model
    model = CardModel.objects.get()
    assert model.tells_health
    assert "a card of this model reported how much of its life is used" in page(client, ADDRESS)


def test_a_card_that_never_told_says_nothing(client: Client) -> None:
    file()
    assert "Health of this card" not in page(client, Card.objects.get().get_absolute_url())
    assert not CardModel.objects.get().tells_health


def test_the_page_of_the_run_shows_what_was_read(client: Client) -> None:
    reading(1, 3, 12)
    shown = page(client, Run.objects.get().get_absolute_url())
    assert "What was read from the card" in shown
    assert "life_used" in shown


def test_the_finder_finds_cards_that_tell(client: Client) -> None:
    file(1)
    reading(2, 3, 12, card=1)
    names = client.get("/api/v1/models/", {"tells_health": "true"}).json()
    assert [row["tells_health"] for row in names["results"]] == [True] * len(names["results"])
    assert client.get("/api/v1/models/", {"tells_health": "perhaps"}).status_code == 400
