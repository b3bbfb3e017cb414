"""Many reports at once, and judged once when all are there: the same as one by one."""

import pytest

from submissions import ingest, refit, scoring
from submissions.domain.report import ShapeError
from submissions.models import Score, Submission
from tests.factories import body, uuid
from tests.small_crowd import crowd, stored

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    reports = [(body(uuid=uuid(number)), f"person {number}") for number in range(3)]
    assert ingest.receive_all(reports, channel="bulk") == 3
    assert set(Submission.objects.values_list("submitter", flat=True)) == {"person 0", "person 1", "person 2"}


def test_what_is_known_is_not_new() -> None:
    known = (body(uuid=uuid(1)), "somebody")
    ingest.receive_all([known], channel="bulk")
    same_uuid = (body(uuid=uuid(1), note="corrected"), "somebody")
    assert ingest.receive_all([known, same_uuid, (body(uuid=uuid(2)), "somebody")], channel="bulk") == 1


def test_the_same_twice_in_one_go_is_one() -> None:
    assert ingest.receive_all([(body(), "somebody")] * 2, channel="bulk") == 1


def test_a_wrong_shape_stores_nothing() -> None:
    with pytest.raises(ShapeError):
        ingest.receive_all([(body(), "somebody"), (b"{", "somebody")], channel="bulk")
    assert Submission.objects.count() == 0


def test_judging_later_comes_to_the_same() -> None:
    pks = [submission.pk for submission in crowd(20)]
    ingest.process_begun(pks, judge=scoring.postpone)
    assert not Score.objects.exists()
    refit.refit()
    later = stored()
    ingest.process_begun(pks)
    assert stored() == later
