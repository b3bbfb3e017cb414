"""Reports of lost data against a model: that of one person without a record neither excludes nor clears it."""

from dataclasses import asdict
from typing import Any

import pytest

from submissions.domain.identity.suspicions import LOST_DATA
from submissions.models import Card, CardModel, Submission, TouchedModel
from submissions.writing import ingest, refit, scoring
from tests.factories import rand_write, report, specimen, uuid
from tests.small_crowd import agreeing_people, receive, vouch

pytestmark = pytest.mark.django_db

LOST = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [2**30]}
KEPT = LOST | {"values": [3.9e9]}


def file(person: str, *more: dict[str, Any], known: bool = False, number: int | None = None) -> None:
    """Process a report of a person about the first model, with a card of their own."""
    number = 100 + Submission.objects.count() if number is None else number
    card = specimen(number, label={"brand": "Brand 0"})
    submission = receive(report(uuid=uuid(number), card=card, measurements=[rand_write(100), *more]), person)
    if known:
        vouch(submission)
    ingest.process(submission.pk)


def doubts() -> tuple[int, int, bool]:
    """Return how many people report lost data, how many people count, and whether the model loses its rank."""
    model = CardModel.objects.get(brand="Brand 0")
    scoring.describe([model.pk])
    model.refresh_from_db()
    return model.losers, model.judging_people, model.lost_data


def test_the_only_report_of_a_model_counts() -> None:
    file("a stranger", LOST)
    assert doubts() == (1, 1, True)


def test_one_stranger_against_others_counts_for_nothing() -> None:
    file("somebody", KEPT)
    assert doubts() == (0, 0, False)
    file("a stranger", LOST)
    file("a stranger", LOST)
    assert doubts() == (0, 2, False)
    assert CardModel.objects.get().suspicious_cards == 0


def test_two_strangers_count_where_nobody_is_known() -> None:
    for person in ("somebody", "a stranger", "another"):
        file(person, *[LOST] * (person != "somebody"))
    assert doubts() == (2, 3, True)
    assert CardModel.objects.get().suspicious_cards == 2


def test_no_number_of_strangers_counts_against_a_known_person() -> None:
    file("somebody", known=True)
    for person in range(5):
        file(f"person {person}", LOST)
    assert doubts() == (0, 1, False)


def test_one_of_a_few_known_people_takes_the_place() -> None:
    file("somebody", LOST, known=True)
    for person in range(3):
        file(f"person {person}", known=True)
    assert doubts() == (1, 4, True)


def test_one_of_many_known_people_is_said_first() -> None:
    file("somebody", LOST, known=True)
    for person in range(4):
        file(f"person {person}", known=True)
    assert doubts() == (1, 5, False)
    assert CardModel.objects.get().suspicious_cards == 1


def test_a_later_test_of_the_same_card_counts() -> None:
    file("somebody", LOST, known=True)
    later = report(uuid=uuid(1), card=specimen(100, label={"brand": "Brand 0"}), measurements=[KEPT])
    submission = receive(later, "somebody")
    ingest.process(submission.pk)
    assert doubts() == (0, 0, False)


def test_suspicious_cards_alone_are_weighed_again_after_a_full_fit() -> None:
    """After a full fit a reporter may count differently, so suspicious cards are weighed again, like lost data."""
    agreeing_people()
    file("person 0")
    Card.objects.filter(key=Card.objects.latest("pk").key).update(
        verdict="suspicious", suspicions=[asdict(LOST_DATA)]
    )
    assert doubts() == (0, 6, False)
    assert CardModel.objects.get(brand="Brand 0").suspicious_cards == 0
    TouchedModel.objects.all().delete()
    refit.refit()
    assert TouchedModel.objects.get().card_model.brand == "Brand 0"
    doubts()
    assert CardModel.objects.get(brand="Brand 0").suspicious_cards == 1


def test_a_person_with_a_record_counts_after_the_next_full_fit() -> None:
    agreeing_people()
    file("person 0", LOST)
    assert doubts() == (0, 6, False)
    TouchedModel.objects.all().delete()
    refit.refit()
    assert TouchedModel.objects.get().card_model.brand == "Brand 0"
    assert doubts() == (1, 6, False)
