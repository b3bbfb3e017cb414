"""The worker: a real one, on a real broker, killed for real."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone

from submissions import ingest, tasks
from submissions.models import Measurement, Run, Score, Submission
from tests.conftest import Worker
from tests.factories import body, rand_read, uuid

Wait = Callable[[Callable[[], object]], None]


def accept(number: int = 1, **changes: object) -> Submission:
    return tasks.accept(body(uuid=uuid(number), **changes), channel="api", submitter="anybody").submission


def state(submission: Submission) -> str:
    return Submission.objects.values_list("state", flat=True).get(pk=submission.pk)


def test_it_works(worker: Worker, wait_until: Wait) -> None:
    worker.start()
    submission = accept()
    wait_until(lambda: state(submission) == "processed")
    assert Score.objects.count() == 2


def test_a_worker_that_starts_later_finds_what_waits(worker: Worker, wait_until: Wait) -> None:
    submission = accept()
    worker.start()
    wait_until(lambda: state(submission) == "processed")


def test_it_finds_what_the_broker_has_forgotten(worker: Worker, wait_until: Wait) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    worker.start()
    wait_until(lambda: state(submission) == "processed")


def test_a_killed_worker_loses_nothing_and_doubles_nothing(worker: Worker, wait_until: Wait) -> None:
    """Kill it in the middle of a task, again and again, while reports wait; then let one finish."""
    many = [rand_read(1500 + index) for index in range(2000)]
    submissions = [accept(number, measurements=many) for number in range(8)]
    for _ in range(4):
        _kill_in_the_middle(worker, wait_until)
    worker.start()
    wait_until(lambda: {state(submission) for submission in submissions} == {"processed"})
    assert Run.objects.count() == len(submissions)
    assert Measurement.objects.count() == len(submissions) * len(many)
    assert Score.objects.get(profile="pi-root").runs == len(submissions)


def _kill_in_the_middle(worker: Worker, wait_until: Wait) -> None:
    before = _begun()
    worker.start()
    wait_until(lambda: _begun() > before)
    worker.kill()


def _begun() -> int:
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
def test_the_sweep_hands_over_what_waits_too_long(empty_broker: None) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    tasks.sweep()
    assert _queued() == 0
    Submission.objects.filter(pk=submission.pk).update(received_at=timezone.now() - 2 * tasks.OVERDUE)
    tasks.sweep()
    assert _queued() == 1


@pytest.mark.django_db
def test_the_sweep_gives_up_on_what_was_begun_too_often(empty_broker: None) -> None:
    submission = ingest.receive(body(), channel="api", submitter="anybody").submission
    long_ago = timezone.now() - timedelta(hours=1)
    Submission.objects.filter(pk=submission.pk).update(attempts=ingest.MOST_ATTEMPTS, received_at=long_ago)
    tasks.sweep()
    assert (state(submission), _queued()) == ("rejected", 0)


def _queued() -> int:
    with current_app.connection_for_write() as broker:
        return int(broker.default_channel.client.llen("celery"))
