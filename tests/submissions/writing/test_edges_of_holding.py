"""What the sweep puts right, and what is held for another reason and stays so."""

from datetime import timedelta
from typing import Any

import pytest

from submissions.models import Submission
from submissions.writing import holding, ingest
from tests.factories import body, rand_read, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db


def test_what_is_held_for_another_reason_is_in_its_place(settings: Any) -> None:
    """Three reports of one card by one person; the third is mostly impossible."""
    settings.MOST_CARDS_IN_A_DAY = 2
    for number, first in enumerate((40, 41, 9000)):
        measurements = [seq_read(first), seq_read(first + 1), rand_read()]
        for measurement in measurements[:2]:
            measurement["parameters"]["io"] = "buffered"
        given = body(uuid=uuid(number), card=specimen(1), measurements=measurements)
        ingest.process(ingest.receive(given, channel="api", submitter="eager").submission.pk)
    held = Submission.objects.get(state="held")
    assert held.reason_code == "mostly_impossible"
    assert holding.misplaced(since=held.received_at - timedelta(days=1)) == []
