"""Senders wait for their receipt while workers are behind, so that nobody sends faster than is worked out."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event, Semaphore

import pytest
from django.test import Client
from django.utils import timezone

from submissions import tasks
from submissions.models import Submission
from submissions.tasks import Brake
from tests.factories import body, uuid


def send(client: Client, number: int) -> None:
    report = body(uuid=uuid(number))
    assert client.post("/api/v1/submissions/", report, content_type="application/json").status_code == 202
    tasks.arrivals.wait()


@pytest.mark.django_db
def test_it_works(client: Client, empty_broker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waited for two seconds makes the senders after it wait, until nothing waits."""
    pauses: list[float] = []
    monkeypatch.setattr(tasks, "brake", Brake(pause=pauses.append))
    send(client, 1)
    Submission.objects.update(received_at=timezone.now() - timedelta(seconds=2))
    tasks.process_waiting()
    send(client, 2)  # tells this process of the lag
    assert not pauses
    send(client, 3)
    assert pauses == [pytest.approx(0.4, abs=0.1)]
    tasks.process_waiting()  # of what came just now
    send(client, 4)
    send(client, 5)
    assert pauses[-1] < 0.2


def test_nobody_waits_where_no_worker_is_behind() -> None:
    pauses: list[float] = []
    brake = Brake(pause=pauses.append)
    brake.wait()
    brake.set(0.0)
    brake.wait()
    assert not pauses


def test_nobody_waits_long() -> None:
    pauses: list[float] = []
    brake = Brake(pause=pauses.append)
    brake.set(3600.0)
    brake.wait()
    assert pauses == [Brake.MOST_S]


def test_what_was_said_long_ago_does_not_count() -> None:
    pauses: list[float] = []
    brake = Brake(pause=pauses.append)
    brake.LASTS_S = -1.0
    brake.set(1.0)
    brake.wait()
    assert not pauses


def test_some_threads_are_left_for_pages() -> None:
    may_go, waiting = Event(), Semaphore(0)

    def pause(_: float) -> None:
        waiting.release()
        may_go.wait()

    brake = Brake(pause=pause)
    brake.set(1.0)
    with ThreadPoolExecutor(Brake.PLACES) as senders:
        for _ in range(Brake.PLACES):
            senders.submit(brake.wait)
            waiting.acquire()
        brake.wait()  # would never end
        may_go.set()
    assert not waiting.acquire(blocking=False)
    brake.wait()  # the places are free again
    assert waiting.acquire(blocking=False)
