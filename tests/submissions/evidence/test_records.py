"""The rows of a model are read consistently in several queries, while other workers store more of them."""

from random import Random
from typing import Any

import pytest

from submissions.evidence import records
from submissions.models import Card, CardModel, Measurement, Run
from submissions.writing import ingest, scoring
from tests.factories import specimen, uuid
from tests.small_crowd import a_report, receive


def file(number: int) -> None:
    document = a_report(number, Random(number), 1) | {"card": specimen(number, label={"brand": "Brand"})}
    ingest.process_batch([receive(document, f"person {number}").pk], judge=scoring.mark)


@pytest.mark.django_db
def test_what_is_filed_meanwhile_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    file(1)
    (before,) = records.load_records(CardModel.objects.all())
    add_labels = records._add_labels

    def with_one_more_run(of_variant: Any) -> None:
        file(2)
        add_labels(of_variant)

    monkeypatch.setattr(records, "_add_labels", with_one_more_run)
    (of_model,) = records.load_records(CardModel.objects.all())
    assert {name: measured.pk.tolist() for name, measured in of_model.measured.items()} == {
        name: measured.pk.tolist() for name, measured in before.measured.items()
    }
    assert len(of_model.runs) == 1


@pytest.mark.django_db
def test_runs_are_columns_of_what_their_rows_say() -> None:
    """Runs are read as columns, the newest first; missing values become 0."""
    file(1)
    file(2)
    Run.objects.filter(submission__uuid=uuid(1)).update(started_at=None, life_used=3, excluded="held")
    (of_model,) = records.load_records(CardModel.objects.all())
    runs, rows = of_model.runs, list(Run.objects.select_related("card", "submission").order_by("-pk"))
    assert runs.pk.tolist() == [run.pk for run in rows]
    assert runs.card.tolist() == [run.card_id for run in rows]
    assert runs.card_number.tolist() == [int(run.card.key[:15], 16) for run in rows]
    assert runs.variant.tolist() == [run.card.variant_id for run in rows]
    assert runs.host.tolist() == [run.host_id for run in rows]
    assert runs.submission.tolist() == [run.submission_id for run in rows]
    assert runs.month.tolist() == [201303, 201303]
    assert len(set(runs.person.tolist())) == 2
    received = [round(run.submission.received_at.timestamp() * 1e6) for run in rows]
    assert runs.received.tolist() == pytest.approx(received, abs=1)
    assert (runs.counts.tolist(), runs.tells_health.tolist()) == ([1, 0], [0, 1])
    assert {figure.believed.tolist() == [False, True] for figure in of_model.measured.values()} == {True}
    assert [host.pk for host in of_model.hosts.values()] == sorted({run.host_id for run in rows})


@pytest.mark.django_db
def test_cards_are_counted_by_silicon_with_the_months_they_were_made_in() -> None:
    for number in range(1, 4):
        file(number)
    for card, (month, verdict) in zip(
        Card.objects.order_by("pk"), [("2014-02", ""), ("", "suspicious"), ("2013-11", "")], strict=False
    ):
        Card.objects.filter(pk=card.pk).update(manufactured=month, verdict=verdict)
    (of_model,) = records.load_records(CardModel.objects.all())
    (facts,) = of_model.cards.values()
    assert facts == records.CardFacts(all=3, first="2013-11", last="2014-02")


@pytest.mark.django_db
def test_a_figure_of_an_older_release_is_not_read() -> None:
    file(1)
    Measurement.objects.filter(figure="seq_read").update(figure="seq_read_of_old")
    (of_model,) = records.load_records(CardModel.objects.all())
    assert set(of_model.measured) == {"rand_read_4k", "rand_write_4k"}
