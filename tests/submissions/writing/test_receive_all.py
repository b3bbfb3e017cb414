"""Many reports received at once, and estimated at the end, give the same result as one by one."""

import json
from random import Random
from typing import Any

import pytest
from django.db import OperationalError, transaction

from submissions.domain.json_shape import ShapeError
from submissions.models import (
    Card,
    CardModel,
    FormerSlug,
    Host,
    Measurement,
    Performance,
    Run,
    Submission,
    Variant,
)
from submissions.writing import filing, ingest, refit, scoring
from tests.factories import body, rand_read, report, specimen, uuid
from tests.small_crowd import a_report, crowd, read_judgement, receive

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    reports = [(body(uuid=uuid(number)), f"person {number}") for number in range(3)]
    assert ingest.receive_all(reports, channel="bulk") == 3
    assert set(Submission.objects.values_list("submitter", flat=True)) == {"person 0", "person 1", "person 2"}


def test_what_is_known_is_not_new() -> None:
    stored_report = (body(uuid=uuid(1)), "somebody")
    ingest.receive_all([stored_report], channel="bulk")
    same_uuid = (body(uuid=uuid(1), note="corrected"), "somebody")
    assert (
        ingest.receive_all([stored_report, same_uuid, (body(uuid=uuid(2)), "somebody")], channel="bulk") == 1
    )


def test_the_same_twice_in_one_go_is_one() -> None:
    assert ingest.receive_all([(body(), "somebody")] * 2, channel="bulk") == 1


def test_a_wrong_shape_stores_nothing() -> None:
    with pytest.raises(ShapeError):
        ingest.receive_all([(body(), "somebody"), (b"{", "somebody")], channel="bulk")
    assert Submission.objects.count() == 0


def test_a_batch_begins_the_oldest_and_nothing_twice() -> None:
    first, second, third = (submission.pk for submission in crowd(3))
    assert ingest.take_batch(most=2) == [first, second]
    assert ingest.take_batch() == [third]
    assert ingest.take_batch() == []


def test_a_batch_of_large_reports_is_small() -> None:
    pks = [receive(report(uuid=uuid(number)), "somebody").pk for number in range(3)]
    assert ingest.take_batch(most_bytes=2 * len(json.dumps(report(uuid=uuid(0))))) == pks[:2]
    assert ingest.take_batch(most_bytes=1) == pks[2:]


def test_judging_later_comes_to_the_same() -> None:
    pks = [submission.pk for submission in crowd(20)]
    ingest.process_batch(pks, judge=scoring.postpone)
    assert not Performance.objects.exists()
    refit.refit_after_load()
    later = read_judgement()
    ingest.process_batch(pks)
    assert read_judgement() == later


def test_one_that_breaks_takes_nobody_along(monkeypatch: pytest.MonkeyPatch) -> None:
    submissions = crowd(6)
    poison = submissions[2]
    read = filing.read_report

    def read_or_fail(submission: Submission) -> filing.ReadReport:
        assert submission.pk != poison.pk, "a defect in a parser"
        return read(submission)

    monkeypatch.setattr(filing, "read_report", read_or_fail)
    ingest.process_all_waiting(most=4)
    assert Submission.objects.filter(state="processed").count() == 5
    assert Submission.objects.get(state="received").attempts == 1, "the sweep retries it"


def test_a_database_that_goes_on_refusing_ends_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OperationalError("No space left on device")

    crowd(2)
    monkeypatch.setattr(filing, "read_report", full)
    with pytest.raises(OperationalError):
        ingest.process_all_waiting(most=4)
    assert set(Submission.objects.values_list("state", "attempts")) == {("received", 0)}


_RUN = (
    "suite",
    "label",
    "registers",
    "csd",
    "suspicions",
    "excluded",
    "facts",
    "host__machine",
    "host__clock_hz",
)
_CARD = [f"card__{name}" for name in ("key", "manufactured", "verdict", "suspicions", "variant__prv")]
_MODEL = [
    f"card__variant__card_model__{name}" for name in ("slug", "name", "named_from", "words", "known_cards")
]
_MEASUREMENT = ("position", "figure", "parameters", "repeats", "value", "verdict", "reason")


def books() -> list[tuple[object, ...]]:
    """Return all stored data without ids and times, to compare two states of the database."""
    hashed = "run__submission__content_hash"
    return [
        *sorted(Submission.objects.values_list("content_hash", "state", "reason_code", "not_understood")),
        *sorted(Run.objects.values_list("submission__content_hash", *_RUN, *_CARD, *_MODEL), key=str),
        *sorted(Measurement.objects.values_list(hashed, *_MEASUREMENT), key=str),
        *sorted(FormerSlug.objects.values_list("slug", "to_slug")),
        *[(kind.objects.count(),) for kind in (CardModel, Variant, Card, Host)],
        *read_judgement(),
    ]


def motley(size: int, seed: int) -> list[int]:
    """Receive varied reports, such as repeated cards, late labels and simulated cards; return their ids."""
    chance = Random(seed)
    return [receive(_any_report(number, chance), "somebody").pk for number in range(size)]


def _any_report(number: int, chance: Random) -> dict[str, Any]:
    document = a_report(number, chance)
    card = specimen(chance.randrange(5))
    if chance.random() < 0.4:
        card["label"] = {"brand": f"Brand {chance.randrange(3)}"}
    if chance.random() < 0.2:
        document["measurements"].append(rand_read() | {"workload": "telepathy"})
    if chance.random() < 0.2:
        card["size_bytes"] = 64 * 10**9
    if chance.random() < 0.1:
        card = {"size_bytes": 64 * 10**9}
    return document | {"card": card, "simulated": chance.random() < 0.1}


@pytest.mark.parametrize("seed", range(4))
def test_any_batches_give_the_same_books(seed: int) -> None:
    pks = motley(14, seed)
    one_by_one = _process_and_undo(pks, size=1)
    for size in (2, 5, 14):
        assert _process_and_undo(pks, size=size) == one_by_one


def _process_and_undo(pks: list[int], *, size: int) -> list[tuple[object, ...]]:
    with transaction.atomic():
        for at in range(0, len(pks), size):
            ingest.process_batch(pks[at : at + size])
        written = books()
        transaction.set_rollback(True)
    return written
