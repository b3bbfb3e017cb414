"""The judgement on a real database: a small crowd, in any order, taken back, by rows and by columns."""

from random import Random

import numpy as np
import pytest

from submissions.domain.judgement.reputation import NOBODY
from submissions.domain.judgement.runs import Runs
from submissions.domain.measuring.metrics import FIGURES
from submissions.evidence import gathering, sources
from submissions.models import (
    CardModel,
    Estimate,
    Measurement,
    Run,
    Score,
    Submission,
)
from submissions.sql import copy_columns as copying
from submissions.writing import ingest
from tests.factories import rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import a_report, crowd, process, receive, stored

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    process(crowd(12))
    assert CardModel.objects.count() == 3
    fast = Score.objects.filter(profile="pi-root", interface="sdr104").order_by("-bound")[0]
    assert fast.card_model.name == "Brand 2 4 GB"
    assert fast.bound == fast.lower < fast.value < fast.upper
    assert Estimate.objects.filter(card_model=fast.card_model).count() == 3


@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_gives_the_same(seed: int) -> None:
    submissions = crowd(14, seed)
    process(submissions)
    forwards = stored()
    Random(seed).shuffle(submissions)
    process(submissions)
    assert stored() == forwards


@pytest.mark.parametrize("seed", [3, 4])
def test_deleting_restores_exactly_what_was_before(seed: int) -> None:
    submissions = crowd(14, seed)
    process(submissions[:10])
    before = stored()
    process(submissions[10:])
    assert stored() != before
    for submission in submissions[10:]:
        ingest.delete(submission)
    assert stored() == before


def test_one_submission_touches_only_its_model() -> None:
    process(crowd(12))
    others = Score.objects.exclude(card_model__name="Brand 0 4 GB")
    before = set(others.values_list("pk", flat=True))
    document = a_report(99, Random(0)) | {"card": specimen(0, label={"brand": "Brand 0"})}
    process([receive(document, "somebody")])
    assert set(others.values_list("pk", flat=True)) == before


def test_a_slow_slot_says_at_least() -> None:
    """41 MB/s on a Raspberry Pi 4, with a slot that reaches about 45."""
    document = report(measurements=[seq_read(41)])
    process([receive(document, "somebody")])
    estimate = Estimate.objects.get(figure="seq_read")
    assert estimate.at_least
    assert estimate.mean > np.log(41e6)


def test_an_estimate_says_how_much_it_rests_on() -> None:
    """Three cards of two people, one of them measured twice; one of the people is vouched for."""
    for number, (card, person, value) in enumerate(
        [(1, "a", 500), (1, "a", 505), (2, "a", 490), (3, "b", 520)]
    ):
        label = {"brand": "Kingston"}
        document = report(
            uuid=uuid(number), card=specimen(card, label=label), measurements=[rand_write(value)]
        )
        receive(document, person)
    Submission.objects.filter(submitter="b").update(vouched=True)
    process(list(Submission.objects.order_by("pk")))
    told = Estimate.objects.get()
    assert (told.cards, told.submitters, told.runs) == (3, 2, 4)
    assert (told.trusted, told.vouched, told.at_least, told.variant) == (2, 1, False, None)
    assert (told.figure, told.card_model) == ("rand_write_4k", CardModel.objects.get())
    assert told.mean == pytest.approx(np.log(500), abs=0.1) and told.own_mean == pytest.approx(
        told.mean, abs=0.1
    )
    assert 0 < told.sd < 0.3 and told.own_precision > 10
    assert told.card_low is not None and told.card_high is not None
    assert told.card_low < told.mean < told.card_high
    score = Score.objects.get(profile="pi-root", interface="sdr104")
    assert (score.cards, score.runs, score.submitters, score.trusted, score.vouched) == (3, 4, 2, 2, 1)
    assert (score.covered, score.ranked_by, list(score.figures)) == (1, None, ["rand_write_4k"])


