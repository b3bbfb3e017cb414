"""One more report on a model with many cards often changes no value used; then it is stored without an estimate."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from submissions.evidence import abilities, crowds
from submissions.evidence.sources import MOST_VALUES
from submissions.models import (
    AbilityEstimate,
    CardModel,
    ModelSummary,
    Observation,
    Run,
    Submission,
    TouchedModel,
)
from submissions.writing import ingest, refit, scoring
from tests.factories import rand_read, report, specimen, uuid
from tests.small_crowd import read_judgement, receive

MOST = MOST_VALUES
# Values of the column `lot` that put cards first, and last.
FIRST, LAST = -(2**62), 2**62


def late(number: int = 500) -> int:
    """Receive a report of one more card of the model with many cards."""
    document = report(uuid=uuid(number), card=specimen(number), measurements=[rand_read(700)])
    return receive(document, "somebody").pk


def crowd_model(lot: int) -> None:
    """Store a model with as many cards as an estimate uses, all of untrusted people, and estimate it."""
    ingest.process(late(0))
    first = Observation.objects.get()
    names = [field.attname for field in Observation._meta.concrete_fields]
    alike = {name: getattr(first, name) for name in names}
    Observation.objects.bulk_create(
        Observation(**alike | {"card_id": -1 - at, "lot": lot + at, "person": at, "value": 2800.0 + at})
        for at in range(MOST - 1)
    )
    Observation.objects.filter(pk=first.pk).update(lot=lot - 1)
    with transaction.atomic():
        scoring.refresh([CardModel.objects.get().pk])
    CardModel.objects.update(judged_at=None)


def list_rows() -> list[Any]:
    """Return the stored estimates with their ids, which change with every new estimate."""
    return list(AbilityEstimate.objects.order_by("pk").values_list("pk", "runs"))


@pytest.mark.django_db
def test_it_works() -> None:
    crowd_model(FIRST)
    before = list_rows()
    ingest.process_batch([late()], judge=scoring.refresh_or_mark)
    assert list_rows() == before and Run.objects.count() == 2
    assert Submission.objects.filter(state="processed").count() == 2
    assert not scoring.is_marked() and scoring.is_marked(judged=True), "its page shows every card"
    judgement = read_judgement()
    scoring.mark(CardModel.objects.values_list("pk", flat=True))
    CardModel.objects.update(judged_at=None)
    assert not scoring.judge_marked()
    assert read_judgement() == judgement and list_rows() != before, "judging would have told the same"


@pytest.mark.django_db
def test_who_judges_at_once_describes_at_once() -> None:
    crowd_model(FIRST)
    before = list_rows()
    ingest.process(late())
    assert list_rows() == before and not scoring.is_marked(judged=True)
    assert ModelSummary.objects.get().told["runs"] == 2


@pytest.mark.django_db
def test_with_many_reports_it_is_not_marked_to_be_judged_either() -> None:
    crowd_model(FIRST)
    ingest.process_batch([late()], judge=scoring.mark)
    assert not scoring.is_marked() and scoring.is_marked(judged=True)


@pytest.mark.django_db
def test_what_comes_before_others_is_judged() -> None:
    crowd_model(LAST)
    before = list_rows()
    ingest.process_batch([late()], judge=scoring.refresh_or_mark)
    assert list_rows() != before


@pytest.mark.django_db
def test_a_trusted_person_is_judged_after_any_number_of_others() -> None:
    crowd_model(FIRST)
    before, pk = list_rows(), late()
    Submission.objects.filter(pk=pk).update(vouched=True)
    ingest.process_batch([pk], judge=scoring.refresh_or_mark)
    assert list_rows() != before
    assert AbilityEstimate.objects.values_list("known_people", flat=True)[0] == 1


@pytest.mark.django_db
def test_where_something_is_taken_away_others_move_up() -> None:
    crowd_model(FIRST)
    ingest.process_batch([late()], judge=scoring.refresh_or_mark)
    before = list_rows()
    ingest.delete(Submission.objects.earliest("pk"))
    assert list_rows() != before
    assert AbilityEstimate.objects.values_list("cards", flat=True)[0] == MOST, (
        "the later one stands in its place"
    )


@pytest.mark.django_db
def test_of_a_model_whose_cards_differ_every_card_counts() -> None:
    crowd_model(FIRST)
    CardModel.objects.update(varies=True)
    before = list_rows()
    ingest.process_batch([late()], judge=scoring.refresh_or_mark)
    assert list_rows() != before


@pytest.mark.django_db(transaction=True)
def test_what_another_worker_may_be_taking_away_is_marked() -> None:
    crowd_model(FIRST)
    pk = late()
    with ThreadPoolExecutor() as threads, transaction.atomic():
        CardModel.objects.select_for_update().get()
        threads.submit(_file_alone, pk).result(timeout=60)
    assert TouchedModel.objects.filter(judged=False).exists()


def _file_alone(pk: int) -> None:
    try:
        ingest.process_batch([pk], judge=scoring.refresh_or_mark)
    finally:
        connection.close()


@pytest.mark.django_db
def test_by_a_full_fit_made_meanwhile_it_may_come_first() -> None:
    crowd_model(FIRST)
    stamps = refit._stamps()
    judged = abilities.judge_all(crowds.current_crowd())
    ingest.process_batch([late()], judge=scoring.refresh_or_mark)
    Observation.objects.filter(submission_id=Submission.objects.latest("pk").pk).update(lot=FIRST - 1)
    refit._store_estimates(judged, stamps)
    CardModel.objects.update(judged_at=None)
    scoring.judge_marked()
    people = set(AbilityEstimate.objects.values_list("people", flat=True))
    assert people == {MOST - 1}, "two cards of somebody in place of one, and one of somebody else"
