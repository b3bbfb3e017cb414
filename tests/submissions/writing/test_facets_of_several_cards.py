"""The facets of a model (columns to search by) combine several cards that differ."""

from datetime import date
from typing import Any

import pytest

from submissions.models import CardModel, Submission, Word
from submissions.writing import ingest
from tests.factories import body, report, specimen, uuid

pytestmark = pytest.mark.django_db


def file_label(
    number: int, *, host: dict[str, Any] | None = None, life_used: float | None = None, **label: Any
) -> Submission:
    card = specimen(number, label={"brand": "Kingston", "capacity_gb": 4} | label)
    readings = [] if life_used is None else [{"name": "life_used", "value": life_used}]
    given = body(uuid=uuid(number), card=card, host=host or report()["host"], readings=readings)
    submission = ingest.receive(given, channel="api", submitter=str(number)).submission
    ingest.process(submission.pk)
    return submission


def model() -> CardModel:
    return CardModel.objects.get()


def test_the_best_mark_of_any_card_counts() -> None:
    for number, marks in enumerate(
        [["U1", "A1", "C4"], ["U3", "V30"], ["C10", "A2", "V6"], ["Class 10", "U"]]
    ):
        file_label(number, marks=marks[:3] if number < 3 else ["U1"])
    best = model()
    assert (best.speed_class, best.uhs_speed_grade, best.video_speed_class, best.app_perf_class) == (
        10,
        3,
        30,
        2,
    )


def test_of_two_currencies_as_often_told_the_first_in_the_alphabet_counts() -> None:
    for number, (price, currency) in enumerate([(9, "USD"), (5, "EUR"), (7, "USD"), (8, "EUR"), (1, "CHF")]):
        file_label(number, price=price, currency=currency)
    assert (model().price, model().currency, model().price_count) == (5, "EUR", 5)


def test_the_newest_month_counts_however_often_others_were_told() -> None:
    paid = [(9, "2024-05"), (8, "2024-05-31"), (7, ""), (6, "2024-06")]
    for number, (price, day) in enumerate(paid):
        file_label(number, price=price, currency="EUR", bought_on=day, bought_at="Example shop")
    told = model()
    assert (told.price, told.price_count, told.shop) == (6, 4, "Example shop")
    assert told.priced_on == date(2024, 6, 1) and told.current_offer is None


@pytest.mark.parametrize("day", ["2026-02-31", "2099-01"])
def test_a_day_that_does_not_exist_or_is_to_come_makes_no_offer(day: str) -> None:
    submission = file_label(1, price=5, currency="EUR", bought_on=day)
    submission.refresh_from_db()
    assert submission.state == Submission.State.PROCESSED
    assert model().current_offer is None


def test_without_a_price_there_is_none_and_a_gift_has_none() -> None:
    file_label(1)
    file_label(2, price=0, currency="EUR")
    assert (model().price, model().currency, model().price_count) == (None, "", 0)


def test_one_card_that_tells_its_health_is_enough() -> None:
    file_label(1, marks=["U1"])
    assert not model().tells_health
    file_label(2, life_used=3)
    file_label(3, marks=["U1"])
    assert model().tells_health


@pytest.mark.parametrize(
    ("label", "form"),
    [
        ({"form": "microSD"}, "microSD"),
        ({}, "microSD"),  # as this name is sold
        ({"form": "SD"}, "SD"),
        ({"brand": "SanDisk", "line": "Ultra", "capacity_gb": 32}, ""),  # sold as both
        ({"brand": "Nobody"}, ""),
    ],
)
def test_a_form_is_what_the_label_says_or_else_as_it_is_sold(label: dict[str, Any], form: str) -> None:
    file_label(1, **label)
    assert model().form == form


def test_every_bus_mode_is_told_once() -> None:
    for number, mode in enumerate(["SDR104", "DDR50", "DDR50", ""]):
        file_label(number, host={"interface": "mmc", "bus_mode": {"name": mode}})
    assert model().bus_modes == ["DDR50", "SDR104"]
    assert model().known_cards == 4


def test_a_card_is_sought_by_its_registers_in_hex() -> None:
    """The CID begins with 02 544d SA04G 1.1: maker, OEM, name and revision."""
    file_label(1, line="Canvas", model_number="SDC4")
    words = model().words.split()
    assert {"kingston", "canvas", "sdc4", "4gb", "sa04g", "0x02", "0x544d", "toshiba"} <= set(words)
    assert "02544d534130344711" in words


def test_words_that_are_no_names_are_not_remembered() -> None:
    file_label(1, line="Canvas Go", model_number="SDC4")
    texts = set(Word.objects.values_list("text", flat=True))
    assert {"kingston", "canvas", "toshiba", "sdc4"} <= texts
    assert not {"go", "4gb", "0x02", "0x544d", "02544d534130344711"} & texts
