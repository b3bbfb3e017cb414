"""Celery tasks: one line each, on a primary key. The broker only wakes workers; the database knows what is to do."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from threading import Lock, Thread, current_thread
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from submissions import counters
from submissions.domain.intake.pasted import Claims
from submissions.dumps import shelf
from submissions.models import Submission
from submissions.writing import ingest
from submissions.writing import refit as fitting

# What comes within so long is told together.
TOGETHER_S = 0.03


class Bell:
    """`hear` is called with what was rung, and how often; never twice at a time. A process that ends lets it finish."""

    def __init__(self, hear: Callable[[Counter[str]], None]) -> None:
        self._hear = hear
        self._lock = Lock()
        self._rung: Counter[str] = Counter()
        self._teller: Thread | None = None

    def ring(self, what: str) -> None:
        with self._lock:
            self._rung[what] += 1
            if self._teller is None:
                self._teller = Thread(target=self._tell)
                self._teller.start()

    def wait(self) -> None:
        """Until all was told."""
        while teller := self._teller:
            teller.join()

    def _tell(self) -> None:
        try:
            while rung := self._gathered():
                self._hear(rung)
        finally:
            with self._lock:
                if self._teller is current_thread():  # something broke: the next ring begins anew
                    self._teller = None

    def _gathered(self) -> Counter[str]:
        """What was rung since; when nothing was, nobody listens any more."""
        time.sleep(TOGETHER_S)
        with self._lock:
            rung, self._rung = self._rung, Counter()
            if not rung:
                self._teller = None
        return rung


logger = logging.getLogger(__name__)

# Less by the minutes that a beat may be late.
A_DAY = timedelta(hours=23, minutes=30)


@shared_task(
    name="submissions.retry",
    autoretry_for=(OperationalError, IntegrityError),
    retry_backoff=1,
    max_retries=3,
)
def retry(pk: int) -> None:
    ingest.retry(pk)


@shared_task(
    name="submissions.process_waiting",
    autoretry_for=(OperationalError,),
    retry_backoff=1,
    max_retries=3,
)
def process_waiting() -> None:
    """Work out the next submissions together. One that breaks the others is found by trying each alone."""
    counters.forget_call()
    pks = ingest.begin()
    if not pks:
        return
    if len(pks) == ingest.BATCH:
        wake()  # there is more: another worker need not wait for this one
    began = time.perf_counter()
    try:
        finished = ingest.process_together(pks, alone=hand_over)
    except OperationalError:
        counters.count("flashdb_batches_broken", "database")
        raise
    if finished:
        counters.note_batch(finished, seconds=time.perf_counter() - began)
    else:
        counters.count("flashdb_batches_broken", "report")


@shared_task(name="submissions.sweep")
def sweep(*, overdue_seconds: float = settings.OVERDUE_S) -> None:
    """Wake a worker for whatever waits, and begin again what was not brought to an end."""
    now = timezone.now()
    overdue = Submission.objects.waiting().overdue(since=now - timedelta(seconds=overdue_seconds), now=now)
    for pk in overdue.exclude(attempts=0).values_list("pk", flat=True):
        hand_over(pk)
    if fitting.is_due():
        refit.delay()
    if Submission.objects.waiting().filter(attempts=0).exists():
        counters.forget_call()
        wake()
    ingest.put_right(since=now - 2 * A_DAY)


@shared_task(name="submissions.write_dump")
def write_dump() -> None:
    """Once a day, however many beats ask for it."""
    if shelf.is_due(every=A_DAY):
        shelf.add()


@shared_task(name="submissions.writing.refit")
def refit(*, only_if_due: bool = True) -> None:
    if not only_if_due or fitting.is_due():
        fitting.refit()


@worker_ready.connect
def sweep_at_start(**_: Any) -> None:
    """A worker that was killed in the middle of a task finds it again at once, not after the broker's hour."""
    sweep.delay(overdue_seconds=0)


def accept(body: bytes, *, channel: str, submitter: str, account: User | None = None) -> ingest.Receipt:
    """Keep a report and have a worker woken. Raises report.ShapeError, storing nothing."""
    return _announced(ingest.receive(body, channel=channel, submitter=submitter, account=account))


def accept_text(
    text: bytes, *, claims: Claims, channel: str, submitter: str, account: User | None = None
) -> ingest.Receipt:
    """Keep what another tool printed and have a worker woken. Raises ReportError, storing nothing."""
    return _announced(
        ingest.receive_text(text, claims=claims, channel=channel, submitter=submitter, account=account)
    )


def _announced(receipt: ingest.Receipt) -> ingest.Receipt:
    if receipt.submission.is_waiting:
        bell.ring(receipt.submission.channel if receipt.created else "")
    return receipt


def wake(accepted: Mapping[str, int] | None = None) -> None:
    """Have a worker look what waits. Under load one call serves many submissions. `accepted`: how many came in just
    now, by the way they came; "" is what was there already.

    A dead broker is no reason to refuse anybody: `sweep` wakes a worker later.
    """
    try:
        if counters.count_call(accepted or {}):
            process_waiting.delay()
    except (BrokerError, RedisError) as error:
        logger.warning("the broker is not reached (%s); what waits is found by the sweep", error)


bell = Bell(wake)


def hand_over(pk: int) -> None:
    """Queue one submission by itself. When the broker is dead, `sweep` finds it later."""
    try:
        retry.delay(pk)
    except BrokerError as error:
        logger.warning("the broker is not reached (%s); submission %s waits for the sweep", error, pk)
