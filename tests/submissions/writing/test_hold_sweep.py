"""A regular task releases submissions that were held by mistake, and keeps those held for another reason."""

from datetime import timedelta
from typing import Any

import pytest

from submissions.models import Submission
from submissions.writing import holding, ingest
from tests.factories import body, rand_read, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db


def test_what_is_held_for_another_reason_is_in_its_place(settings: Any) -> None:
    """One person sends three reports of one card; most values of the third are impossible."""
    settings.MOST_CARDS_IN_A_DAY = 2
    for number, first in enumerate((40, 41, 9000)):
        measurements = [seq_read(first), seq_read(first + 1), rand_read()]
        for measurement in measurements[:2]:
            measurement["parameters"]["io"] = "buffered"
        given = body(uuid=uuid(number), card=specimen(1), measurements=measurements)
        ingest.process(ingest.receive(given, channel="api", submitter="eager").submission.pk)
    held = Submission.objects.get(state="held")
    assert held.reason_code == "mostly_impossible"
    assert holding.find_misplaced(since=held.received_at - timedelta(days=1)) == []


def test_what_is_loaded_in_bulk_is_never_too_much(settings: Any) -> None:
    """Bulk imports do not count beside other reports of their submitter, and without a limit no report is held."""
    settings.MOST_CARDS_IN_A_DAY = 2
    for number in range(4):
        given = body(uuid=uuid(number), card=specimen(number))
        ingest.process(ingest.receive(given, channel="bulk", submitter="eager").submission.pk)
    since = Submission.objects.earliest("received_at").received_at - timedelta(days=1)
    assert set(Submission.objects.values_list("state", flat=True)) == {"processed"}
    assert holding.find_misplaced(since=since) == []
    Submission.objects.update(channel="api")
    third, fourth = Submission.objects.order_by("received_at").values_list("pk", flat=True)[2:]
    assert sorted(holding.find_misplaced(since=since)) == [third, fourth]
    assert holding.find_misplaced(since=since + timedelta(days=2)) == []  # long ago
    ingest.reprocess_misplaced(since=since)
    assert list(Submission.objects.order_by("received_at").values_list("state", flat=True)) == [
        "processed",
        "processed",
        "held",
        "held",
    ]
    settings.MOST_CARDS_IN_A_DAY = 0
    assert holding.find_misplaced(since=since) == []


def test_a_card_of_exactly_a_day_before_does_not_count(settings: Any) -> None:
    settings.MOST_CARDS_IN_A_DAY = 1
    for number in range(3):
        given = body(uuid=uuid(number), card=specimen(number))
        ingest.process(ingest.receive(given, channel="api", submitter="eager").submission.pk)
    first, second, third = Submission.objects.order_by("pk")
    Submission.objects.update(state="processed", reason_code="")
    for submission, hours in ((first, 0), (second, 24), (third, 47)):
        at = first.received_at + timedelta(hours=hours)
        Submission.objects.filter(pk=submission.pk).update(received_at=at)
    assert holding.find_misplaced(since=first.received_at - timedelta(days=1)) == [third.pk]
