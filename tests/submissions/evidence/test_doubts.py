"""Reports of lost data against a model: that of one person without a record neither excludes nor clears it."""

import re
from dataclasses import asdict
from typing import Any

import pytest
from django.test import Client

from submissions.domain.identity.suspicions import LOST_DATA
from submissions.models import Card, CardModel, Submission, TouchedModel
from submissions.writing import ingest, refit, scoring
from tests.factories import rand_write, report, specimen, uuid
from tests.small_crowd import agreeing_people, receive, vouch

pytestmark = pytest.mark.django_db

LOST = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [2**30]}
KEPT = LOST | {"values": [3.9e9]}


def file(person: str, *more: dict[str, Any], known: bool = False, card: int | None = None) -> None:
    """Process a report of a person about the first model, with a card of their own."""
    number = 100 + Submission.objects.count()
    own = specimen(card or number, label={"brand": "Brand 0"})
    measured = [rand_write(100), *more]
    submission = receive(report(uuid=uuid(number), card=own, measurements=measured), person)
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


def test_a_later_test_of_the_same_card_counts(client: Client) -> None:
    file("somebody", LOST, known=True)
    file("somebody", KEPT, card=100)
    assert doubts() == (0, 0, False)
    assert "Smaller than it claims" not in page_parts(client)[0]


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


# The verdict of the page, and its findings below


def page_parts(client: Client) -> tuple[str, str]:
    """Return the verdict of the page of the model, and its section about genuine cards, both as text."""
    doubts()
    shown = client.get("/models/brand-0-4-gb/?board=raspberry-pi-4").content.decode()
    lower = shown.partition('id="doubts"')[2].partition('id="devices"')[0]
    head = shown.partition("<h1>")[2].partition('<nav class="chips toc"')[0]
    told, below = (" ".join(re.sub(r"<[^>]*>", " ", part).split()) for part in (head, lower))
    return told, below


def test_a_finding_of_one_stranger_is_told_lower_down_as_one_report(client: Client) -> None:
    for person in ("somebody", "another"):
        file(person, KEPT, known=True)
    file("a stranger", LOST)
    head, lower = page_parts(client)
    assert "holds only" not in head and "Running the system: place 1" in head
    assert (
        "One person whose other results we could not check says: Smaller than it claims: it holds only 1.07 GB of"
        " 3.90 GB." in lower
    )
    assert lower.index("It holds all of its 3.90 GB") < lower.index("One person whose other results")


def test_findings_of_strangers_who_count_lead_although_their_figures_differ(client: Client) -> None:
    for person, kept in (("somebody", 2**30), ("another", 2**29)):
        file(person, LOST | {"values": [kept]})
    head, lower = page_parts(client)
    assert head.count("Smaller than it claims") == 2
    assert "whose other results" not in lower


def test_a_finding_is_weighed_again_after_a_full_fit(client: Client) -> None:
    agreeing_people()
    worn = [{"name": "life_used", "value": 95, "unit": "%"}]
    number = 100 + Submission.objects.count()
    card = specimen(number, label={"brand": "Brand 0"})
    submission = receive(report(uuid=uuid(number), card=card, measurements=[], readings=worn), "person 0")
    ingest.process(submission.pk)
    assert (
        "One person whose other results we could not check says: The card reports that 95"
        in page_parts(client)[1]
    )
    TouchedModel.objects.all().delete()
    refit.refit()
    assert TouchedModel.objects.get().card_model.brand == "Brand 0"
    assert (
        "The card reports that 95" in (lower := page_parts(client)[1]) and "whose other results" not in lower
    )
