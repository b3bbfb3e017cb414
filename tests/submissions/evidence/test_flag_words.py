"""Flags say it in words: every kind from what is stored of it."""

from dataclasses import asdict
from typing import Any

import pytest

from submissions.domain.judgement.fingerprints import GeometryDiffers
from submissions.domain.judgement.flags import Changed, Difference, Scatter
from submissions.evidence import geometries, records
from submissions.models import CardModel, Geometry, Run, VariationFlag
from tests.small_crowd import two_silicons

DIFFERENCE = Difference("rand_write_4k", 1, 2, (5, 4), (4, 3), 3.0, 2.5, 3.6, 2.8, 1e-6)


def flag(kind: str, figure: str, basis: Any, **more: Any) -> VariationFlag:
    return VariationFlag(kind=kind, figure=figure, evidence=asdict(basis) | more)


def test_cards_that_differ() -> None:
    words = flag("varies", "rand_write_4k", DIFFERENCE, names=["SA04G 1.1", "SA04G 2.0"], kept=False).in_words
    assert words.startswith("Random write, 4 KiB: 5 cards with SA04G 1.1 are 3.00 times as fast as 4 cards")


def test_cards_that_scatter() -> None:
    words = flag("suspected", "seq_read", Scatter("seq_read", 9, 2.5, 3.1, 1e-4)).in_words
    assert "9 cards that look alike span a factor of 2.5" in words


def test_a_change() -> None:
    assert "between 2013-03 and 2013-06" in flag("changed", "seq_read", Changed(24158, 24161, 9, 0)).in_words


def test_another_geometry() -> None:
    difference = GeometryDiffers("erase_block_size", (4194304, 8388608), (5, 3), 8)
    words = flag("geometry_differs", "erase_block_size", difference).in_words
    assert words.startswith("Erase block, estimated: 4 MiB in 5, 8 MiB in 3 of 8 cards")


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
    readings = geometries.readings_of(records.read(CardModel.objects.all()))
    assert geometries.all_readings() == readings
    (raised,) = geometries.flag_rows(readings)
    assert (raised.kind, raised.cards, raised.submitters) == ("geometry_differs", 4, 4)
    assert "4 MiB in 2, 8 MiB in 2 of 4 cards" in raised.in_words
