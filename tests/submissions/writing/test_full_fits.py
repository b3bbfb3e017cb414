"""The rules when a full fit is due, and which of its rows are kept."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.models import AbilityEstimate, CardModel, Fit, Performance, Run
from submissions.writing import ingest, refit
from tests.factories import report, uuid
from tests.small_crowd import crowd, process, process_together, receive

pytestmark = pytest.mark.django_db


def pretend_fit(*, runs: int, last_run: int) -> None:
    """Make a fit, and change its row as if the fit were long ago."""
    newest = Run.objects.latest("pk").pk
    Fit.objects.all().delete()
    fit = refit.refit()
    assert fit
    Fit.objects.filter(pk=fit.pk).update(run_count=runs, last_run=newest - last_run, took_ns=0)


@pytest.mark.parametrize(
    ("runs", "new", "due"),
    [(10, 19, False), (10, 20, True), (2000, 20, True), (3000, 29, False), (3000, 30, True)],
)
def test_twenty_new_runs_or_a_hundredth_are_enough(runs: int, new: int, due: bool) -> None:
    process(crowd(1))
    pretend_fit(runs=runs, last_run=new)
    assert refit.is_due() == due


@pytest.mark.parametrize(("rested_s", "due"), [(590, False), (610, True)])
def test_one_that_took_ten_seconds_is_due_again_after_ten_minutes(rested_s: float, due: bool) -> None:
    process(crowd(1))
    pretend_fit(runs=10, last_run=20)
    made_at = timezone.now() - timedelta(seconds=rested_s)
    Fit.objects.update(took_ns=10_000_000_000, made_at=made_at)
    assert refit.is_due() == due


def test_nothing_is_due_before_the_twentieth_run() -> None:
    assert not refit.is_due()


def test_a_fit_says_what_it_saw() -> None:
    process_together(crowd(12))
    fit = refit.refit()
    assert fit is not None
    stored = Fit.objects.get()
    assert stored == fit
    assert stored.model_count == CardModel.objects.count()
    assert stored.card_count == len(set(Run.objects.values_list("card", flat=True)))
    assert stored.run_count == Run.objects.count() == 12
    assert stored.last_run == Run.objects.latest("pk").pk
    assert stored.took_ns > 0
    assert stored.crowd["hosts"] and stored.crowd["crowd"]


def test_a_fit_changes_nothing_of_those_before() -> None:
    process_together(crowd(12))
    first = refit.refit()
    assert first
    crowd_then = Fit.objects.get().crowd
    process_together([receive(report(uuid=uuid(78)), "somebody")])
    refit.refit()
    first.refresh_from_db()
    assert first.crowd == crowd_then


def test_a_simulated_model_keeps_its_rows_in_a_fit() -> None:
    process_together(crowd(6))
    process_together([receive(report(uuid=uuid(77), simulated=True), "somebody")])
    simulated = set(Performance.objects.filter(simulated=True).values_list("pk", flat=True))
    assert simulated
    refit.refit()
    assert set(Performance.objects.filter(simulated=True).values_list("pk", flat=True)) == simulated
    assert AbilityEstimate.objects.filter(card_model__simulated=True).exists()


def test_judging_later_leaves_nothing_out() -> None:
    submissions = crowd(8, seed=2)
    ingest.process_all_waiting(most=3)
    assert {one.state for one in type(submissions[0]).objects.all()} == {"processed"}
    assert refit.refit_after_load() is not None
    assert set(Performance.objects.values_list("card_model", flat=True)) == set(
        CardModel.objects.values_list("pk", flat=True)
    )
