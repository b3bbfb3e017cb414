"""What is said of a model: how good it is for the purpose of whoever asks."""

from typing import Any

import pytest

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.summary import Doubt
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.pages.content.sentences import Verdict, verdict

WISH = Wish(boards.find("raspberry-pi-4"), uses.find("pi-root"))


def of(lower: float, upper: float, *, form: str = "", **fields: Any) -> Verdict:
    numbers = {"value": (lower + upper) / 2, "lower": lower, "upper": upper, "bound": lower}
    behind = {"state": "solid", "submitters": 2, "trusted": 0, "vouched": 0}
    score = Score(**numbers | behind | fields)
    score.position, score.listed = 3, 20
    return verdict(WISH, CardModel(form=form, known_cards=1), score)


@pytest.mark.parametrize(
    ("lower", "upper", "headline"),
    [
        (100, 140, "Good for a Raspberry Pi 4 or 400."),
        (90, 120, "Probably good enough for a Raspberry Pi 4 or 400."),
        (80, 100, "It may be too slow for a Raspberry Pi 4 or 400."),
        (60, 99, "Too slow for a Raspberry Pi 4 or 400."),
    ],
)
def test_it_says_how_good_a_card_is(lower: float, upper: float, headline: str) -> None:
    assert of(lower, upper).headline == (headline,)


def test_it_says_the_number_by_which_cards_stand() -> None:
    first, *_ = of(120, 180).details
    assert first == "Running the system: at least 1.2× what it needs, likely 1.5×, place 3 of 20."


def test_what_to_beware_of_stands_in_the_headline() -> None:
    doubt = Doubt("known defect: it hangs", "S", "", "", cards=1)
    model = CardModel(varies=True, suspicious_cards=1, known_cards=4)
    assert verdict(WISH, model, None, [doubt]).headline == (
        "Its tests do not tell how good it is for a Raspberry Pi 4 or 400.",
        "Known defect: it hangs.",
        "Beware: different cards are sold under this name.",
        "Beware: 1 of 4 tested cards are suspicious.",
    )


def test_without_a_score_it_says_what_is_missing() -> None:
    assert verdict(WISH, CardModel(known_cards=2), None).details == (
        "Writing matters here, and nobody has measured it in a way that compares with other cards.",
    )
    assert verdict(WISH, CardModel(known_cards=2, form="SD"), None).details == ()


def test_without_a_test_nobody_has_tested_it() -> None:
    assert str(verdict(WISH, CardModel(), None)) == "Nobody has tested it for a Raspberry Pi 4 or 400 yet."


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({}, ()),
        ({"rand_write_4k": {"value": 1000}}, ()),  # twice what is needed: nothing to say
        ({"rand_write_4k": {"value": 250}}, ("Its slowest part: small writes, 250 IOPS.",)),
        (
            {"rand_write_4k": {"value": 1000}, "seq_read": {"value": 44e6}},
            ("The device limits large reads to 44 MB/s; a faster card would feel the same there.",),
        ),
    ],
)
def test_it_says_what_limits_a_card(figures: dict[str, dict[str, float]], words: tuple[str, ...]) -> None:
    assert of(120, 180, figures=figures).details[1:] == words


def test_it_says_how_little_stands_behind_a_guess() -> None:
    early = "Early: tested by fewer than 3 people, or only in another kind of device."
    estimated = "Most of what counts here is estimated: nobody has measured it yet."
    assert of(120, 180, state="early").details[1:] == (early,)
    assert of(120, 180, profile="pi-root", interface="ddr50").details[1:] == (estimated,)


def test_a_claim_is_no_answer_and_says_what_is_awaited() -> None:
    told = of(120, 180, state="claim")
    assert told.headline == ("Nobody has tested it for a Raspberry Pi 4 or 400 yet.",)
    (reason,) = told.details
    assert reason.startswith("Reported by 2 people so far. It gets a place once")


def test_a_card_that_does_not_go_in_is_no_answer_however_good() -> None:
    assert str(of(120, 180, form="SD")) == (
        "It does not go into a Raspberry Pi 4 or 400. Its form is SD, and the slot takes microSD alone."
    )
