"""Background tasks lose and repeat nothing, with a real message broker and a real worker that is killed."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from submissions import tasks
from submissions.models import AbilityEstimate, Measurement, Run, Submission
from submissions.visitors import admitting
from submissions.writing import filing, ingest, scoring
from tests.conftest import Worker
from tests.factories import body, rand_read, rand_write, uuid

Wait = Callable[[Callable[[], object]], None]
MANY = 500


def accept(number: int = 1, **changes: object) -> Submission:
    """Accept a report, and wait until the workers are notified; return its submission."""
    receipt = admitting.accept_report(body(uuid=uuid(number), **changes), channel="api", submitter="anybody")
    admitting.arrivals.wait()
    return receipt.submission


def state(submission: Submission) -> str:
    return Submission.objects.values_list("state", flat=True).get(pk=submission.pk)


def test_it_works(worker: Worker, wait_until: Wait) -> None:
    worker.start()
    submission = accept()
    wait_until(lambda: state(submission) == "processed")
    assert AbilityEstimate.objects.count() == 2


def test_a_worker_that_starts_later_finds_what_waits(worker: Worker, wait_until: Wait) -> None:
    submission = accept()
    worker.start()
    wait_until(lambda: state(submission) == "processed")


def test_it_finds_what_the_broker_has_forgotten(worker: Worker, wait_until: Wait) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    worker.start()
    wait_until(lambda: state(submission) == "processed")


def test_a_killed_worker_loses_nothing_and_doubles_nothing(worker: Worker, wait_until: Wait) -> None:
    """The worker is repeatedly killed during a task while reports wait; then it may finish."""
    submissions = [accept(number, measurements=_make_measurements(number)) for number in range(8)]
    for _ in range(4):
        _kill_in_the_middle(worker, wait_until)
    worker.start()
    wait_until(lambda: {state(submission) for submission in submissions} == {"processed"})
    assert Run.objects.count() == len(submissions)
    assert Measurement.objects.count() == len(submissions) * MANY
    wait_until(lambda: not scoring.is_marked())
    assert AbilityEstimate.objects.get(ability="small_writes").runs == len(submissions)


def _make_measurements(number: int) -> list[dict[str, Any]]:
    # Values differ by number, because equal results count once.
    reads = (rand_read(1500 + index + number / 10) for index in range(MANY - 1))
    return [rand_write(500 + number / 10), *reads]


def _kill_in_the_middle(worker: Worker, wait_until: Wait) -> None:
    before = _count_attempts()
    worker.start()
    wait_until(lambda: _count_attempts() > before)
    worker.kill()


def _count_attempts() -> int:
    return sum(Submission.objects.values_list("attempts", flat=True))


@pytest.mark.django_db
def test_a_dead_broker_refuses_nobody(broker_url: str) -> None:
    current_app.conf.broker_write_url = "redis+socket:///nowhere/redis.sock"
    current_app.amqp._producer_pool = None
    try:
        assert state(accept()) == "received"
    finally:
        current_app.conf.broker_write_url = broker_url
        current_app.amqp._producer_pool = None


@pytest.mark.django_db
def test_many_submissions_need_one_wake_up_call(empty_broker: None) -> None:
    for number in range(3):
        accept(number)
    assert _count_queued() == 1


@pytest.mark.django_db
def test_a_call_that_was_heard_is_given_again(empty_broker: None) -> None:
    accept(1)
    tasks.process_waiting()
    accept(2)
    assert _count_queued() == 2


@pytest.mark.django_db
def test_a_full_batch_wakes_another_worker(empty_broker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "BATCH", 25)
    for number in range(26):
        ingest.receive(body(uuid=uuid(number), note=str(number)), channel="api", submitter="anybody")
    tasks.process_waiting()
    assert (Run.objects.count(), _count_queued()) == (25, 2), "it, and the call to judge"


@pytest.mark.django_db
def test_during_a_rush_reports_gather_and_models_are_judged_later(empty_broker: None) -> None:
    for number in range(ingest.FEW + 1):
        accept(number, note=str(number))
    tasks.process_waiting()
    assert (Run.objects.count(), AbilityEstimate.objects.count(), scoring.is_marked()) == (6, 0, True)
    calls = _count_queued()
    accept(99)
    assert _count_queued() == calls, "the next batch is called already"
    tasks.judge_marked()
    assert (AbilityEstimate.objects.count(), scoring.is_marked()) == (2, False)


@pytest.mark.django_db
def test_one_that_breaks_takes_nobody_along(empty_broker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    innocent, poison = accept(1), accept(2, note="poison")
    read = filing.read_report

    def fail(submission: Submission) -> filing.ReadReport:
        assert submission.pk != poison.pk, "a defect in a parser"
        return read(submission)

    monkeypatch.setattr(filing, "read_report", fail)
    tasks.process_waiting()
    assert (state(innocent), state(poison), _count_queued()) == ("received", "received", 3)
    tasks.retry(innocent.pk)
    with pytest.raises(AssertionError):
        tasks.retry(poison.pk)
    assert (state(innocent), state(poison)) == ("processed", "received")


@pytest.mark.django_db
def test_the_sweep_wakes_a_worker_for_what_waits(empty_broker: None) -> None:
    ingest.receive(body(), channel="api", submitter="anybody")
    for _ in range(2):
        tasks.sweep()
    assert _count_queued() == 2


@pytest.mark.django_db
def test_the_sweep_begins_again_what_was_not_brought_to_an_end(empty_broker: None) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    ingest.take_batch()
    tasks.sweep()
    assert _count_queued() == 0, "it was begun just now"
    Submission.objects.filter(pk=submission.pk).update(
        received_at=timezone.now() - timedelta(seconds=2 * settings.OVERDUE_S)
    )
    tasks.sweep()
    assert _count_queued() == 1


@pytest.mark.django_db
def test_what_a_killed_worker_had_begun_is_begun_together_once(empty_broker: None) -> None:
    """One by one, 250 reports took half a minute; together they take as long as the first time."""
    pks = [accept(number).pk for number in range(1, 4)]
    ingest.take_batch()
    with current_app.connection_for_write() as broker:
        broker.default_channel.queue_purge("celery")
    tasks.sweep(overdue_seconds=-1)
    assert _count_queued() == 1, "one task for all three"
    tasks.retry_together(pks)
    assert {state(submission) for submission in Submission.objects.all()} == {"processed"}


@pytest.mark.django_db
def test_what_was_begun_twice_is_begun_alone(empty_broker: None) -> None:
    """After two failures, one of these reports may have killed the worker, so each is tried separately."""
    pks = [accept(number).pk for number in range(1, 4)]
    ingest.take_batch()
    assert (ingest.take_again(pks), ingest.take_again(pks)) == (pks, [])
    with current_app.connection_for_write() as broker:
        broker.default_channel.queue_purge("celery")
    tasks.sweep(overdue_seconds=-1)
    assert _count_queued() == 3
    tasks.retry_together(pks)
    assert {state(submission) for submission in Submission.objects.all()} == {"received"}


@pytest.mark.django_db
def test_a_clock_that_was_put_back_delays_nobody(empty_broker: None) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    ingest.take_batch()
    Submission.objects.filter(pk=submission.pk).update(received_at=timezone.now() + timedelta(days=1))
    tasks.sweep()
    assert _count_queued() == 1


@pytest.mark.django_db
def test_a_fault_of_the_database_is_no_attempt(empty_broker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OperationalError("No space left on device")

    submission = accept()
    with monkeypatch.context() as planted:
        planted.setattr(filing, "read_report", full)
        for task in (tasks.process_waiting, partial(ingest.process, submission.pk)):
            with pytest.raises(OperationalError):
                task()
    submission.refresh_from_db()
    assert (submission.attempts, _count_queued()) == (0, 1)
    tasks.process_waiting()
    assert state(submission) == "processed"


@pytest.mark.django_db
def test_a_replayed_task_changes_nothing(empty_broker: None) -> None:
    submission = accept()
    for task in (tasks.process_waiting, tasks.process_waiting):
        task()
    tasks.retry(submission.pk)
    assert (state(submission), Run.objects.count(), Measurement.objects.count()) == ("processed", 1, 2)


@pytest.mark.django_db
def test_what_was_begun_too_often_is_given_up() -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    Submission.objects.filter(pk=submission.pk).update(attempts=ingest.MOST_ATTEMPTS)
    for _ in range(2):
        tasks.retry(submission.pk)
    submission.refresh_from_db()
    assert (submission.state, submission.reason_code) == ("rejected", "processing_failed")
    assert submission.attempts == ingest.MOST_ATTEMPTS


def _count_queued() -> int:
    with current_app.connection_for_write() as broker:
        return int(broker.default_channel.client.llen("celery"))
