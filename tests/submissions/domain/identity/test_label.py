"""Tests of the label of a card and its purchase. Old reports without some of these fields keep their meaning."""

from typing import Any

import msgspec
import pytest

from submissions.domain.errors import ReportError
from submissions.domain.fields import MARKS
from submissions.domain.json_shape import ShapeError
from submissions.domain.pasting.pasted import Claims, claims_of, content_hash
from submissions.domain.report import Label, parse
from tests.factories import body, report

FULL = {
    "brand": "Kingston",
    "line": "Canvas Go! Plus",
    "model_number": "SDG3/64GB",
    "capacity_gb": 64,
    "marks": ["C10", "U3", "V30", "A2", "UHS-I"],
    "bought_at": "a shop in Brno",
    "bought_on": "2024-05",
    "price": 9.9,
    "currency": "EUR",
}


def label(**fields: Any) -> Label:
    return parse(body(card=report()["card"] | {"label": fields})).card.label


def test_it_works() -> None:
    assert label(**FULL) == msgspec.convert(FULL, Label)


def test_an_old_label_is_still_a_label() -> None:
    assert label(brand="Kingston", capacity_gb=4) == Label(brand="Kingston", capacity_gb=4)


@pytest.mark.parametrize(
    ("fields", "claims", "field"),
    [
        ({"marks": ["C11"]}, "C11", "card.label.marks[0]"),
        ({"bought_on": "May 2024"}, "2024-05", "card.label.bought_on"),
        ({"bought_on": "2024-13"}, "2024-05", "card.label.bought_on"),
        ({"price": 9.9}, "A price needs a currency", "card.label"),
        ({"currency": "EUR"}, "A price needs a currency", "card.label"),
        ({"price": 9.9, "currency": "€"}, "such as EUR", "card.label.currency"),
        ({"price": -1, "currency": "EUR"}, ">= 0", "card.label.price"),
    ],
)
def test_nonsense_is_refused_with_its_place(fields: dict[str, Any], claims: str, field: str) -> None:
    with pytest.raises(ShapeError) as refused:
        label(**fields)
    assert claims in refused.value.detail
    assert refused.value.field == field


def test_only_what_names_the_model_tells_specimens_apart() -> None:
    assert label(**FULL).names == ("Kingston", "Canvas Go! Plus", "SDG3/64GB", 64)


def test_an_address_tells_a_label() -> None:
    fields = FULL | {"marks": "C10, U3 V30,A2 UHS-I", "price": "9.9", "capacity_gb": "64"}
    claims = claims_of(
        fields | {"condition": "used", "note": "slow", "answer.dd.direction.1": "read", "line": ""}
    )
    assert claims == Claims(
        label=msgspec.convert(FULL | {"line": ""}, Label),
        condition="used",
        note="slow",
        answers={"dd.direction.1": "read"},
    )


def test_an_unknown_word_in_an_address_is_refused() -> None:
    with pytest.raises(ReportError, match="brnd"):
        claims_of({"brnd": "Kingston"})


def test_the_hash_of_a_text_is_that_of_earlier_versions() -> None:
    """A version with only four fields of a label made this hash: the same text is still the same submission."""
    assert content_hash(b"text", Claims(label=Label(brand="Kingston", capacity_gb=4))) == (
        "65c1e782a974594d53b5d1778dfb79368fb85ce6957804fae1b8a1b01f61b932"
    )


def test_whatever_is_said_makes_another_submission() -> None:
    bare = content_hash(b"text", Claims())
    others = [
        Claims(note="x"),
        Claims(label=Label(marks=("C10",))),
        Claims(answers={"a": "b"}),
        Claims(condition="used"),
    ]
    assert len({bare, *(content_hash(b"text", words) for words in others)}) == 5


def test_every_mark_is_a_word() -> None:
    assert len(set(MARKS)) == len(MARKS) == 20
