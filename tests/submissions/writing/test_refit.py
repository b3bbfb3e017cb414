"""A full fit gives the same as estimates model by model, and loses no report that arrives meanwhile."""

import io
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from submissions.evidence import abilities, crowds
from submissions.evidence.abilities import Judged
from submissions.models import (
    AbilityEstimate,
    CardModel,
    Fit,
    Measurement,
    Performance,
    Submission,
    VariationFlag,
)
from submissions.sql import bulk, locks
from submissions.writing import ingest, refit, scoring
from tests.factories import report, specimen, uuid
from tests.small_crowd import (
    agreeing_people,
    crowd,
    list_rankable,
    process,
    process_together,
    read_judgement,
    receive,
    two_silicons,
)

pytestmark = pytest.mark.django_db


def make_fit() -> Fit:
    fit = refit.refit()
    assert fit is not None
    return fit


def believable() -> int:
    """Return the number of runs with a figure that may be ranked; the figures of the others are implausible."""
    return list_rankable(Measurement.objects).values("run").distinct().count()


def varying() -> VariationFlag | None:
    return VariationFlag.objects.filter(kind="varies").first()


@pytest.fixture
def market() -> None:
    """Process reports of twelve models, which are enough to learn from."""
    process_together(crowd(70, models=12))


@pytest.mark.usefixtures("market")
def test_it_works() -> None:
    fit = make_fit()
    assert (fit.model_count, fit.run_count) == (CardModel.objects.count(), believable())
    assert fit.last_run > 0
    assert crowds.current_crowd().fit == fit.pk


@pytest.mark.usefixtures("market")
def test_nobody_files_a_card_while_its_verdicts_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    store, modes = refit._store_estimates, list[tuple[str]]()

    def stored_and_seen(*given: Any) -> None:
        asked = "SELECT mode FROM pg_locks WHERE objid = %s AND pid = pg_backend_pid()"
        modes.extend(bulk.fetch_rows(asked, [locks.NAMES_LOCK]))
        store(*given)

    monkeypatch.setattr(refit, "_store_estimates", stored_and_seen)
    make_fit()
    assert ("ExclusiveLock",) in modes


@pytest.mark.usefixtures("market")
def test_all_at_once_is_the_same_as_one_by_one() -> None:
    make_fit()
    at_once = read_judgement()
    for pk in CardModel.objects.values_list("pk", flat=True):
        scoring.refresh([pk])
    assert read_judgement() == at_once


@pytest.mark.usefixtures("market")
def test_what_was_learned_survives_the_database() -> None:
    learned = abilities.judge_all(crowds.current_crowd()).stored
    make_fit()
    read = crowds.current_crowd()
    assert read.numbers.hosts == learned.numbers.hosts and read.numbers.month == learned.numbers.month
    assert read.usual == learned.usual
    for name in ("level", "variance", "method_effect", "host_effect", "host_variance", "log_reach"):
        np.testing.assert_array_equal(getattr(read.crowd, name), getattr(learned.crowd, name))


def test_records_of_people_survive_the_database() -> None:
    agreeing_people()
    make_fit()
    record = crowds.current_crowd().numbers.record
    assert len(record.person) == 42 and record.agrees.all()
    assert len(record.find_known_people()) == 6
    shared = AbilityEstimate.objects.filter(card_model__brand="Brand 1").get()
    assert (shared.people, shared.known_people) == (6, 6)


@pytest.mark.usefixtures("market")
def test_it_learns_spreads_where_enough_was_measured() -> None:
    before = crowds.current_crowd().crowd.variance[:, [0, 7]]
    make_fit()
    after = crowds.current_crowd().crowd.variance[:, [0, 7]]
    assert (after[0] != before[0]).tolist() == [True, False]


def judge_all() -> Judged:
    return abilities.judge_all(crowds.current_crowd())


@pytest.mark.usefixtures("market")
def test_a_submission_worked_out_meanwhile_is_not_lost() -> None:
    stamps, judged = refit._stamps(), judge_all()
    late = receive(report(uuid=uuid(500), card=specimen(500, label={"brand": "Late"})), "somebody")
    process([late])
    model = CardModel.objects.get(brand="Late")
    refit._store_estimates(judged, stamps)
    assert Performance.objects.filter(card_model=model).exists() and scoring.is_marked()
    assert judged.stored.fit is None


