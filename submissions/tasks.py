"""Define the Celery tasks. The broker only wakes workers; the database knows which submissions are to be processed."""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.db import IntegrityError, OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from submissions import counters
from submissions.domain.errors import ReportError
from submissions.dumps import shelf
from submissions.models import Submission
from submissions.writing import ingest, scoring
from submissions.writing import refit as fitting

logger = logging.getLogger(__name__)

# Shorter than a day by as much as a beat may be late.
A_DAY = timedelta(hours=23, minutes=30)
# During a rush reports gather for so long before the next batch, because large batches cost less; and models are judged
# so many times less often, because one judgement then serves more reports.
GATHER_S, RUSH = 0.25, 2
_retried_task = partial(shared_task, retry_backoff=1, max_retries=3)


@_retried_task(name="submissions.retry", autoretry_for=(OperationalError, IntegrityError))
def retry(pk: int) -> None:
    """Process one submission that was started and not finished."""
    ingest.retry(pk)
    _judge_soon()


@_retried_task(name="submissions.retry_together", autoretry_for=(OperationalError,))
def retry_together(pks: Sequence[int]) -> None:
    """Process in one batch the submissions that were started once; most of them wait because a worker was killed."""
    if again := ingest.take_again(pks):
        _process(again)
        _judge_soon()


@_retried_task(name="submissions.process_waiting", autoretry_for=(OperationalError,))
def process_waiting() -> None:
    """Process the next batch of submissions, and estimate the models that it changed."""
    counters.forget_call()
    pks = ingest.take_batch()
    if pks:
        counters.note_lag(ingest.longest_wait_s(pks))
        if len(pks) >= ingest.BATCH:
            wake()  # there may be more, for another worker
        elif len(pks) > ingest.FEW:
            wake(after_s=GATHER_S)
        _process(pks)
    if len(pks) > ingest.FEW:
        _judge_soon(rush=True)
    else:
        _judge_marked()


def _process(pks: Sequence[int]) -> None:
    began = time.perf_counter()
    judge = scoring.refresh_or_mark if len(pks) <= ingest.FEW else scoring.mark
    try:
        finished = ingest.process_with_fallback(pks, fallback=hand_over, judge=judge)
    except OperationalError:
        counters.count_event("flashdb_batches_broken", "database")
        raise
    if finished:
        counters.note_batch(finished, seconds=time.perf_counter() - began)
    else:
        counters.count_event("flashdb_batches_broken", "report")


@_retried_task(name="submissions.judge_marked", autoretry_for=(OperationalError, IntegrityError))
def judge_marked() -> None:
    """Estimate the models that are marked to be estimated, and update the columns and summaries of marked models."""
    counters.forget_call(counters.JUDGE)
    _judge_marked()


def _judge_marked() -> None:
    left = scoring.judge_marked()
    if scoring.describe_marked(is_busy=ingest.is_busy()) or left:
        _judge_soon()


def _judge_soon(*, rush: bool = False) -> None:
    after_s = scoring.JUDGE_EVERY_S * (RUSH if rush else 1)
    counters.call_once(counters.JUDGE, partial(judge_marked.apply_async, countdown=after_s))


@shared_task(name="submissions.sweep")
def sweep(*, overdue_seconds: float = settings.OVERDUE_S) -> None:
    """Wake workers for everything that waits, start overdue submissions again, and start a full fit if it is due."""
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
    ingest.reprocess_misplaced(since=now - 2 * A_DAY)
    counters.note_time("flashdb_sweep_time_seconds", time.time())


@shared_task(name="submissions.write_dump")
def write_dump() -> None:
    """Write a dump unless the newest dump is less than a day old, so that this may be called any number of times."""
    with suppress(ReportError):  # another host is writing one
        counters.note_time("flashdb_dump_time_seconds", shelf.add_dump(every=A_DAY).made_at.timestamp())


@shared_task(name="submissions.writing.refit")
def refit(*, only_if_due: bool = True) -> None:
    if not only_if_due or fitting.is_due():
        fitting.refit()
        _judge_soon()


@worker_ready.connect
def sweep_at_start(**_: Any) -> None:
    """Queue the submissions of killed workers at once, because the broker would deliver them only after an hour."""
    sweep.delay(overdue_seconds=0)


def wake(*, after_s: float = 0) -> None:
    """Queue a call that processes waiting submissions, unless one is queued already."""
    counters.call_once(counters.WORKER, partial(process_waiting.apply_async, countdown=after_s))


def hand_over(pk: int) -> None:
    """Queue one submission to be processed. If the broker does not answer, `sweep` finds the submission later."""
    _queue(retry, pk)


def _queue(task: Any, argument: Any) -> None:
    try:
        task.delay(argument)
    except BrokerError as error:
        logger.warning("the broker is not reached (%s); submission %s waits for the sweep", error, argument)
