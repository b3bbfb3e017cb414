"""Observations always agree with the rows from which they are copied, and of many only the first are read."""

import json
from datetime import UTC, datetime
from importlib import import_module
from random import Random

import numpy as np
import pytest
from django.db import connection
from django.db.models import F

from submissions.domain.amendment import Amendment
from submissions.domain.estimation.people import NO_RECORD
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.report import Label
from submissions.evidence import sources
from submissions.models import Card, CardModel, Measurement, Observation, Standing, Submission
from submissions.models.audit import Actor, Role
from submissions.writing import decisions, ingest, names, observing, refit
from tests.factories import body, report, specimen, uuid
from tests.small_crowd import agreeing_people, crowd, list_rankable, process, process_together, receive

pytestmark = pytest.mark.django_db
MODERATOR = Actor(Role.MODERATOR)
MOST = sources.MOST_VALUES


def observations() -> list[tuple[object, ...]]:
    return sorted(
        Observation.objects.values_list(
            *("card_id", "figure", "turn", "card_model_id", "signature", "host_id", "submission_id", "value")
        )
    )


def expected_observations() -> list[tuple[object, ...]]:
    """Return the observations computed one by one from the rows from which they are copied."""
    rows = list_rankable(Measurement.objects).filter(value__gt=0).order_by("run__submission", "position")
    turns: dict[tuple[int, str], int] = {}
    found: list[tuple[object, ...]] = []
    for row in rows.select_related("run__card__variant"):
        card, variant = row.run.card_id, row.run.card.variant
        turns[card, row.figure] = turn = turns.get((card, row.figure), 0) + 1
        signature = -1 if variant.mid is None else variant.pk
        where = (variant.card_model_id, signature, row.run.host_id, row.run.submission_id)
        found.append((card, row.figure, turn, *where, row.value))
    return sorted(found)


def test_it_works() -> None:
    process_together(crowd(12))
    assert observations() == expected_observations() and len(observations()) == 36


@pytest.mark.parametrize("seed", [5, 6])
def test_whatever_is_done_it_is_what_the_rows_say(seed: int) -> None:
    chance = Random(seed)
    waiting = crowd(24, seed)
    for step in range(24):
        chance.choice([_process, _delete, _amend, _exclude, _merge, _split])(chance, waiting)
        assert observations() == expected_observations(), f"after step {step}"
    assert observations()


def _process(chance: Random, waiting: list[Submission]) -> None:
    process_together([waiting.pop() for _ in range(min(4, len(waiting)))])


def _choose_stored(chance: Random) -> Submission | None:
    pks = list(Submission.objects.filter(run__isnull=False).values_list("pk", flat=True))
    return Submission.objects.get(pk=chance.choice(pks)) if pks else None


def _delete(chance: Random, waiting: list[Submission]) -> None:
    if submission := _choose_stored(chance):
        ingest.delete(submission)


def _amend(chance: Random, waiting: list[Submission]) -> None:
    if submission := _choose_stored(chance):
        change = Amendment(label={"brand": f"Amended {chance.randrange(2)}"})
        decisions.amend(submission, change, by=MODERATOR)


def _exclude(chance: Random, waiting: list[Submission]) -> None:
    if submission := _choose_stored(chance):
        ruling = chance.choice([Submission.Ruling.EXCLUDED, Submission.Ruling.CONFIRMED])
        decisions.store_ruling(submission, ruling, reason="to see", by=MODERATOR)


def _merge(chance: Random, waiting: list[Submission]) -> None:
    slugs = list(CardModel.objects.values_list("slug", flat=True))
    if len(slugs) > 2:
        names.merge([slugs[0]], into=slugs[1])


def _split(chance: Random, waiting: list[Submission]) -> None:
    if model := CardModel.objects.order_by("?").first():
        label = Label(brand=f"Split {chance.randrange(10**6)}")
        names.split(model.slug, variants=model.variants.values_list("pk", flat=True)[:1], to=label)


def test_it_keeps_network_week_and_month() -> None:
    receipt = ingest.receive(body(), channel="api", submitter="ada", network=7)
    received_at = datetime(2026, 11, 26, 23, tzinfo=UTC)  # a Thursday, as 1 January 1970
    Submission.objects.filter(pk=receipt.submission.pk).update(received_at=received_at)
    ingest.process(receipt.submission.pk)
    week = (received_at - datetime(1970, 1, 1, tzinfo=UTC)).days // 7
    november = 12 * 2026 + 10
    kept = set(Observation.objects.values_list("network", "week", "month"))
    assert kept == {(7, week, november)}


