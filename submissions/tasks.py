"""Celery tasks: one line each, on a primary key. The broker only wakes workers; the database knows what is to do."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from threading import BoundedSemaphore, Lock, Thread, current_thread
from typing import Any, Unpack

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.db import IntegrityError, OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from submissions import counters
from submissions.domain.intake.pasted import Claims
from submissions.dumps import shelf
from submissions.following import outbox
from submissions.models import Submission
from submissions.writing import ingest, scoring
from submissions.writing import refit as fitting

# The call to tell people what changed, and how long it waits for further changes.
TELL, TELL_AFTER_S = "tell", 5
# How long a notice waits for others that go out with it.
TOGETHER_S = 0.03


def _pause() -> None:
    time.sleep(TOGETHER_S)


class Coalescer:
    """Collects notices during a pause and hands them over together, counted by name, in a thread of its own.

    `deliver` is never called twice at a time, and `notify` does not wait for it. A process that ends lets it finish.
    """

    def __init__(
        self, deliver: Callable[[Counter[str]], None], *, pause: Callable[[], object] = _pause
    ) -> None:
        self._deliver, self._pause = deliver, pause
        self._lock = Lock()
        self._notices: Counter[str] = Counter()
        self._courier: Thread | None = None

    def notify(self, notice: str) -> None:
        with self._lock:
            self._notices[notice] += 1
            if self._courier is None:
                self._courier = Thread(target=self._deliver_all)
                self._courier.start()

    def wait(self) -> None:
        """Until everything is delivered."""
        while courier := self._courier:
            courier.join()

    def _deliver_all(self) -> None:
        try:
            while notices := self._collected():
                self._deliver(notices)
        finally:
            with self._lock:
                if (
                    self._courier is current_thread()
                ):  # `deliver` raised: the next notice starts another thread
                    self._courier = None

    def _collected(self) -> Counter[str]:
        """What has come since; when nothing has, the thread ends."""
        self._pause()
        with self._lock:
            notices, self._notices = self._notices, Counter()
            if not notices:
                self._courier = None
        return notices


class Brake:
    """Keeps senders from sending faster than workers work out: each waits for its receipt a share of the time by which
    workers are behind. So the lag stays short, and no report is refused.

    No more than PLACES threads of a process wait at a time: visitors of pages want the others.
    """

    PLACES, SHARE, MOST_S, LASTS_S = 6, 0.2, 0.5, 1.0

    def __init__(self, *, pause: Callable[[float], object] = time.sleep) -> None:
        self._pause = pause
        self._places = BoundedSemaphore(self.PLACES)
        self._seconds, self._until = 0.0, 0.0

    def set(self, lag_s: float) -> None:
        """`lag_s`: how far workers are behind now. It counts for LASTS_S."""
        self._seconds, self._until = min(self.SHARE * lag_s, self.MOST_S), time.monotonic() + self.LASTS_S

    def wait(self) -> None:
        if not self._seconds or time.monotonic() > self._until or not self._places.acquire(blocking=False):
            return
        try:
            self._pause(self._seconds)
        finally:
            self._places.release()


logger = logging.getLogger(__name__)
brake = Brake()

# Shorter than a day by as much as a beat may be late.
A_DAY = timedelta(hours=23, minutes=30)


@shared_task(
    name="submissions.retry", autoretry_for=(OperationalError, IntegrityError), retry_backoff=1, max_retries=3
)
def retry(pk: int) -> None:
    """Work out by itself a submission that was begun and not brought to an end."""
    ingest.retry(pk)
    _judge_soon()


@shared_task(
    name="submissions.retry_together", autoretry_for=(OperationalError,), retry_backoff=1, max_retries=3
)
def retry_together(pks: Sequence[int]) -> None:
    """Work out together what was begun once: nearly all of it waits because a worker was killed beside it."""
    if again := ingest.begin_again(pks):
        _work_out(again)
        _judge_soon()


@shared_task(
    name="submissions.process_waiting", autoretry_for=(OperationalError,), retry_backoff=1, max_retries=3
)
def process_waiting() -> None:
    """Work out the next submissions together, and judge the models that they touched."""
    counters.forget_call()
    if pks := ingest.begin():
        counters.note_lag(ingest.waited_s(pks))
        if len(pks) >= ingest.BATCH:
            wake()  # there may be more, for another worker
        _work_out(pks)
    _judge_marked()


def _work_out(pks: Sequence[int]) -> None:
    """One that breaks the others is found by trying each alone."""
    began = time.perf_counter()
    judge = scoring.refresh_rested if len(pks) <= ingest.BATCH else scoring.mark
    try:
        finished = ingest.process_together(pks, alone=hand_over, judge=judge)
    except OperationalError:
        counters.count("flashdb_batches_broken", "database")
        raise
    if finished:
        counters.note_batch(finished, seconds=time.perf_counter() - began)
    else:
        counters.count("flashdb_batches_broken", "report")


@shared_task(
    name="submissions.judge_marked",
    autoretry_for=(OperationalError, IntegrityError),
    retry_backoff=1,
    max_retries=3,
)
def judge_marked() -> None:
    """Judge, and describe, models that were touched while they could not be judged again yet."""
    counters.forget_call(counters.JUDGE)
    _judge_marked()


def _judge_marked() -> None:
    left = scoring.judge_marked()
    if scoring.describe_marked(is_busy=ingest.is_busy()) or left:
        _judge_soon()
    _tell_if_followed()


def _judge_soon() -> None:
    _call(counters.JUDGE, partial(judge_marked.apply_async, countdown=scoring.JUDGE_EVERY_S))


def _tell_if_followed() -> None:
    if outbox.is_followed():
        tell_soon()


def tell_soon(*, wait_s: float = TELL_AFTER_S) -> None:
    _call(TELL, partial(tell.apply_async, countdown=wait_s))


@shared_task(name="submissions.tell", autoretry_for=(OperationalError,), retry_backoff=1, max_retries=3)
def tell() -> None:
    """Find what changed of what people follow, and deliver what is due."""
    counters.forget_call(TELL)
    outbox.look()
    wait_s = outbox.deliver()
    if wait_s is not None and wait_s < settings.SWEEP_S:
        tell_soon(wait_s=wait_s)


@shared_task(name="submissions.sweep")
def sweep(*, overdue_seconds: float = settings.OVERDUE_S) -> None:
    """Wake a worker for whatever waits, and begin again what was not brought to an end."""
    now = timezone.now()
    overdue = Submission.objects.waiting().overdue(since=now - timedelta(seconds=overdue_seconds), now=now)
    once = list(overdue.filter(attempts=1).values_list("pk", flat=True))
    for first in range(0, len(once), ingest.BATCH):
        _queue(retry_together, once[first : first + ingest.BATCH])
    for pk in overdue.filter(attempts__gt=1).values_list("pk", flat=True):
        hand_over(pk)
    if fitting.is_due():
        refit.delay()
    if Submission.objects.waiting().filter(attempts=0).exists():
        counters.forget_call()
        wake()
    if scoring.is_marked() or scoring.is_marked(judged=True):
        judge_marked.delay()
    ingest.put_right(since=now - 2 * A_DAY)
    outbox.forget()
    _tell_if_followed()
    counters.note_time("flashdb_sweep_time_seconds", time.time())


@shared_task(name="submissions.write_dump")
def write_dump() -> None:
    """Once a day, however many beats ask for it."""
    if shelf.is_due(every=A_DAY):
        shelf.add()
    counters.note_time("flashdb_dump_time_seconds", shelf.newest_at())


@shared_task(name="submissions.writing.refit")
def refit(*, only_if_due: bool = True) -> None:
    if not only_if_due or fitting.is_due():
        fitting.refit()
        _judge_soon()


@worker_ready.connect
def sweep_at_start(**_: Any) -> None:
    """So that what a killed worker had begun is found at once, not when the broker delivers it again after an hour."""
    sweep.delay(overdue_seconds=0)


def accept(body: bytes, **sender: Unpack[ingest.Sender]) -> ingest.Receipt:
    """`ingest.receive`, and have a worker woken. Raises report.ShapeError, storing nothing."""
    return _announced(ingest.receive(body, **sender))


def accept_text(text: bytes, *, claims: Claims, **sender: Unpack[ingest.Sender]) -> ingest.Receipt:
    """`ingest.receive_text`, and have a worker woken. Raises ReportError, storing nothing."""
    return _announced(ingest.receive_text(text, claims=claims, **sender))


def _announced(receipt: ingest.Receipt) -> ingest.Receipt:
    if receipt.submission.is_waiting:
        arrivals.notify(receipt.submission.channel if receipt.created else "")
    return receipt


def wake(accepted: Mapping[str, int] | None = None) -> None:
    """Have a worker look what waits; nothing while another call is queued. `accepted`: how many submissions came just
    now, by channel; under "" those that were there already.

    Raises nothing when the broker is dead: `sweep` wakes a worker later.
    """
    _call(counters.WORKER, process_waiting.delay, accepted or {})


def _call(call: str, queue: Callable[[], object], accepted: Mapping[str, int] | None = None) -> None:
    try:
        made = counters.count_call(call, accepted or {})
        brake.set(made.lag_s)
        if made.is_new:
            queue()
    except (BrokerError, RedisError) as error:
        logger.warning("the broker is not reached (%s); what waits is found by the sweep", error)


arrivals = Coalescer(wake)


def hand_over(pk: int) -> None:
    """Queue one submission by itself. When the broker is dead, `sweep` finds it later."""
    _queue(retry, pk)


def _queue(task: Any, what: Any) -> None:
    try:
        task.delay(what)
    except BrokerError as error:
        logger.warning("the broker is not reached (%s); submission %s waits for the sweep", error, what)
