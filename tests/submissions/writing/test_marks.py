"""Models that many reports change are marked and estimated soon after; no worker waits, and no mark is lost."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

import pytest
from celery import current_app
from django.db import connection, transaction
from django.utils import timezone

from submissions import tasks
from submissions.models import (
    AbilityEstimate,
    CardModel,
    ModelSummary,
    Performance,
    Run,
    Submission,
    TouchedModel,
)
from submissions.sql import locks
from submissions.writing import filing, ingest, scoring
from tests.small_crowd import a_report, read_judgement, receive, revision_2
from tests.submissions.writing.test_scoring import another_waits_for_this_transaction


def receive_crowd(count: int, *, first: int = 0, models: int = 3) -> list[int]:
    """Receive random reports without processing them; return their ids."""
    chance = Random(first)
    return [
        receive(a_report(number, chance, models), f"person {number}").pk
        for number in range(first, first + count)
    ]


def rest() -> None:
    """Change all models as if they were estimated long ago."""
    CardModel.objects.update(judged_at=None)


@pytest.mark.django_db
def test_it_works() -> None:
    """Reports stored in parts and estimated afterwards give the same estimates as reports estimated one by one."""
    pks = receive_crowd(30)
    for piece in (pks[:10], pks[10:]):
        ingest.process_batch(piece, judge=scoring.mark)
    assert (Performance.objects.count(), scoring.is_marked()) == (0, True)
    assert not scoring.judge_marked() and not scoring.describe_marked()
    judged = read_judgement()
    ingest.process_batch(pks)
    assert read_judgement() == judged


@pytest.mark.django_db
def test_a_model_that_was_just_judged_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "JUDGE_EVERY_S", 3600)
    first, *others = receive_crowd(3)
    ingest.process_batch([first], judge=scoring.refresh_or_mark)
    counted = list(AbilityEstimate.objects.values_list("pk", "runs"))
    assert counted and not scoring.is_marked()
    CardModel.objects.update(judged_at=timezone.now() - timedelta(minutes=30))
    ingest.process_batch(others, judge=scoring.refresh_or_mark)
    assert scoring.judge_marked(), "its mark stays"
    rest()
    assert not scoring.judge_marked()


@pytest.mark.django_db
def test_a_mark_that_a_killed_worker_left_is_found_by_the_sweep(empty_broker: None) -> None:
    ingest.process_batch(receive_crowd(2), judge=scoring.mark)
    tasks.sweep()
    with current_app.connection_for_write() as broker:
        queued = broker.default_channel.client.lrange("celery", 0, -1)
    assert sum(b"submissions.judge_marked" in task for task in queued) == 1
    tasks.judge_marked()
    assert Performance.objects.exists() and not scoring.is_marked()


@pytest.mark.django_db
def test_a_model_that_nothing_has_touched_is_left_alone() -> None:
    ingest.process_batch(receive_crowd(9))
    rest()
    ModelSummary.objects.update(judged_at=None)
    touched = CardModel.objects.latest("pk")
    scoring.mark([touched.pk])
    assert not scoring.judge_marked() and not scoring.describe_marked()
    assert list(CardModel.objects.exclude(judged_at=None)) == [touched]
    assert [summary.card_model for summary in ModelSummary.objects.exclude(judged_at=None)] == [touched]


@pytest.mark.django_db
def test_only_models_that_are_left_to_the_full_fit_lose_what_their_pages_show() -> None:
    ingest.process_batch(receive_crowd(9))
    rest()
    left, *others = CardModel.objects.order_by("pk")
    scoring.postpone([left.pk])
    assert list(CardModel.objects.exclude(judged_at=None)) == [left]
    assert [summary.card_model for summary in ModelSummary.objects.order_by("card_model")] == others


@pytest.mark.django_db
def test_what_breaks_while_it_judges_keeps_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    ingest.process_batch(receive_crowd(2), judge=scoring.mark)
    with monkeypatch.context() as planted:
        planted.setattr(scoring, "_judge_models", None)
        with pytest.raises(TypeError):
            scoring.judge_marked()
    assert not Performance.objects.exists() and scoring.is_marked()


@pytest.mark.django_db
def test_the_mark_of_a_model_that_is_gone_falls() -> None:
    ingest.process_batch(receive_crowd(1), judge=scoring.mark)
    TouchedModel.objects.create(card_model_id=0)
    scoring.judge_marked()
    assert not scoring.judge_marked()


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_a_model_that_another_worker_judges() -> None:
    ingest.process_batch(receive_crowd(1, models=1))
    rest()
    (later,) = receive_crowd(1, first=1, models=1)
    with ThreadPoolExecutor() as threads, transaction.atomic():
        CardModel.objects.select_for_update().get()
        filed: Callable[[], object] = lambda: ingest.process_batch([later], judge=scoring.refresh_or_mark)  # noqa: E731
        threads.submit(_alone, filed).result(timeout=60)
        assert threads.submit(_alone, scoring.judge_marked).result(timeout=60), "it stays marked"
    assert Run.objects.count() == 2
    assert not scoring.judge_marked()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "held",
    [
        lambda _: scoring._lock_due_models(rest=timedelta(0)),
        lambda model: scoring._lock_models(models=[model]),
    ],
    ids=["judged later", "judged at once"],
)
def test_other_silicon_is_filed_under_a_model_that_is_being_judged(held: Callable[[int], object]) -> None:
    ingest.process_batch(receive_crowd(1, models=1), judge=scoring.mark)
    other = a_report(1, Random(1), models=1)
    other["card"]["registers"] |= {"cid": revision_2(other["card"]["registers"]["cid"])}
    filed = partial(ingest.process_batch, [receive(other, "somebody else").pk], judge=scoring.mark)
    with ThreadPoolExecutor() as threads, transaction.atomic():
        assert held(CardModel.objects.get().pk)
        threads.submit(_alone, filed).result(timeout=60)
    assert CardModel.objects.get().variants.count() == 2


def _alone(work: Callable[[], object]) -> object:
    try:
        return work()
    finally:
        connection.close()


@pytest.mark.django_db
def test_judging_at_once_takes_the_mark_away() -> None:
    ingest.process_batch(receive_crowd(2), judge=scoring.mark)
    with transaction.atomic():
        filing.lock_names()
        scoring.refresh(CardModel.objects.values_list("pk", flat=True))
    assert not scoring.is_marked()


@pytest.mark.django_db
def test_a_model_is_described_the_less_often_the_more_cards_it_has() -> None:
    ingest.process_batch(receive_crowd(3, models=1), judge=scoring.refresh_or_mark)
    assert not scoring.describe_marked(), "the first time at once"
    described = ModelSummary.objects.get()
    rest()
    ingest.process_batch(receive_crowd(1, first=3, models=1), judge=scoring.refresh_or_mark)
    assert scoring.describe_marked(), "its mark stays"
    assert ModelSummary.objects.get().told == described.told
    ModelSummary.objects.update(judged_at=timezone.now() - timedelta(seconds=3))
    CardModel.objects.update(known_cards=1000)
    assert scoring.describe_marked(), "of a thousand cards three seconds are too few"
    CardModel.objects.update(known_cards=3)
    assert not scoring.describe_marked()
    assert ModelSummary.objects.get().told["runs"] == 4


@pytest.fixture
def while_it_reads(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Return a function that lets a second worker act while a first worker summarizes a model.

    The second worker acts after the first has read the rows, and before it stores the summary.
    """

    def plant(work: Callable[[], object]) -> None:
        def read(models: Any) -> Any:
            monkeypatch.setattr(scoring.records, "load_records", kept)
            rows = kept(models)
            with ThreadPoolExecutor() as threads:
                threads.submit(_alone, work).result(timeout=60)
            return rows

        kept = scoring.records.load_records
        monkeypatch.setattr(scoring.records, "load_records", read)

    return plant