def test_it_keeps_the_middle_of_the_time_that_a_source_allows() -> None:
    run = {"suite": "quick", "tool": "cardbench", "target": "device"}
    dated = report(run=run, source={"title": "A table", "dated": "2016 to 2018"})
    ingest.process(ingest.receive(json.dumps(dated).encode(), channel="bulk", submitter="ada").submission.pk)
    assert set(Observation.objects.values_list("month", flat=True)) == {12 * 2017 + 6}


@pytest.mark.parametrize("vouched", [False, True])
def test_it_knows_neither_network_nor_week_of_a_bulk_load(vouched: bool) -> None:
    undated = report(run={"suite": "quick", "tool": "cardbench", "target": "device"})
    ingest.receive_all([(json.dumps(undated).encode(), "a source")], channel="bulk", vouched=vouched)
    ingest.process_batch(ingest.take_batch())
    kept = set(Observation.objects.values_list("network", "week", "month"))
    assert kept == {(-1, -1, 0)}


def test_the_full_fit_lets_people_with_a_record_come_first() -> None:
    agreeing_people()
    assert set(Observation.objects.values_list("untrusted", flat=True)) == {1}
    refit.refit()
    assert set(Observation.objects.values_list("untrusted", flat=True)) == {0}
    assert Standing.objects.filter(agrees=True).count() == Standing.objects.count() == 42
    observing.update_untrusted(NO_RECORD)
    assert set(Observation.objects.values_list("untrusted", flat=True)) == {1}


def test_a_new_value_of_a_person_with_a_record_comes_first() -> None:
    agreeing_people()
    refit.refit()
    process(
        [
            receive(report(uuid=uuid(90 + number), card=specimen(90 + number)), person)
            for number, person in enumerate(("person 0", "stranger"))
        ]
    )
    newest = Observation.objects.filter(figure="rand_write_4k").order_by("-submission_id")[:2]
    assert [row.untrusted for row in newest] == [1, 0]


def test_the_migration_copies_what_was_stored_before() -> None:
    process_together(crowd(12))
    every = [field.attname for field in Observation._meta.concrete_fields]
    kept = sorted(Observation.objects.values_list(*every))
    Observation.objects.all().delete()
    copy = import_module("submissions.migrations.0026_observe_what_is_stored").COPY
    fill = import_module("submissions.migrations.0042_network_week_month").FILL
    with connection.cursor() as cursor:
        cursor.execute(copy.replace("stranger", "untrusted"))
        cursor.execute(fill)
    assert sorted(Observation.objects.values_list(*every)) == kept and kept


def test_of_many_it_reads_those_whose_turn_comes_first() -> None:
    """Cards of trusted people come before those of untrusted ones, and first runs of cards before second ones."""
    process_together(crowd(3, models=1))
    model, host = CardModel.objects.get(), Observation.objects.values_list("host_id", flat=True)[0]
    Observation.objects.all().delete()
    Observation.objects.bulk_create(
        Observation(
            card_model=model,
            figure="seq_read",
            untrusted=number % 4 == 0,
            turn=turn,
            lot=(number * 7919) % 10_007,
            signature=-1,
            card_id=number,
            host_id=host,
            submission_id=number,
            person=number,
            vouched=0,
            value=1e6 + number,
        )
        for number in range(MOST)
        for turn in (1, 2)
    )
    rows = sources.load_models([model.pk], list(FIGURES))
    assert len(rows["card"]) == MOST
    trusted = Observation.objects.filter(untrusted=0).order_by("turn", F("lot"))[:MOST]
    assert set(zip(rows["card"].tolist(), rows["turn"].tolist(), strict=True)) == {
        (row.card_id, row.turn) for row in trusted
    }
    every = sources.load_all(list(FIGURES))
    assert _as_set(every, sources.mask_judged(every)) == _as_set(rows, np.ones(MOST, dtype=bool))


def test_of_strangers_the_120_first_are_judged_and_whoever_has_a_record_always() -> None:
    process_together(crowd(3, models=1))
    model, card = CardModel.objects.get(), Card.objects.earliest("pk")
    row = Observation.objects.filter(figure="rand_write_4k").earliest("pk")
    Observation.objects.all().delete()
    for number in range(MOST + 1):
        row.pk, row.card_id, row.turn, row.lot, row.untrusted = None, 10**6 + number, 1, number, 1
        row.save(force_insert=True)
    last = Observation.objects.filter(lot=MOST)
    last.update(card_id=card.pk)
    assert sources.find_judged_models([card.pk], [model.pk]) == set()
    last.update(untrusted=0)
    assert sources.find_judged_models([card.pk], [model.pk]) == {model.pk}


def _as_set(rows: sources.Columns, where: np.ndarray) -> set[tuple[float, ...]]:
    return set(zip(*(column[where].tolist() for column in rows.values()), strict=True))
