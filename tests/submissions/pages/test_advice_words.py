"""An ability in words, by hand: its value, where it comes from, and what stands behind it."""

from typing import Any

import pytest

from submissions.domain.ranking.advice import AbilityValue, NeedResult, Place
from submissions.domain.ranking.order import NeedState
from submissions.domain.ranking.uses import Need
from submissions.pages.content import advice_words


def value(**changes: Any) -> AbilityValue:
    columns: dict[str, Any] = {"ability": "small_writes", "value": 3450.0, "lower": 1600.0, "upper": 7400.0}
    columns |= {"origin": "here", "at_least": False, "median": 3900.0}
    return AbilityValue(**columns | {"cards": 2, "people": 1, "known_people": 1, "runs": 4} | changes)


def test_it_works() -> None:
    assert advice_words.describe_figure(value()) == "3,450 IOPS small writes"
    assert advice_words.describe_interval(value()) == "1,600 IOPS to 7,400 IOPS"


def test_what_a_link_hid_is_at_least() -> None:
    hidden = value(ability="large_reads", value=45e6, lower=40e6, upper=90e6, median=44e6, at_least=True)
    assert advice_words.describe_figure(hidden) == "at least 45 MB/s large reads"
    assert advice_words.describe_interval(hidden) == ""
    assert advice_words.explain_median(hidden) == ""


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (value(), "measured in a Raspberry Pi 5"),
        (value(origin="elsewhere"), "expected from other devices"),
        (None, "not measured"),
    ],
)
def test_a_value_says_where_it_comes_from(told: AbilityValue | None, words: str) -> None:
    assert advice_words.describe_origin(told, "Raspberry Pi 5") == words


@pytest.mark.parametrize(
    ("people", "known", "words"),
    [
        (1, 1, "2 cards, 1 person"),
        (3, 1, "2 cards, 3 people, 1 of them with a record"),
        (3, 0, "2 cards, 3 people; only strangers report this"),
    ],
)
def test_a_value_says_who_stands_behind_it(people: int, known: int, words: str) -> None:
    assert advice_words.describe_proof(value(people=people, known_people=known)) == words


def test_a_need_says_what_is_missing() -> None:
    need = Need("small_writes", 500, "a source")
    failed = NeedResult(need, NeedState.FAIL, value(value=46.0))
    assert advice_words.describe_need(failed) == "Small writes: 46 IOPS, it needs 500 IOPS"
    assert advice_words.describe_state(failed) == "too slow"
    unknown = NeedResult(need, NeedState.NOT_MEASURED, None)
    assert advice_words.describe_need(unknown) == "Small writes: not measured, it needs 500 IOPS"


@pytest.mark.parametrize(
    ("place", "words"), [(None, ""), (Place(1, True, 9), "=1"), (Place(7, False, 9), "7")]
)
def test_a_shared_place_has_a_sign(place: Place | None, words: str) -> None:
    assert advice_words.describe_place(place) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"median": 100.0, "runs": 1}, "measured 100 IOPS once, far from all others"),
        ({"median": 100.0}, "measured 100 IOPS, far from all others"),
        ({"median": 100.0, "origin": "elsewhere"}, "measured 100 IOPS in other devices"),
    ],
)
def test_a_median_outside_the_interval_is_explained(changes: dict[str, Any], words: str) -> None:
    assert advice_words.explain_median(value(**changes)) == words