@pytest.mark.django_db(transaction=True)
def test_who_describes_hinders_nobody_who_judges(while_it_reads: Any) -> None:
    ingest.process_batch(receive_crowd(2, models=1), judge=scoring.refresh_or_mark)
    rest()
    (later,) = receive_crowd(1, first=2, models=1)
    while_it_reads(lambda: ingest.process_batch([later], judge=scoring.refresh_or_mark))
    assert scoring.describe_marked(), "the later mark stays"
    assert not scoring.is_marked() and ModelSummary.objects.get().told["runs"] == 2
    ModelSummary.objects.update(judged_at=None)
    assert not scoring.describe_marked()
    assert ModelSummary.objects.get().told["runs"] == 3


def _file_and_describe(pk: int) -> None:
    ingest.process_batch([pk], judge=scoring.mark)
    with transaction.atomic():
        scoring.describe([CardModel.objects.get().pk])


@pytest.mark.django_db(transaction=True)
def test_what_was_described_meanwhile_stays(while_it_reads: Any) -> None:
    ingest.process_batch(receive_crowd(2, models=1), judge=scoring.refresh_or_mark)
    (later,) = receive_crowd(1, first=2, models=1)
    while_it_reads(lambda: _file_and_describe(later))
    assert not scoring.describe_marked()
    assert ModelSummary.objects.get().told["runs"] == 3


