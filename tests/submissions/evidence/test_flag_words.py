"""Every kind of flag on a model has a sentence for its stored evidence."""

from dataclasses import asdict
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from submissions.domain.estimation.variation import Difference, Scatter
from submissions.domain.geometry.differing import GeometryDiffers
from submissions.evidence import geometries, records
from submissions.evidence.flag_words import describe_flag
from submissions.models import CardModel, Geometry, Run, VariationFlag
from tests.small_crowd import two_silicons

DIFFERENCE = Difference(0, 1, 2, (5, 4), (4, 3), 3.0, 2.5, 3.6, 2.8, 1e-6)
NAMES = {"names": ["SA04G 1.1", "SA04G 2.0"], "kept": False}
GEOMETRY = GeometryDiffers("erase_block_size", (4194304, 8388608), (5, 3), 8)


def sentence(kind: str, figure: str, evidence: Any, **more: Any) -> str:
    words = describe_flag(VariationFlag(kind=kind, figure=figure, evidence=asdict(evidence) | more))
    assert words.heading and words.meaning
    return words.sentence


def test_cards_that_differ() -> None:
    assert sentence("varies", "small_writes", DIFFERENCE, **NAMES) == (
        "Small writes: 5 cards with SA04G 1.1 are 3.00 times as fast as 4 cards with SA04G 2.0"
        " (95 % sure: 2.50 to 3.60); 4 and 3 people measured them."
    )


def test_cards_that_scatter() -> None:
    assert sentence("suspected", "large_reads", Scatter(3, 9, 8, 2.54, 3.1, 1e-4)) == (
        "Large reads: of 9 cards that look alike, the fast ones are 2.5 times as fast as the slow ones (90th and"
        " 10th percentile). Over all abilities, the variance is 3.1 times as large as usual."
    )


def test_another_geometry() -> None:
    assert sentence("geometry_differs", "erase_block_size", GEOMETRY) == (
        "Erase block, estimated: 4 MiB in 5, 8 MiB in 3 of 8 cards. One name, different flash."
    )


def test_numbers_are_written_as_the_reader_writes_them() -> None:
    with translation.override("de"):
        words = sentence("varies", "small_writes", DIFFERENCE, **NAMES)
    assert "3,00" in words and "2,50 bis 3,60" in words


@pytest.mark.django_db
def test_page_explanation_and_api_say_it_in_the_same_words(client: Client) -> None:
    two_silicons(2, ratio=1)
    model = CardModel.objects.get()
    evidence = asdict(DIFFERENCE) | NAMES
    flag = VariationFlag(card_model=model, kind="varies", figure="small_writes", evidence=evidence)
    flag.cards, flag.submitters, flag.since = 9, 7, model.created_at
    flag.save()
    words, address = describe_flag(flag).sentence, f"models/{model.slug}/"
    (answered,) = client.get(f"/api/v1/{address}explanation/").json()["flags"]
    assert answered["sentence"] == words
    for page in (f"/{address}", f"/{address}why/"):
        assert words in client.get(page).content.decode()


@pytest.mark.django_db
def test_cards_read_to_have_another_geometry_are_flagged() -> None:
    two_silicons(2, ratio=1)
    for run in Run.objects.all():
        is_new = run.card.variant.prv == "2.0"
        Geometry.objects.create(
            run=run,
            quantity="erase_block_size",
            origin="inferred",
            value=2**22 * (1 + is_new),
            log_odds=10.0,
        )
    (raised,) = geometries.flag_rows(records.load_records(CardModel.objects.all()))
    assert (raised.kind, raised.cards, raised.submitters) == ("geometry_differs", 4, 4)
    assert "4 MiB in 2, 8 MiB in 2 of 4 cards" in describe_flag(raised).sentence
