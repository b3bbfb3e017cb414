"""Attempts to process a report are counted, and decide when the report is taken, given back or given up."""

from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from submissions.domain.errors import ReportError
from submissions.models import Performance, Submission, keys
from submissions.writing import filing, ingest
from tests.factories import body, rand_read, report, specimen, stream, uuid

pytestmark = pytest.mark.django_db


def receive(number: int, **changes: object) -> ingest.Receipt:
    given = body(uuid=uuid(number), **{"card": specimen(number)} | changes)
    return ingest.receive(given, channel="api", submitter=f"s{number}")


def attempts() -> list[int]:
    return list(Submission.objects.order_by("pk").values_list("attempts", flat=True))


def test_a_begun_report_counts_one_attempt() -> None:
    first, second = receive(1).submission, receive(2).submission
    assert ingest.take_batch(most=1) == [first.pk]
    assert attempts() == [1, 0]
    ingest.process(second.pk)
    assert attempts() == [1, 1]
    ingest.process(second.pk)
    assert attempts() == [1, 1]  # processing it again is no attempt


def test_fifty_reports_are_a_batch() -> None:
    for number in range(52):
        receive(number, card=specimen(1))
    assert [len(ingest.take_batch()) for _ in range(3)] == [50, 2, 0]


def test_what_the_database_broke_off_is_no_attempt() -> None:
    first, _, third = (receive(number).submission.pk for number in range(3))
    ingest.take_batch(most=2)
    ingest.uncount_attempt([first, third])
    assert attempts() == [0, 1, 0]


def test_what_was_begun_once_is_begun_again_and_nothing_else() -> None:
    once, twice, _other, waiting = (receive(number).submission.pk for number in range(4))
    ingest.take_batch(most=3)
    Submission.objects.filter(pk=twice).update(attempts=2)
    assert ingest.take_again([once, twice, waiting]) == [once]
    assert attempts() == [2, 2, 1, 0]


def test_of_a_broken_attempt_nothing_stays() -> None:
    pk = receive(1).submission.pk

    def break_off(*_: object) -> None:
        raise OperationalError("gone")

    with pytest.raises(OperationalError):
        ingest.process_with_fallback([pk], fallback=ingest.process, judge=break_off)
    assert (attempts(), Submission.objects.get().state) == ([0], "received")


@pytest.mark.parametrize(("times", "raises"), [(4, False), (5, True)])
def test_a_load_bears_a_database_that_refuses_now_and_then(
    monkeypatch: pytest.MonkeyPatch, times: int, raises: bool
) -> None:
    receive(1)
    process_batch, refusals = ingest.process_batch, iter(range(times))

    def refuse_first(*batch: Any, **how: Any) -> dict[str, int]:
        if next(refusals, None) is not None:
            raise OperationalError("it restarts")
        return process_batch(*batch, **how)

    monkeypatch.setattr(ingest, "process_batch", refuse_first)
    with pytest.raises(OperationalError) if raises else nullcontext():
        ingest.process_all_waiting(most=5)
    assert Submission.objects.get().state == ("received" if raises else "processed")


@pytest.mark.parametrize(("begun", "state"), [(4, "processed"), (5, "rejected"), (6, "rejected")])
def test_after_five_attempts_it_is_given_up(begun: int, state: str) -> None:
    submission = receive(1).submission
    Submission.objects.update(attempts=begun)
    ingest.retry(submission.pk)
    assert Submission.objects.get().state == state


def test_what_is_done_is_not_begun_again() -> None:
    submission = receive(1).submission
    ingest.process(submission.pk)
    before = Submission.objects.get().finished_at
    Submission.objects.update(attempts=9)
    ingest.retry(submission.pk)
    assert (Submission.objects.get().state, Submission.objects.get().finished_at) == ("processed", before)


def test_every_report_is_worked_out_again_and_counted() -> None:
    for number in range(3):
        ingest.process(receive(number).submission.pk)
    began = timezone.now()
    assert ingest.reprocess_all(Submission.objects.exclude(uuid=uuid(0))) == 2
    again = Submission.objects.filter(finished_at__gt=began)
    assert {str(one.uuid) for one in again} == {uuid(1), uuid(2)}
    assert ingest.reprocess_all(Submission.objects.none()) == 0


def test_what_others_wait_for_is_no_attempt_of_theirs() -> None:
    for number in range(2):
        receive(number)
    first, second = Submission.objects.order_by("pk")
    assert ingest.reprocess_all(Submission.objects.filter(pk=first.pk)) == 1
    assert attempts() == [1, 0]
    assert Submission.objects.get(pk=second.pk).is_waiting


