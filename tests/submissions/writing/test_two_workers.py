"""Two processes store reports of the same cards under the same new names, or the same result, at the same time."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from django.db import connection, transaction

from submissions.models import Run, Submission
from submissions.writing import filing, ingest
from tests.conftest import PROJECT, database_url
from tests.factories import body, rand_read, rand_write, specimen, uuid
from tests.small_crowd import a_report, read_judgement, receive

# Processes like a worker, but ends at a deadlock.
_WORK_OFF = """
import django
django.setup()
from submissions.writing import ingest
while pks := ingest.take_batch(most=4):
    ingest.process_with_fallback(pks, fallback=ingest.process)
"""


def _start() -> subprocess.Popen[bytes]:
    environment = {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "flashdb.settings"}
    return subprocess.Popen([sys.executable, "-c", _WORK_OFF], cwd=PROJECT, env=os.environ | environment)


def _count_waiting() -> int:
    # Only waiting connections of this database count, because other tests use the same server.
    here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND {here}"
        )
        return int(cursor.fetchone()[0])


def _few_cards_of_many_names(count: int) -> list[int]:
    # Every second report has a label, so that cards move from one new name to another.
    chance = Random(5)
    received = []
    for number in range(count):
        label = {"brand": f"Brand {chance.randrange(6)}"} if number % 2 else {}
        document = a_report(number, chance) | {"card": specimen(chance.randrange(25), label=label)}
        received.append(receive(document, f"person {number % 7}").pk)
    chance.shuffle(received)
    return received


@pytest.mark.django_db(transaction=True)
def test_it_works(wait_until: Callable[[Callable[[], object]], None]) -> None:
    pks = _few_cards_of_many_names(80)
    with transaction.atomic():
        filing.lock_names(to_correct=True)  # until both are there
        workers = [_start(), _start()]
        wait_until(lambda: _count_waiting() == 2)
    assert [worker.wait(timeout=180) for worker in workers] == [0, 0]
    assert set(Submission.objects.values_list("state", flat=True)) == {"processed"}
    together = read_judgement()
    ingest.process_batch(pks)
    assert read_judgement() == together


def _alone(work: Callable[[], object]) -> object:
    try:
        return work()
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_what_another_worker_holds() -> None:
    """Only the worker that has taken a report may take it again or give it up."""
    held, free = (receive(a_report(number, Random(number)), f"person {number}").pk for number in range(2))
    with ThreadPoolExecutor() as threads, transaction.atomic():
        Submission.objects.select_for_update().get(pk=held)
        for work, done in (
            (ingest.take_batch, [free]),
            (lambda: ingest.take_again([held, free]), [free]),
            (lambda: ingest.retry(held), None),
        ):
            assert threads.submit(_alone, work).result(timeout=60) == done
    assert list(Submission.objects.order_by("pk").values_list("attempts", flat=True)) == [0, 2]


@pytest.mark.django_db(transaction=True)
def test_of_two_copies_at_the_same_moment_one_counts(
    wait_until: Callable[[Callable[[], object]], None],
) -> None:
    measured = [rand_read(1531.7), rand_write(512.3)]
    first, second = (
        ingest.receive(
            body(
                uuid=uuid(number),
                card={"bus": "SD", "label": {"brand": "Nameless", "line": str(number)}},
                measurements=measured,
            ),
            channel="api",
            submitter=f"s{number}",
        ).submission.pk
        for number in (1, 2)
    )
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            ingest.process_batch([first])
            other = threads.submit(_alone, lambda: ingest.process(second))
            wait_until(lambda: _count_waiting() == 1)
        other.result(timeout=60)
    assert Run.objects.filter(excluded="").count() == 1
