"""If two workers estimate one model, the second waits for the first, and reads the rows that it has written."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from submissions.models import AbilityEstimate, CardModel, Observation, Submission
from submissions.writing import filing, scoring
from tests.factories import report, specimen, uuid
from tests.small_crowd import process_together, receive


def judge(model: int) -> None:
    try:
        with transaction.atomic():
            filing.lock_names()
            scoring.refresh([model])
    finally:
        connection.close()


def another_waits_for_this_transaction() -> bool:
    waiting = "SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS ({waiting})")
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_it_works(wait_until: Callable[[Callable[[], object]], None]) -> None:
    """Rows that were read before the lock was held would bring back a run deleted meanwhile."""
    process_together(
        [receive(report(uuid=uuid(number), card=specimen(number)), "somebody") for number in (1, 2)]
    )
    with ThreadPoolExecutor() as threads:
        with transaction.atomic():
            model = CardModel.objects.select_for_update().get()
            later = threads.submit(judge, model.pk)
            wait_until(another_waits_for_this_transaction)
            Observation.objects.filter(submission=Submission.objects.earliest("pk")).delete()
        later.result()
    assert AbilityEstimate.objects.get(ability="small_writes").runs == 1
