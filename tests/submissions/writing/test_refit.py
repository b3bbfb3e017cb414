"""The full fit on a real database: the same as model by model, nothing lost that happens meanwhile."""

import io
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from submissions.domain.judgement.reputation import NOBODY
from submissions.domain.measuring.metrics import FIGURES
from submissions.evidence import fits, gathering, verdicts
from submissions.models import CardModel, Estimate, Fit, Measurement, Score, Submission, VariationFlag
from submissions.sql import bulk, locks
from submissions.writing import ingest, refit, scoring
from tests.factories import report, specimen, uuid
from tests.small_crowd import crowd, process, receive, stored, together, two_silicons

pytestmark = pytest.mark.django_db


def make_fit() -> Fit:
    fit = refit.refit()
    assert fit is not None
    return fit


def believable() -> int:
    """Return the number of runs with a figure that may be ranked; others were implausible."""
    return Measurement.objects.rankable().values("run").distinct().count()


def varying() -> VariationFlag | None:
    return VariationFlag.objects.filter(kind="varies").first()


@pytest.fixture
def market() -> None:
    """Twelve models, enough to learn from."""
    together(crowd(70, models=12))


@pytest.mark.usefixtures("market")
def test_it_works() -> None:
    fit = make_fit()
    assert (fit.model_count, fit.run_count) == (CardModel.objects.count(), believable())
    assert fit.last_run > 0
    assert fits.current_fit().fit == fit.pk


@pytest.mark.usefixtures("market")
def test_nobody_files_a_card_while_its_verdicts_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    store, modes = refit._store_verdicts, list[tuple[str]]()

    def stored_and_seen(*given: Any) -> None:
        asked = "SELECT mode FROM pg_locks WHERE objid = %s AND pid = pg_backend_pid()"
        modes.extend(bulk.fetch_rows(asked, [locks.NAMES_LOCK]))
        store(*given)

    monkeypatch.setattr(refit, "_store_verdicts", stored_and_seen)
    make_fit()
    assert ("ExclusiveLock",) in modes


@pytest.mark.usefixtures("market")
def test_all_at_once_is_the_same_as_one_by_one() -> None:
    make_fit()
    at_once = stored()
    for pk in CardModel.objects.values_list("pk", flat=True):
        scoring.refresh([pk])
    assert stored() == at_once


@pytest.mark.usefixtures("market")
def test_what_was_learned_survives_the_database() -> None:
    teaching, gathered = gathering.gather_all(NOBODY)
    _, learned = refit._learn(teaching, gathered, fits.current_fit())
    make_fit()
    read = fits.current_fit()
    assert (read.numbers.hosts, read.numbers.traits) == (gathered.numbers.hosts, gathered.numbers.traits)
    for name, around in learned.crowd.figures.items():
        again = read.crowd.figures[name]
        assert (again.spreads, again.slot) == (around.spreads, FIGURES[name].slot)
        assert again.market.general == around.market.general
        for one, other in (
            ((again.host_effect, again.host_variance), (around.host_effect, around.host_variance)),
            (again.market.effects, around.market.effects),
            (again.market.variances, around.market.variances),
        ):
            assert [column.tolist() for column in one] == [column.tolist() for column in other]
    assert read.crowd.pool == learned.crowd.pool
    assert read.crowd.rho.tolist() == learned.crowd.rho.tolist()
    for name, links in learned.crowd.links.items():
        assert read.crowd.links[name].soft == links.soft
        assert np.array_equal(read.crowd.links[name].log_reach, links.log_reach, equal_nan=True)


@pytest.mark.usefixtures("market")
def test_it_learns_spreads_where_enough_was_measured() -> None:
    assert fits.current_fit().crowd.figures["rand_write_4k"].spreads.card == 0.15
    make_fit()
    figures = fits.current_fit().crowd.figures
    assert figures["rand_write_4k"].spreads.card != 0.15
    assert figures["open_au_write_osync"].spreads.card == 0.15


@pytest.mark.usefixtures("market")
def test_a_submission_worked_out_meanwhile_is_not_lost() -> None:
    stamps = refit._stamps()
    judged, learned = refit._learn(*gathering.gather_all(NOBODY), fits.current_fit())
    late = receive(report(uuid=uuid(500), card=specimen(500, label={"brand": "Late"})), "somebody")
    process([late])
    model = CardModel.objects.get(brand="Late")
    refit._store_verdicts(judged, stamps, Fit())
    assert Score.objects.filter(card_model=model).exists() and scoring.is_marked()
    assert learned.fit is None


