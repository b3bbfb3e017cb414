"""What is stored of a model is read in several queries, while other workers file more of it."""

from random import Random
from typing import Any

import pytest

from submissions.evidence import records
from submissions.models import CardModel, Measurement
from submissions.writing import ingest, scoring
from tests.small_crowd import a_report, receive


def file(number: int) -> None:
    ingest.process_begun(
        [receive(a_report(number, Random(number), 1), f"person {number}").pk], judge=scoring.mark
    )


@pytest.mark.django_db
def test_what_is_filed_meanwhile_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    file(1)
    (before,) = records.read(CardModel.objects.all())
    add_labels = records._add_labels

    def with_one_more_run(of_variant: Any) -> None:
        file(2)
        add_labels(of_variant)

    monkeypatch.setattr(records, "_add_labels", with_one_more_run)
    (of_model,) = records.read(CardModel.objects.all())
    assert {name: measured.pk.tolist() for name, measured in of_model.measured.items()} == {
        name: measured.pk.tolist() for name, measured in before.measured.items()
    }
    assert len(of_model.runs) == 1


@pytest.mark.django_db
def test_a_figure_of_an_older_release_is_not_read() -> None:
    file(1)
    Measurement.objects.filter(figure="seq_read").update(figure="seq_read_of_old")
    (of_model,) = records.read(CardModel.objects.all())
    assert set(of_model.measured) == {"rand_read_4k", "rand_write_4k"}
