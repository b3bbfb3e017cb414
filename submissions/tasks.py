"""Celery tasks: one line each, on a primary key. The broker only wakes workers; the database knows what is to do."""

import logging
from datetime import timedelta
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import IntegrityError, OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from submissions import ingest
from submissions.domain.pasted import Said
from submissions.models import Submission

logger = logging.getLogger(__name__)

# Older than this and still `received`: the broker has most likely lost the task.
OVERDUE = timedelta(seconds=60)


@shared_task(
    name="submissions.process",
    autoretry_for=(OperationalError, IntegrityError),
    retry_backoff=1,
    max_retries=3,
)
def process(pk: int) -> None:
    ingest.process(pk)


@shared_task(name="submissions.sweep")
def sweep(*, overdue_seconds: float = OVERDUE.total_seconds()) -> None:
    """Hand over again whatever waits too long, and give up on what has been begun too often."""
    since = timezone.now() - timedelta(seconds=overdue_seconds)
    for pk in (
        Submission.objects.waiting(since=since)
        .given_up(attempts=ingest.MOST_ATTEMPTS)
        .values_list("pk", flat=True)
    ):
        ingest.quarantine(pk)
    for pk in Submission.objects.waiting(since=since).values_list("pk", flat=True):
        hand_over(pk)


@worker_ready.connect
def sweep_at_start(**_: Any) -> None:
    """A worker that was killed in the middle of a task finds it again at once, not after the broker's hour."""
    sweep.delay(overdue_seconds=0)


def accept(body: bytes, *, channel: str, submitter: str) -> ingest.Receipt:
    """Keep a report and wake a worker. Raises report.ShapeError, storing nothing."""
    return _woken(ingest.receive(body, channel=channel, submitter=submitter))


def accept_text(text: bytes, *, said: Said, channel: str, submitter: str) -> ingest.Receipt:
    """Keep what another tool printed and wake a worker. Raises ReportError, storing nothing."""
    return _woken(ingest.receive_text(text, said=said, channel=channel, submitter=submitter))


def _woken(receipt: ingest.Receipt) -> ingest.Receipt:
    if receipt.submission.is_waiting:
        hand_over(receipt.submission.pk)
    return receipt


def hand_over(pk: int) -> None:
    """Queue a submission. A dead broker is no reason to refuse it: `sweep` finds it later."""
    try:
        process.delay(pk)
    except BrokerError as error:
        logger.warning("the broker is not reached (%s); submission %s waits for the sweep", error, pk)
