"""Rankings by the reader's own weights."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from submissions.domain.ranking import interfaces, profiles
from submissions.evidence import own_weights
from submissions.models import CardModel, Estimate, Score
from submissions.writing import refit
from tests.factories import rand_write_qd32, report, seq_read, specimen, uuid
from tests.small_crowd import crowd, receive, together, two_silicons

pytestmark = pytest.mark.django_db

SDR104 = interfaces.find("sdr104")


@pytest.fixture
def market() -> None:
    queued = report(card=specimen(90, label={"brand": "Queued"}), measurements=[rand_write_qd32()])
    together([*crowd(30), receive(queued, "somebody")])


def weights_of(profile: str) -> dict[str, float]:
    return {term.figure: 100 * term.share for term in profiles.find(profile).terms}


@pytest.mark.usefixtures("market")
@pytest.mark.parametrize(
    "interface", [name for name, interface in interfaces.all_interfaces().items() if not interface.slot]
)
def test_with_the_weights_of_a_profile_it_is_that_ranking(interface: str) -> None:
    stored = Score.objects.filter(profile="pi-root", interface=interface).order_by("-bound")
    own = own_weights.ranking_for(weights_of("pi-root"), interfaces.find(interface))
    assert [row.card_model_id for row in own] == [score.card_model_id for score in stored]
    for row, score in zip(own, stored, strict=True):
        assert (row.value, row.lower, row.bound) == pytest.approx((score.value, score.lower, score.bound))
        assert (row.covered, row.terms) == (score.covered, score.terms)


@pytest.mark.usefixtures("market")
def test_it_is_so_after_a_full_fit_with_a_model_whose_cards_differ() -> None:
    two_silicons(5, ratio=3)
    refit.refit()
    score = Score.objects.get(card_model__brand="Twofold", profile="pi-root", interface="sdr104")
    own = own_weights.ranking_for(weights_of("pi-root"), SDR104)
    (twofold,) = [row for row in own if row.card_model_id == score.card_model_id]
    assert score.ranked_by is not None
    assert (twofold.value, twofold.bound) == pytest.approx((score.value, score.bound))


@pytest.mark.usefixtures("market")
def test_other_weights_rank_otherwise() -> None:
    ranked = own_weights.ranking_for({"seq_read": 1}, SDR104)
    assert [row.terms for row in ranked] == [1, 1, 1]
    assert ranked == sorted(ranked, key=lambda row: -row.bound)


@pytest.mark.usefixtures("market")
def test_a_model_without_any_of_the_figures_is_not_listed() -> None:
    assert own_weights.ranking_for({"open_au_write_osync": 1}, SDR104) == []


def test_simulated_cards_are_not_ranked() -> None:
    together([receive(report(simulated=True), "somebody")])
    assert own_weights.ranking_for({"rand_write_4k": 1}, SDR104) == []


@pytest.mark.usefixtures("market")
def test_it_asks_little_when_nothing_changed(django_assert_num_queries: Any) -> None:
    own_weights.ranking_for({"seq_read": 1}, SDR104)
    with django_assert_num_queries(2):
        own_weights.ranking_for({"seq_write": 1, "rand_read_4k": 2}, SDR104)


@pytest.mark.usefixtures("market")
def test_a_new_submission_is_seen() -> None:
    before = len(own_weights.ranking_for({"seq_read": 1}, SDR104))
    late = report(uuid=uuid(77), card=specimen(77, label={"brand": "New"}), measurements=[seq_read(30)])
    together([receive(late, "somebody")])
    assert len(own_weights.ranking_for({"seq_read": 1}, SDR104)) == before + 1


@pytest.mark.usefixtures("market")
def test_for_some_seconds_it_is_not_read_anew(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    before = own_weights.ranking_for({"seq_read": 1}, SDR104)
    monkeypatch.setattr(own_weights, "FRESH_S", 10.0)
    CardModel.objects.update(judged_at=timezone.now())
    with django_assert_num_queries(2):
        assert own_weights.ranking_for({"seq_read": 1}, SDR104) == before


@pytest.mark.usefixtures("market")
def test_what_is_seen_late_is_not_missed_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that judged before the last one, and ended after it."""
    before = own_weights.ranking_for({"seq_read": 1}, SDR104)
    first = before[0].card_model_id
    Estimate.objects.exclude(card_model=first).delete()
    assert own_weights.ranking_for({"seq_read": 1}, SDR104) == before
    monkeypatch.setattr(own_weights, "LASTS_S", 0.0)
    assert [row.card_model_id for row in own_weights.ranking_for({"seq_read": 1}, SDR104)] == [first]


@pytest.mark.django_db(transaction=True)
def test_threads_that_ask_together_read_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    together(crowd(6))
    reads: list[bool] = []
    read, ready = own_weights._read, threading.Barrier(4)

    def slowly(*arguments: Any) -> Any:
        reads.append(True)
        time.sleep(0.2)  # as long as the others need to come
        return read(*arguments)

    def ask(_: int) -> list[Any]:
        ready.wait()
        try:
            return own_weights.ranking_for({"seq_read": 1}, SDR104)
        finally:
            connection.close()

    monkeypatch.setattr(own_weights, "_read", slowly)
    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(ask, range(4))
    assert len(reads) == 1 and others == [first] * 3 and len(first) == 3