def estimate_of(brand: str) -> AbilityEstimate:
    return AbilityEstimate.objects.get(card_model__brand=brand, ability="small_writes", variant=None)


@pytest.mark.usefixtures("market")
def test_a_model_touched_meanwhile_is_judged_again() -> None:
    stamps, judged = refit._stamps(), judge_all()
    runs = estimate_of("Brand 0").runs
    process([receive(report(uuid=uuid(500), card=specimen(0, label={"brand": "Brand 0"})), "somebody")])
    AbilityEstimate.objects.filter(pk=estimate_of("Brand 0").pk).update(runs=runs)
    refit._store_estimates(judged, stamps)
    assert estimate_of("Brand 0").runs == runs, "its rows are the former ones until it is judged"
    CardModel.objects.update(judged_at=None)
    assert not scoring.judge_marked()
    assert estimate_of("Brand 0").runs == runs + 1


@pytest.mark.usefixtures("market")
def test_a_model_touched_meanwhile_is_described_too() -> None:
    """Its summary does not contain the late report yet, so it stays marked."""
    stamps, judged = refit._stamps(), judge_all()
    late = receive(report(uuid=uuid(500), card=specimen(0, label={"brand": "Brand 0"})), "somebody")
    ingest.process_batch([late.pk], judge=scoring.mark)
    refit._store_estimates(judged, stamps)
    CardModel.objects.update(judged_at=None)
    assert not scoring.judge_marked() and scoring.is_marked(judged=True)


@pytest.mark.usefixtures("market")
def test_a_model_that_goes_meanwhile_is_no_obstacle() -> None:
    process([receive(report(uuid=uuid(500), card=specimen(500, label={"brand": "Gone"})), "somebody")])
    stamps, judged = refit._stamps(), judge_all()
    ingest.delete(Submission.objects.get(uuid=uuid(500)))
    refit._store_estimates(judged, stamps)
    assert not Performance.objects.filter(card_model__brand="Gone").exists()


def test_nothing_to_fit_is_a_fit_of_nothing() -> None:
    assert make_fit().model_count == 0


@pytest.mark.usefixtures("market")
def test_it_is_due_once_enough_is_new() -> None:
    assert refit.is_due()
    make_fit()
    Fit.objects.update(took_ns=0)
    assert not refit.is_due()
    process_together([receive(report(uuid=uuid(900 + number)), "somebody") for number in range(20)])
    assert refit.is_due()


def test_there_is_one_at_a_time() -> None:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [locks.REFIT_LOCK])
        assert refit.refit() is None
        with pytest.raises(CommandError, match="already running"):
            call_command("refresh_rankings", "--all")
        with other.cursor() as cursor:  # who hangs up lets go of it only a moment later
            cursor.execute("SELECT pg_advisory_unlock(%s)", [locks.REFIT_LOCK])
    finally:
        other.close()


def test_only_the_last_fits_are_kept() -> None:
    for _ in range(5):
        make_fit()
    assert Fit.objects.count() == 3


@pytest.mark.usefixtures("market")
def test_the_command_says_what_it_did() -> None:
    out = io.StringIO()
    call_command("refresh_rankings", "--all", stdout=out)
    assert f"full fit of {believable()} runs" in out.getvalue()
    assert "performances of 12 models are up to date" in out.getvalue()


# Tests of models with cards that differ.


@pytest.mark.usefixtures("market")
def test_a_model_whose_cards_differ_says_so() -> None:
    two_silicons(5, ratio=3)
    make_fit()
    flag = varying()
    assert flag is not None and flag.card_model.varies
    assert (flag.figure, flag.cards, flag.submitters) == ("small_writes", 10, 10)


@pytest.mark.usefixtures("market")
def test_a_flag_keeps_the_time_when_it_was_raised() -> None:
    two_silicons(5, ratio=3)
    make_fit()
    raised = varying()
    scoring.refresh([raised.card_model_id if raised else 0])
    make_fit()
    again = varying()
    assert raised and again and again.since == raised.since


@pytest.mark.usefixtures("market")
def test_a_flag_falls_with_the_cards_it_rested_on() -> None:
    two_silicons(5, ratio=3)
    make_fit()
    assert varying() is not None
    for submission in Submission.objects.filter(run__card__variant__prv="2.0")[:4]:
        ingest.delete(submission)
    assert varying() is None
