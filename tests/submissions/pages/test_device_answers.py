"""The page says whether a card is good enough for a device: yes, maybe, no, or not tested, and why."""

import pytest

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.gates import ModelFacts
from submissions.domain.ranking.wish import Wish
from submissions.pages.content.device_answers import answer_wish
from tests.advice import advice_on

WISH = Wish(boards.find("raspberry-pi-5"), uses.find_use("pi-root"))
GOOD = {"small_writes": 4000.0, "small_reads": 4000.0, "large_writes": 60e6}


@pytest.mark.parametrize(
    ("values", "words", "reason"),
    [
        (GOOD, "Yes", ""),
        (GOOD | {"small_reads": 90}, "No", "Small reads: 90 IOPS; needed: 1,500 IOPS."),
        (GOOD | {"small_reads": 1500}, "Maybe", "Small reads: 1,500 IOPS; needed: 1,500 IOPS."),
        ({"small_reads": 4000}, "Not tested", "Nobody has tested it for “Running the system” yet."),
    ],
)
def test_the_needs_decide(values: dict[str, float], words: str, reason: str) -> None:
    answer = answer_wish(WISH, advice_on(values))
    assert (answer.words, answer.reason) == (words, reason)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (ModelFacts(form="SD"), "It does not fit a Raspberry Pi 5 or 500."),
        (
            ModelFacts(capacity_gb=2),
            "It is too small: for “Running the system” a card should hold 4 GB or more.",
        ),
        (ModelFacts(lost_data=True), "A card of this model lost data in a test."),
    ],
)
def test_some_cards_are_refused_however_fast(facts: ModelFacts, reason: str) -> None:
    answer = answer_wish(WISH, advice_on(GOOD, facts=facts))
    assert (answer.answer, answer.reason, answer.proof) == ("no", reason, "")


def test_a_suspicious_card_is_no_clear_yes() -> None:
    answer = answer_wish(WISH, advice_on(GOOD, facts=ModelFacts(suspicious=1, cards=3)))
    assert (answer.answer, answer.gates) == ("maybe", "Beware: 1 of 3 tested cards are suspicious.")


def test_an_answer_says_what_is_behind_it() -> None:
    answer = answer_wish(WISH, advice_on(GOOD))
    assert answer.leading == "Small writes: 4,000 IOPS, measured in a Raspberry Pi 5 or 500."
    assert answer.proof == "1 card, 1 trusted source"
