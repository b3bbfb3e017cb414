"""Time is evidence: what cards lose in a year stands on the page of their model, on their own, and in the API."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.test import Client

from submissions.evidence import drifts
from submissions.evidence.records import Runs
from submissions.models import Card, CardModel, Measurement, ModelSummary, Submission
from submissions.writing import ingest, scoring
from tests.factories import rand_write, report, specimen, uuid
from tests.small_crowd import receive

pytestmark = pytest.mark.django_db
BEGAN = datetime(2022, 3, 1, 12, tzinfo=UTC)


def hand_in(number: int, card: int, *, years: float, value: float, clock: datetime | None = None) -> None:
    """A report that came so many years later."""
    at = BEGAN + timedelta(days=365.25 * years)
    document = report(
        uuid=uuid(number), card=specimen(card, label={"brand": "Ageing"}), measurements=[rand_write(value)]
    )
    document["run"] |= {"started_at": (clock or at).isoformat()}
    submission = receive(document, f"person {card}")
    Submission.objects.filter(pk=submission.pk).update(received_at=at + timedelta(hours=1))
    ingest.process(submission.pk)


def ages(cards: int, *, yearly: float) -> None:
    for card in range(cards):
        for turn in range(3):
            hand_in(10 * card + turn, card, years=turn, value=(500 + 100 * card) * yearly**turn)


def page() -> str:
    return Client().get(CardModel.objects.get().get_absolute_url()).content.decode()


def test_it_works() -> None:
    ages(4, yearly=0.8)
    (row,) = (row for row in ModelSummary.objects.get().summary.ageing if row.kind == "use")
    assert (row.figure, row.drift.cards) == ("rand_write_4k", 4)
    assert row.drift.ratio == pytest.approx(0.8, abs=0.01)
    assert "\u221220\u00a0% a year" in page()


def test_a_quarter_of_a_year_is_enough_of_use_and_less_is_not() -> None:
    for step, told in ((0.12, 0), (0.13, 1)):
        Submission.objects.all().delete()
        for card in range(4):
            for turn in range(3):
                hand_in(10 * card + turn, card, years=step * turn, value=(500 + 100 * card) * 0.8**turn)
        assert len([row for row in ModelSummary.objects.get().summary.ageing if row.kind == "use"]) == told


def test_a_month_is_a_twelfth_of_its_year() -> None:
    assert drifts._years(np.array([202401, 202407, 202412])).tolist() == [2024, 2024.5, 2024 + 11 / 12]


@pytest.mark.parametrize(
    ("days", "is_dated"), [(-1.1, False), (-0.9, True), (0, True), (399, True), (401, False)]
)
def test_a_clock_is_believed_that_is_not_far_from_when_the_report_came(days: float, is_dated: bool) -> None:
    received = np.array([BEGAN.timestamp() * 1e6])
    columns = dict.fromkeys((column.name for column in fields(Runs)), np.zeros(1, dtype=np.int64))
    run = Runs(**columns | {"received": received, "started": received - days * 86_400e6})
    assert drifts._is_dated(run).tolist() == [is_dated]
    assert drifts._is_dated(Runs(**columns)).tolist() == [False]


def test_cards_of_later_years_are_compared_with_those_before() -> None:
    """A tenth slower each year; a card that is measured twice counts once, and what is not believed does not."""
    for card in range(8):
        hand_in(card, card, years=0, value=1000 * 0.9**card)
    hand_in(90, 0, years=0.01, value=1000)
    hand_in(91, 7, years=0.01, value=5)
    Measurement.objects.filter(run__submission__uuid=uuid(91)).update(verdict="suspicious")
    for year, pk in enumerate(Card.objects.order_by("pk").values_list("pk", flat=True), 2014):
        Card.objects.filter(pk=pk).update(manufactured=f"{year}-06")
    scoring.describe([CardModel.objects.get().pk])
    (row,) = (row for row in ModelSummary.objects.get().summary.ageing if row.kind == "production")
    assert (row.figure, row.drift.cards) == ("rand_write_4k", 8)
    assert (row.drift.ratio, row.drift.years) == (pytest.approx(0.9, abs=0.001), pytest.approx(7))


def test_a_script_reads_it() -> None:
    ages(4, yearly=0.8)
    told = Client().get(f"/api/v1/models/{CardModel.objects.get().slug}/").json()["ageing"]
    assert [(row["kind"], row["cards"], round(row["ratio"], 2)) for row in told if row["kind"] == "use"] == [
        ("use", 4, 0.8)
    ]


def test_of_a_clock_that_was_not_set_nothing_is_concluded() -> None:
    for card in range(4):
        for turn in range(3):
            clock = datetime(2016, 1, 1, tzinfo=UTC) + timedelta(days=400 * turn)
            hand_in(10 * card + turn, card, years=turn, value=500 * 0.8**turn, clock=clock)
    assert [row for row in ModelSummary.objects.get().summary.ageing if row.kind == "use"] == []
    assert "Over the years" not in page()


def test_one_card_tested_often_tells_for_itself() -> None:
    for turn in range(6):
        hand_in(turn, 1, years=turn / 2, value=500 * 0.9 ** (turn / 2) * (1.01 if turn % 2 else 1))
    answer = Client().get(Card.objects.get().get_absolute_url()).content.decode()
    assert "\u221210\u00a0% a year" in answer and "6 tests" in answer
    assert "Over the years" not in page(), "one card is not its model"
