"""The advice on a model is written in sentences; the values are chosen by hand."""

from dataclasses import replace

import pytest

from submissions.domain.ranking import boards
from submissions.domain.ranking.advice import AbilityValue, Place
from submissions.domain.ranking.gates import ModelFacts
from submissions.domain.ranking.order import NeedState
from submissions.pages.content import advice_words
from tests.advice import ability, advice_on

PI = boards.find("raspberry-pi-5")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ability("small_writes", 3450), "3,450 IOPS"),
        (ability("large_writes", 45e6, at_least=True), "at least 45 MB/s"),
        (ability("synced_small_writes_p99", 30e6), "30 ms"),
    ],
)
def test_each_quantity_has_one_notation(value: AbilityValue, words: str) -> None:
    assert advice_words.describe_amount(value) == words


def test_an_interval_has_two_ends_unless_a_link_hid_it() -> None:
    value = ability("small_writes", 3450, lower=1600, upper=7400)
    assert advice_words.describe_interval(value) == "1,600 IOPS to 7,400 IOPS"
    assert advice_words.describe_interval(ability("large_reads", 90e6, at_least=True)) == ""


def test_measured_and_expected_differ_in_words() -> None:
    here, elsewhere = ability("small_writes", 1), ability("small_writes", 1, origin="elsewhere")
    assert advice_words.describe_origin(here, PI) == "measured in a Raspberry Pi 5 or 500"
    assert advice_words.describe_origin(elsewhere, PI) == "expected from other devices"
    assert advice_words.describe_origin(None, PI) == "not measured"


def test_an_estimate_is_not_called_measured_if_the_test_in_the_device_says_something_else() -> None:
    odd = ability("large_reads", 95e6, lower=70e6, upper=96e6, median=42.7e6, runs=1)
    assert advice_words.describe_origin(odd, PI) == "estimate: the test in this device differs"
    at_limit = ability("large_reads", 90e6, lower=41e6, upper=90e6, median=92.6e6)
    assert advice_words.describe_origin(at_limit, PI).startswith("measured in a ")


@pytest.mark.parametrize(
    ("people", "known", "words"),
    [
        (3, 0, "3 cards, 3 people; no trusted source yet"),
        (1, 1, "3 cards, 1 trusted source"),
        (3, 2, "3 cards, 3 people, among them 2 trusted sources"),
    ],
)
def test_the_proof_says_who_reports_it(people: int, known: int, words: str) -> None:
    value = ability("small_writes", 900, cards=3, people=people, known_people=known)
    assert advice_words.describe_proof(value) == words


def test_a_median_outside_the_interval_is_explained() -> None:
    usual = ability("large_reads", 13e6, lower=10e6, upper=17e6, median=13e6)
    assert advice_words.explain_difference(usual) == ""
    odd = ability("large_reads", 75e6, lower=60e6, upper=90e6, median=13e6, runs=1)
    assert advice_words.explain_difference(odd).startswith("Measured 13 MB/s once")
    capped = ability("large_reads", 90e6, lower=41e6, upper=90e6, median=92.6e6)
    assert advice_words.explain_difference(capped) == "Measured 92.6 MB/s; the slot carries about 90 MB/s."
    expected = ability("large_reads", 40e6, median=94e6, origin="elsewhere")
    assert advice_words.explain_difference(expected) == "Measured in other devices: 94 MB/s."


def test_within_a_sentence_an_ability_begins_small() -> None:
    assert advice_words.name_ability("large_reads_spi") == "large reads over SPI"


def test_a_need_that_nobody_measured_is_explained() -> None:
    (_, _, missing) = advice_on({"small_writes": 4000, "small_reads": 900}).needs
    assert advice_words.explain_need(missing) == "Large writes: not measured; needed: 10 MB/s."


def test_shared_places_say_so() -> None:
    assert advice_words.describe_place(Place(1, True, 20)) == "=1"
    assert advice_words.describe_place(Place(4, False, 20)) == "4"
    assert advice_words.describe_place(None) == ""


@pytest.mark.parametrize(
    ("values", "headline"),
    [
        ({"small_writes": 4000, "small_reads": 4000, "large_writes": 60e6}, "Fast enough for a Raspberry Pi 5 or 500."),
        ({"small_writes": 4000, "small_reads": 4000}, "It may be fast enough for a Raspberry Pi 5 or 500."),
        ({"small_reads": 4000}, "Not tested for a Raspberry Pi 5 or 500 yet."),
        (
            {"small_writes": 46},
            "Too slow for a Raspberry Pi 5 or 500. Small writes: 46 IOPS; needed: 500 IOPS.",
        ),
    ],
)  # fmt: skip
def test_the_headline_follows_from_the_needs(values: dict[str, float], headline: str) -> None:
    assert advice_words.write_headline(advice_on(values)) == headline


def test_lost_data_is_said_before_all() -> None:
    advice = advice_on({"small_writes": 4000}, facts=ModelFacts(lost_data=True))
    assert advice_words.write_headline(advice) == "A card of this model lost data in a test."


def test_a_use_without_needs_is_answered_by_the_figure() -> None:
    advice = advice_on({"large_writes_spi": 3e5}, use="logger", board="raspberry-pi-pico")
    advice = replace(advice, use=replace(advice.use, needs=()), needs=())
    assert advice_words.write_headline(advice) == "Large writes over SPI: 300 kB/s."


def test_a_mark_has_the_value_and_the_threshold() -> None:
    advice = advice_on({"small_writes": 4000, "small_reads": 900})
    marks = {mark.title: mark for mark in map(advice_words.mark_need, advice.needs)}
    assert [mark.state for mark in marks.values()] == [NeedState.PASS, NeedState.FAIL, NeedState.NOT_MEASURED]
    assert marks["Small writes"][1:] == ("Small writes", "passes", "500 IOPS needed")
    assert marks["Large writes"].details == "10 MB/s needed"