def test_how_long_these_have_waited_is_told_by_the_oldest() -> None:
    pks = [receive(number).submission.pk for number in range(3)]
    for pk, seconds in zip(pks, (300, 100, 10), strict=True):
        Submission.objects.filter(pk=pk).update(received_at=timezone.now() - timedelta(seconds=seconds))
    assert 100 <= ingest.longest_wait_s(pks[1:]) < 200
    assert 10 <= ingest.longest_wait_s(pks[2:]) < 90
    assert ingest.longest_wait_s([]) == 0
    Submission.objects.update(received_at=timezone.now() + timedelta(hours=1))
    assert ingest.longest_wait_s(pks) == 0  # clocks of two machines


def test_how_many_came_to_what_is_returned() -> None:
    good, nameless = receive(1), receive(2, card={"bus": "SD"})
    pks = [good.submission.pk, nameless.submission.pk]
    assert ingest.process_batch(pks) == {"processed": 1, "rejected": 1}
    assert ingest.process_with_fallback(pks, fallback=ingest.process) == {"processed": 1, "rejected": 1}


def test_what_broke_a_batch_is_tried_alone() -> None:
    pks = [receive(number).submission.pk for number in range(2)]
    alone: list[int] = []

    def break_it(*_: object) -> None:
        raise ZeroDivisionError

    assert ingest.process_with_fallback(pks, fallback=alone.append, judge=break_it) == {}
    assert alone == pks


def test_a_load_that_broke_is_judged_by_the_full_fit_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    pks = [receive(number).submission.pk for number in range(2)]
    read = filing.read_report

    def read_or_fail(submission: Submission) -> filing.ReadReport:
        assert submission.pk != pks[0], "a defect in a parser"
        return read(submission)

    monkeypatch.setattr(filing, "read_report", read_or_fail)
    ingest.process_all_waiting(most=2)
    assert Submission.objects.get(state="processed").pk == pks[1]
    assert not Performance.objects.exists()


def test_a_rejected_report_says_why_and_one_that_is_fine_says_nothing() -> None:
    refused, fine = receive(1, card={"bus": "SD"}).submission, receive(2).submission
    for submission in (refused, fine):
        ingest.process(submission.pk)
        submission.refresh_from_db()
    assert (refused.state, bool(refused.reason_code), bool(refused.reason_detail)) == ("rejected", True, True)
    assert (fine.state, fine.reason_code, fine.reason_detail, fine.reason_field) == ("processed", "", "", "")
    assert refused.not_understood == fine.not_understood == []
    assert refused.finished_at and timezone.now() - refused.finished_at < timedelta(minutes=5)


def test_a_measurement_that_is_not_understood_is_told_with_its_place() -> None:
    odd = stream("iops", "1/s", [1.0], direction="read", order="random") | {"workload": "juggling"}
    submission = receive(1, measurements=[rand_read(), odd]).submission
    ingest.process(submission.pk)
    (remark,) = Submission.objects.get().not_understood
    assert (remark["field"], remark["code"]) == ("measurements[1].workload", "unknown_workload")


def test_a_delete_key_has_thirty_two_digits_and_no_other_opens() -> None:
    first, second = receive(1), receive(2)
    assert first.delete_key != second.delete_key
    assert len(first.delete_key or "") == 32
    assert first.created
    again = receive(1)
    assert (again.created, again.delete_key, again.submission) == (False, None, first.submission)
    assert not keys.is_delete_key(second.delete_key or "", first.submission.public_id)
    assert not keys.is_delete_key("", first.submission.public_id)


def test_many_at_once_are_counted_once_each() -> None:
    bodies = [(body(uuid=uuid(number)), "somebody") for number in (1, 2, 3)]
    assert ingest.receive_all(bodies[:2], channel="bulk") == 2
    assert ingest.receive_all(bodies, channel="bulk") == 1
    assert set(Submission.objects.values_list("channel", "submitter")) == {("bulk", "somebody")}
    without = report()
    assert ingest.receive_all([(body(note="x"), "a"), (body(note="y"), "b")], channel="bulk") == 2
    assert "uuid" not in without


def test_a_wrong_shape_says_where() -> None:
    with pytest.raises(ReportError) as refused:
        ingest.receive(body(measurements=7), channel="api", submitter="s")
    assert "measurements" in refused.value.field
