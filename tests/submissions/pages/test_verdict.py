"""The verdict on a model says how good it is for the visitor's device and use, with warnings."""

from typing import Any

import pytest

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.advice import Advice, Place
from submissions.domain.ranking.gates import ModelFacts
from submissions.domain.ranking.summary import CardFinding, Doubt, Summary
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel
from submissions.pages.content.sentences import Verdict, write_verdict
from tests.advice import advice_on

WISH = Wish(boards.find("raspberry-pi-4"), uses.find_use("pi-root"))
GOOD = {"small_writes": 4000.0, "small_reads": 4000.0, "large_writes": 30e6}


def judge(advice: Advice, summary: Summary | None = None, **model: Any) -> Verdict:
    return write_verdict(WISH, CardModel(**model), advice, summary or Summary())


def on_pi_4(values: dict[str, float], **changes: Any) -> Advice:
    return advice_on(values, board="raspberry-pi-4", **changes)


def test_it_works() -> None:
    said = judge(on_pi_4(GOOD, place=Place(1, True, 20), lower=3000, upper=5000))
    assert said == Verdict(
        ("Fast enough for a Raspberry Pi 4 or 400.",),
        (
            "Running the system: place =1 of 20.",
            "Small writes: 4,000 IOPS, measured in a Raspberry Pi 4 or 400.",
            "For a typical card of this model, the value is 3,000 IOPS to 5,000 IOPS (95 % sure).",
        ),
    )


def test_of_several_cards_it_says_what_one_of_them_does() -> None:
    details = judge(on_pi_4(GOOD, cards=2, lower=3000, upper=5000)).details
    assert "For 95 of 100 cards of this model, the value is 3,000 IOPS to 5,000 IOPS." in details


def test_a_median_outside_the_interval_is_explained() -> None:
    details = judge(on_pi_4({"small_writes": 4000}, median=90)).details
    assert "Measured 90 IOPS once, which is far from similar cards and values." in details


def test_what_nobody_measured_is_named() -> None:
    assert judge(on_pi_4({"small_writes": 4000})).details[-1] == (
        "Nobody has measured its small reads and large writes yet."
    )
    untested = judge(on_pi_4({"small_reads": 4000}), known_cards=1)
    assert str(untested) == (
        "Not tested for a Raspberry Pi 4 or 400 yet."
        " Cards are ranked by small writes here, and no such measurement of this model counts yet."
    )
    assert judge(on_pi_4({})).details == ()


def test_a_slot_that_limits_a_card_is_named() -> None:
    limit = "The device limits large writes to 46 MB/s; a faster card would make no difference there."
    assert limit in judge(on_pi_4(GOOD | {"large_writes": 46e6})).details
    assert limit not in judge(on_pi_4(GOOD)).details


def test_lost_data_comes_first_and_gives_no_place() -> None:
    fake = CardFinding("smaller", {"kept": [15.5, "GB"], "announced": [256, "GB"]}, cards=1)
    said = judge(
        on_pi_4(GOOD, facts=ModelFacts(lost_data=True, losers=1, judging_people=1)), Summary(findings=(fake,))
    )
    assert said.headline == ("A card of this model lost data in a test.",)
    assert said.details == (
        "Smaller than it claims: it holds only 15.50 GB of 256.00 GB. Anything you save beyond that is lost.",
    )


def test_what_to_beware_of_stands_in_the_headline() -> None:
    doubt = Doubt("known defect: it hangs", "S", "", "", cards=1)
    suspicious = on_pi_4({}, facts=ModelFacts(suspicious=1, cards=4))
    assert judge(suspicious, Summary(doubts=(doubt,)), varies=True).headline == (
        "Beware: 1 of 4 tested cards are suspicious. Not tested for a Raspberry Pi 4 or 400 yet.",
        "Known defect: it hangs.",
        "Beware: different cards are sold under this name.",
    )


@pytest.mark.parametrize("values", [GOOD, {}])
def test_a_card_that_does_not_go_in_is_no_answer_however_good(values: dict[str, float]) -> None:
    assert str(judge(on_pi_4(values, facts=ModelFacts(form="SD")), form="SD")) == (
        "It does not fit a Raspberry Pi 4 or 400. Its form is SD, but the slot accepts only microSD."
    )