def test_a_figure_is_told_as_far_as_the_slot_carries_it() -> None:
    """80 MB/s of a Raspberry Pi 5, in slots for 22, 45 and 90."""
    mode = {"name": "SDR104", "clock_hz": 208_000_000, "width_bits": 4}
    host = {"board": "Raspberry Pi 5 Model B", "interface": "mmc", "bus_mode": mode}
    process([receive(report(measurements=[seq_read(80, 81, 79)], host=host), "somebody")])
    told = {
        score.interface: [round(score.figures["seq_read"][end] / 1e6) for end in ("value", "upper")]
        for score in Score.objects.all()
    }
    assert (told["high_speed"], told["ddr50"], told["sdr104"][1]) == ([22, 22], [45, 45], 90)
    assert told["fastest"][1] > 90


def test_a_simulated_card_is_judged_apart() -> None:
    process([receive(report(simulated=True), "somebody")])
    assert set(Score.objects.values_list("simulated", "card_model__simulated")) == {(True, True)}
    assert len(gathering.gather_all(NOBODY)[1].models) == 0


def test_an_implausible_value_is_no_evidence() -> None:
    process([receive(report(measurements=[seq_read(1.9, unit="GB/s")]), "somebody")])
    assert not Score.objects.exists() and not Estimate.objects.exists()


def test_evidence_has_the_numbers_of_the_measurements() -> None:
    process(crowd(12))
    gathered = gathering.gather(list(CardModel.objects.values_list("pk", flat=True)), gathering.NOTHING)
    runs = gathered.evidence.runs["rand_read_4k"]
    values = (
        Measurement.objects.filter(figure="rand_read_4k").order_by("value").values_list("value", flat=True)
    )
    assert np.sort(np.exp(runs.log_value)) == pytest.approx(list(values))
    assert gathered.evidence.cards_of().tolist() == [
        model.variants.get().cards.count() for model in CardModel.objects.order_by("pk")
    ]


def test_evidence_is_the_same_however_it_is_read() -> None:
    """Every row to the bit: of all models, and of each by its index."""
    process([*crowd(12), receive(report(measurements=[seq_read(1.9, unit="GB/s")]), "somebody")])
    every = sources.load_all(list(FIGURES))
    by_model = sources.load_models(list(CardModel.objects.values_list("pk", flat=True)), list(FIGURES))
    every_row, model_rows = (sorted(zip(*rows.values(), strict=True)) for rows in (every, by_model))
    assert every_row == model_rows and len(every_row) == 36


def test_it_is_numbered_alike_however_it_is_read() -> None:
    process(crowd(12))
    _, every = gathering.gather_all(NOBODY)
    some = gathering.gather(list(CardModel.objects.values_list("pk", flat=True)), every.numbers)
    assert some.models.tolist() == every.models.tolist() and some.runs == every.runs
    assert (some.evidence.traits == every.evidence.traits).all()
    for name, runs in every.evidence.runs.items():
        assert _rows(some.evidence.runs[name]) == _rows(runs)


def _rows(runs: Runs) -> list[tuple[float, ...]]:
    return sorted(zip(*(getattr(runs, name).tolist() for name in runs.__slots__), strict=True))


def test_copying_refuses_columns_of_another_type() -> None:
    process(crowd(2))
    with pytest.raises(AssertionError, match="another type"):
        copying.copy_queryset(Measurement.objects.values_list("position"), {"position": "i8"})


def test_nothing_copied_is_nothing() -> None:
    assert copying.copy_queryset(Measurement.objects.values_list("pk"), {"pk": "i8"})["pk"].tolist() == []


def test_few_rows_come_as_copied_ones() -> None:
    process(crowd(4))
    figures = "SELECT id, value FROM submissions_measurement WHERE run_id = ANY(%s)"
    for runs in ([], list(Run.objects.values_list("pk", flat=True))):
        few, copied = (
            way(figures, [runs], {"id": "i8", "value": "f8"}) for way in (copying.fetch, copying.copy_sql)
        )
        pairs = [set(zip(rows["id"].tolist(), rows["value"].tolist(), strict=True)) for rows in (few, copied)]
        assert pairs[0] == pairs[1] and bool(pairs[0]) == bool(runs)
        assert {name: column.dtype for name, column in few.items()} == {"id": "i8", "value": "f8"}
    with pytest.raises(AssertionError, match="another type"):
        copying.fetch("SELECT position FROM submissions_measurement", [], {"position": "i8"})
