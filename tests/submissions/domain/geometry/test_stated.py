"""Tests of geometry that the client states, apart from inferred geometry, and of the result of several runs."""

import math
from typing import Any

import msgspec
import pytest

from submissions.domain import report
from submissions.domain.geometry import Inference, Reading, consensus, stated_inferences
from submissions.domain.measuring import normalize
from tests.factories import body


def entry(metric: str, values: list[float], unit: str = "B", **more: Any) -> dict[str, Any]:
    return {"workload": "geometry", "metric": metric, "unit": unit, "values": values} | more


def read(measurements: list[dict[str, Any]], beside: Any) -> list[Inference]:
    parsed = report.parse(body(measurements=measurements, extra={"geometry": beside}))
    return list(stated_inferences(parsed, normalize.normalize(parsed, bus="SD")[0]))


def test_it_works() -> None:
    (inference,) = read(
        [entry("erase_block_size", [4], "MiB")],
        {"erase_block_size": {"confidence": 0.8, "reason": "A step of 12 %."}},
    )
    assert inference.log_odds == pytest.approx(math.log(4))
    expected = Inference("erase_block_size", 4194304, inference.log_odds, ("A step of 12 %.",), "", "stated")
    assert (inference, inference.confidence) == (expected, 0.8)


def test_why_there_is_no_value_is_kept() -> None:
    gone = {"failure": {"code": "no_limit_found", "detail": "96 units are fast"}}
    (inference,) = read(
        [entry("open_au_linear", [], "count", **gone)], {"open_au_linear": {"confidence": 0.9}}
    )
    assert (inference.value, inference.code, inference.answer) == (None, "no_limit_found", "no limit found")


def test_exact_odds_are_taken_before_a_rounded_share() -> None:
    (inference,) = read(
        [entry("page_size", [16], "KiB")], {"page_size": {"confidence": 0.99, "log_odds": 11.5}}
    )
    assert (inference.log_odds, inference.confidence) == (11.5, 0.99)


@pytest.mark.parametrize(
    "beside",
    [
        None,
        [],
        "sure",
        {"page_size": 3},
        {"page_size": {"confidence": "very", "reason": 7}},
        {"page_size": {"confidence": 2}},
    ],
)
def test_nonsense_beside_it_is_no_confidence(beside: Any) -> None:
    (inference,) = read([entry("page_size", [16384])], beside)
    assert (inference.value, inference.log_odds, inference.reasoning) == (16384, None, ())


def test_what_cannot_be_stored_is_left_out_of_a_reason() -> None:
    (inference,) = read([entry("page_size", [16384])], {"page_size": {"reason": "a\x00b\nc"}})
    assert inference.reasoning == ("abc",)
    assert msgspec.json.encode(inference.reasoning)


def block(card: int, value: float | None, log_odds: float | None, code: str = "") -> Reading:
    return Reading(card, 1, "erase_block_size", value, code, log_odds)


def test_one_card_has_one_vote_by_its_surest_run() -> None:
    (agreement,) = consensus(
        [block(1, 4194304, 3.0), block(1, 8388608, 1.5), block(2, 4194304, 2.0), block(3, 8388608, 1.6)]
    )
    assert [(answer.in_words, answer.cards, answer.log_odds) for answer in agreement.answers] == [
        ("4 MiB", 2, 3.0),
        ("8 MiB", 1, 1.6),
    ]
    assert agreement.wavering == 1


def test_an_abstention_counts_only_where_there_is_nothing_else() -> None:
    (agreement,) = consensus(
        [block(1, None, None, "abstained"), block(1, 4194304, 3.0), block(2, None, None, "abstained")]
    )
    assert [(answer.in_words, answer.cards) for answer in agreement.answers] == [
        ("4 MiB", 1),
        ("cannot tell", 1),
    ]
    assert agreement.wavering == 0