@pytest.mark.django_db(transaction=True)
def test_what_is_deleted_at_the_same_moment_is_gone(
    wait_until: Callable[[Callable[[], object]], None],
) -> None:
    """A worker that summarizes a model has read the run, and waits while another worker deletes it.

    The summary that is finally stored must not contain the deleted run.
    """
    deleted, kept = receive_crowd(2, models=1)
    ingest.process_batch([deleted, kept])
    marked: Callable[[], object] = partial(scoring.mark, (), unchanged=[CardModel.objects.get().pk])
    ModelSummary.objects.update(judged_at=None)
    with ThreadPoolExecutor() as threads:
        with transaction.atomic():
            ingest.delete(Submission.objects.get(pk=deleted))
            threads.submit(_alone, marked).result(timeout=60)
            describing = threads.submit(_alone, scoring.describe_marked)
            wait_until(another_waits_for_this_transaction)
        assert describing.result(timeout=60), "its mark stays"
    assert ModelSummary.objects.get().told["runs"] == 1
    ModelSummary.objects.update(judged_at=None)
    assert not scoring.describe_marked()
    assert ModelSummary.objects.get().told["runs"] == 1


@pytest.mark.django_db(transaction=True)
def test_one_worker_describes_at_a_time() -> None:
    """Only one worker at a time updates summaries of models, so that the other workers are free for new reports."""
    ingest.process_batch(receive_crowd(2, models=1), judge=scoring.refresh_or_mark)
    with ThreadPoolExecutor() as threads, transaction.atomic():
        assert locks.try_hold(locks.DESCRIBE_LOCK)
        assert threads.submit(_alone, scoring.describe_marked).result(timeout=60), "its mark stays"
    assert not ModelSummary.objects.exists()
    assert not scoring.describe_marked() and ModelSummary.objects.exists()


@pytest.mark.django_db
def test_models_with_many_cards_are_described_one_by_one() -> None:
    ingest.process_batch(receive_crowd(20), judge=scoring.refresh_or_mark)
    first, second, *_ = CardModel.objects.order_by("pk")
    CardModel.objects.update(known_cards=scoring.CARDS_AT_ONCE + 1)
    assert scoring.describe_marked()
    assert [row.card_model_id for row in ModelSummary.objects.all()] == [first.pk]
    assert CardModel.objects.get(pk=second.pk).known_cards == scoring.CARDS_AT_ONCE + 1
    CardModel.objects.update(known_cards=scoring.CARDS_AT_ONCE // 3)
    assert not scoring.describe_marked()


@pytest.mark.django_db
def test_while_reports_wait_a_model_is_described_once_in_five_minutes() -> None:
    ingest.process_batch(receive_crowd(2, models=1), judge=scoring.mark)
    scoring.judge_marked()
    assert not scoring.describe_marked(is_busy=True), "the first time at once"
    scoring.mark((), unchanged=[CardModel.objects.get().pk])
    ModelSummary.objects.update(judged_at=timezone.now() - timedelta(seconds=290))
    assert scoring.describe_marked(is_busy=True), "its mark stays"
    assert not scoring.describe_marked()


@pytest.mark.django_db
def test_who_finds_nothing_to_do_asks_little(django_assert_max_num_queries: Any) -> None:
    """A worker without work needs a lock, the marked models, the remaining marks, and a transaction."""
    for look in (scoring.judge_marked, scoring.describe_marked):
        with django_assert_max_num_queries(6):
            assert not look()


@pytest.mark.django_db
def test_reports_wait_until_a_worker_has_begun_them() -> None:
    assert not ingest.is_busy()
    receive_crowd(1)
    assert ingest.is_busy()
    ingest.take_batch()
    assert not ingest.is_busy()


@pytest.mark.django_db
def test_those_that_have_waited_longest_are_judged_first() -> None:
    """In the order of ids, the last models would wait as long as the first ones are changed again."""
    ingest.process_batch(receive_crowd(3), judge=scoring.mark)
    names = list(CardModel.objects.order_by("pk").values_list("pk", flat=True))
    for hours, pk in enumerate(names, start=1):
        CardModel.objects.filter(pk=pk).update(judged_at=timezone.now() - timedelta(hours=hours))
    with transaction.atomic():
        assert [model.pk for model in scoring._lock_due_models(rest=timedelta(seconds=1))] == names[::-1]
