"""Tests that later statements of a sender replace those in the report."""

import json

import pytest

from submissions.domain import amendment, json_shape, report
from submissions.domain.errors import ReportError
from tests.factories import body


def overlay(*documents: dict[str, object]) -> dict[str, object]:
    changes: dict[str, object] = {}
    for document in documents:
        changes = amendment.merge(changes, amendment.parse(json.dumps(document).encode()))
    return changes


def read(changes: dict[str, object]) -> report.Report:
    original = report.parse(body(note="as sent", card={"label": {"brand": "Kingstn", "line": "Canvas"}}))
    return amendment.amend(original, changes)


def test_it_works() -> None:
    changes = overlay({"label": {"brand": "Kingston"}, "condition": "used"}, {"note": "second hand"})
    now = read(changes)
    assert (now.card.label.brand, now.card.label.line) == ("Kingston", "Canvas")
    assert (now.card.condition, now.note) == ("used", "second hand")


def test_the_last_word_counts_and_null_goes_back() -> None:
    changes = overlay(
        {"label": {"brand": "A", "line": "B"}, "note": "x"}, {"label": {"brand": None}, "note": None}
    )
    assert changes == {"label": {"line": "B"}}
    assert (read(changes).card.label.brand, read(changes).note) == ("Kingstn", "as sent")


def test_an_empty_word_takes_away() -> None:
    assert read(overlay({"label": {"line": ""}, "note": ""})).card.label.line == ""


def test_without_amendments_it_is_the_report_itself() -> None:
    original = report.parse(body())
    assert amendment.amend(original, {}) is original


@pytest.mark.parametrize(
    ("sent", "code", "field"),
    [
        (b"", "empty_amendment", ""),
        (b"{}", "empty_amendment", ""),
        (b"{", "not_json", ""),
        (b"[]", "wrong_shape", ""),
        (b'{"measurements": []}', "wrong_shape", ""),
        (b'{"condition": "mint"}', "wrong_shape", "condition"),
        (b'{"note": "\\u0000"}', "wrong_shape", "note"),
        (b'{"label": "Kingston"}', "wrong_shape", "label"),
    ],
)
def test_what_is_none_is_refused(sent: bytes, code: str, field: str) -> None:
    with pytest.raises(ReportError) as refused:
        amendment.parse(sent)
    assert (refused.value.code, refused.value.field) == (code, field)


@pytest.mark.parametrize(
    ("label", "field"),
    [
        ({"brnd": "x"}, "card.label"),
        ({"brand": 7}, "card.label.brand"),
        ({"capacity_gb": -1}, "card.label.capacity_gb"),
        ({"price": 5}, "card.label"),
    ],
)
def test_a_label_that_makes_no_sense_is_refused(label: dict[str, object], field: str) -> None:
    with pytest.raises(json_shape.ShapeError) as refused:
        read(overlay({"label": label}))
    assert refused.value.field == field