@pytest.mark.usefixtures("market")
def test_a_model_touched_meanwhile_is_judged_again() -> None:
    stamps = refit._stamps()
    judged, _ = refit._learn(*gathering.gather_all(NOBODY), fits.current_fit())
    score = Score.objects.filter(card_model__brand="Brand 0", profile="pi-root", interface="sdr104")
    runs = score.get().runs
    process([receive(report(uuid=uuid(500), card=specimen(0, label={"brand": "Brand 0"})), "somebody")])
    score.update(runs=runs)
    refit._store_verdicts(judged, stamps, Fit())
    assert score.get().runs == runs, "it is ranked by what was known, until it is judged"
    CardModel.objects.update(judged_at=None)
    assert not scoring.judge_marked()
    assert score.get().runs == runs + 1


@pytest.mark.usefixtures("market")
def test_a_model_touched_meanwhile_is_described_too() -> None:
    """Its page lacks the late report still."""
    stamps = refit._stamps()
    judged, _ = refit._learn(*gathering.gather_all(NOBODY), fits.current_fit())
    late = receive(report(uuid=uuid(500), card=specimen(0, label={"brand": "Brand 0"})), "somebody")
    ingest.process_batch([late.pk], judge=scoring.mark)
    refit._store_verdicts(judged, stamps, Fit())
    CardModel.objects.update(judged_at=None)
    assert not scoring.judge_marked() and scoring.is_marked(judged=True)


@pytest.mark.usefixtures("market")
def test_a_model_that_goes_meanwhile_is_no_obstacle() -> None:
    process([receive(report(uuid=uuid(500), card=specimen(500, label={"brand": "Gone"})), "somebody")])
    stamps = refit._stamps()
    judged, _ = refit._learn(*gathering.gather_all(NOBODY), fits.current_fit())
    ingest.delete(Submission.objects.get(uuid=uuid(500)))
    refit._store_verdicts(judged, stamps, Fit())
    assert not Score.objects.filter(card_model__brand="Gone").exists()


def test_nothing_to_fit_is_a_fit_of_nothing() -> None:
    assert make_fit().model_count == 0


@pytest.mark.usefixtures("market")
def test_it_is_due_once_enough_is_new() -> None:
    assert refit.is_due()
    make_fit()
    Fit.objects.update(took_ns=0)
    assert not refit.is_due()
    together([receive(report(uuid=uuid(900 + number)), "somebody") for number in range(20)])
    assert refit.is_due()


def test_there_is_one_at_a_time() -> None:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [locks.REFIT_LOCK])
        assert refit.refit() is None
        with pytest.raises(CommandError, match="being made already"):
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
    assert "scores of 12 models are current" in out.getvalue()


# Models with cards that differ


@pytest.mark.usefixtures("market")
def test_a_model_whose_cards_differ_is_ranked_by_its_worse_silicon() -> None:
    two_silicons(5, ratio=3)
    before = Score.objects.get(card_model__brand="Twofold", profile="pi-root", interface="sdr104")
    make_fit()
    score = Score.objects.get(
        pk__isnull=False, card_model__brand="Twofold", profile="pi-root", interface="sdr104"
    )
    assert varying() is not None
    assert score.card_model.varies
    assert score.ranked_by is not None and score.ranked_by.prv == "2.0"
    assert score.range_low == score.value < (score.range_high or 0)
    assert score.value < before.value
    assert score.cards == 10
    estimates = Estimate.objects.filter(card_model=score.card_model, figure="rand_write_4k")
    means = dict(estimates.values_list("variant__prv", "mean"))
    assert means["2.0"] < means[None] < means["1.1"]


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
def test_a_flag_that_stood_stays_until_more_cards_speak_against_it() -> None:
    two_silicons(5, ratio=3)
    Fit.objects.filter(pk=make_fit().pk).update(varies_below=0.0)  # nothing would be flagged again
    fits._read.cache_clear()
    raised = varying()
    assert raised is not None and not raised.evidence["kept"]
    scoring.refresh([raised.card_model_id])
    kept = varying()
    assert kept is not None and kept.evidence["kept"]
    model, stored_fit = kept.card_model_id, fits.current_fit()
    judged = verdicts.judge(gathering.gather([model], stored_fit.numbers), stored_fit)
    assert verdicts.standing_flags(judged, {model: 7}) == [[model, 7]]  # it still rests on seven cards


@pytest.mark.usefixtures("market")
def test_a_flag_that_is_raised_again_rests_on_the_cards_of_now() -> None:
    two_silicons(5, ratio=3)
    assert [cards for _, cards in make_fit().standing] == [10]
    two_silicons(6, ratio=3)
    assert [cards for _, cards in make_fit().standing] == [12]


@pytest.mark.usefixtures("market")
def test_a_flag_falls_with_the_cards_it_rested_on() -> None:
    two_silicons(5, ratio=3)
    make_fit()
    assert varying() is not None
    for submission in Submission.objects.filter(run__card__variant__prv="2.0")[:4]:
        ingest.delete(submission)
    assert varying() is None
