"""What is said of a model: how good it is for the purpose of whoever asks."""

import pytest

from submissions.domain.ranking import boards, profiles
from submissions.domain.ranking.summary import Doubt
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.pages.content.verdict import Verdict, verdict

WISH = Wish(boards.find("raspberry-pi-4"), profiles.find("pi-root"))


def of(lower: float, upper: float, **fields: object) -> Verdict:
    numbers = {"value": (lower + upper) / 2, "lower": lower, "upper": upper, "bound": lower}
    score = Score(**numbers, state="solid", **fields)
    score.position, score.listed = 3, 20
    return verdict(WISH, CardModel(), score)


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
