"""The evidence for the estimation has the values of the measurements, whichever way it is read."""

from dataclasses import fields

import numpy as np
import pytest

from submissions.domain.estimation.evidence import Evidence
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.evidence import observations, sources
from submissions.evidence.observations import Gathered, Numbers
from submissions.models import CardModel, Measurement, Submission
from tests.factories import rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import crowd, process, receive

pytestmark = pytest.mark.django_db
METHODS = make_catalogue().methods


def gather_all() -> Gathered:
    rows, described = observations.load_all()
    return observations.from_columns(rows, described, observations.number_hosts(rows, described))


def rows_of(evidence: Evidence, model: int) -> list[tuple[float, ...]]:
    """Return the evidence rows of one model, without the numbers of the model, cards and people."""
    names = [
        column.name for column in fields(Evidence) if column.name not in ("models", "model", "card", "person")
    ]
    own = evidence.where(evidence.model == model)
    columns = (np.nan_to_num(getattr(own, name), nan=-9).tolist() for name in names)
    return list(zip(*columns, strict=True))


def test_it_has_the_values_of_the_measurements() -> None:
    process(crowd(12))
    gathered = gather_all()
    own = gathered.evidence.where(gathered.evidence.method == METHODS.index("rand_write_4k"))
    values = Measurement.objects.filter(figure="rand_write_4k").order_by("value")
    assert np.sort(np.exp(own.log_value)) == pytest.approx(list(values.values_list("value", flat=True)))
    assert gathered.models.tolist() == sorted(CardModel.objects.values_list("pk", flat=True))
    assert len(gathered.cards) == len(gathered.signatures) == gathered.evidence.card.max() + 1
    assert (gathered.signatures > 0).all()


def test_one_model_has_the_same_rows_as_among_all() -> None:
    process(crowd(14))
    every = gather_all()
    for number, pk in enumerate(every.models.tolist()):
        alone = observations.gather([pk], every.numbers)
        assert rows_of(alone.evidence, 0) == rows_of(every.evidence, number)


def gather_one(**changes: object) -> Gathered:
    document = report(uuid=uuid(1), card=specimen(1), **changes)
    process([receive(document, "somebody")])
    return observations.gather(list(CardModel.objects.values_list("pk", flat=True)), Numbers({}))


def test_a_link_limits_throughput_and_nothing_else() -> None:
    mode = {"name": "SDR104", "clock_hz": 208_000_000, "width_bits": 4}
    host = {"board": "Raspberry Pi 5 Model B", "interface": "mmc", "bus_mode": mode}
    evidence = gather_one(host=host, measurements=[seq_read(80), rand_write(900)]).evidence
    reach = dict(zip((METHODS[number] for number in evidence.method), evidence.log_reach, strict=True))
    assert np.exp(reach["seq_read"]) == pytest.approx(96.8e6)
    assert reach["rand_write_4k"] == np.inf


def test_an_unstated_link_is_not_known() -> None:
    gathered = gather_one(host={"machine": "some PC", "interface": "usb"}, measurements=[seq_read(80)])
    assert np.isnan(gathered.evidence.log_reach).all()
    assert gathered.new_hosts == {("usb", "some PC", ""): -1}


def test_only_the_vouched_are_no_strangers() -> None:
    submissions = crowd(2)
    Submission.objects.filter(pk=submissions[0].pk).update(vouched=True)
    process(submissions)
    assert set(gather_all().evidence.ignorance.tolist()) == {0, 3}


def test_an_implausible_value_is_no_evidence() -> None:
    process([receive(report(measurements=[seq_read(1.9, unit="GB/s")]), "somebody")])
    assert len(gather_all().evidence) == 0


def test_evidence_is_the_same_however_it_is_read() -> None:
    """Rows are equal to the bit, read for all models at once, or for some models by index."""
    process([*crowd(12), receive(report(measurements=[seq_read(1.9, unit="GB/s")]), "somebody")])
    every = sources.load_all(METHODS)
    by_model = sources.load_models(list(CardModel.objects.values_list("pk", flat=True)), METHODS)
    every_row, model_rows = (sorted(zip(*rows.values(), strict=True)) for rows in (every, by_model))
    assert every_row == model_rows and len(every_row) == 36
