"""What is said of a model: how good it is for the purpose of whoever asks."""

import pytest

from submissions.domain.ranking import boards, profiles
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.pages.content.verdict import verdict

WISH = Wish(boards.find("raspberry-pi-4"), profiles.find("pi-root"))


def first_sentence(lower: float, upper: float) -> str:
    score = Score(value=(lower + upper) / 2, lower=lower, upper=upper, state="solid")
    score.position, score.listed = 3, 20
    return verdict(WISH, CardModel(), score)[0]


@pytest.mark.parametrize(
    ("lower", "upper", "beginning"),
    [
        (
            100,
            140,
            "It does more than this purpose asks for in a Raspberry Pi 4 or 400: score 120 (100 to 140)",
        ),
        (80, 100, "It may just do for this purpose in a Raspberry Pi 4 or 400: score 90 (80 to 100)"),
        (
            60,
            99,
            "It falls short of what this purpose asks for in a Raspberry Pi 4 or 400: score 80 (60 to 99)",
        ),
    ],
)
def test_it_says_how_good_a_card_is(lower: float, upper: float, beginning: str) -> None:
    assert first_sentence(lower, upper) == f"{beginning}, place 3 of 20."


def test_without_a_score_nobody_has_measured_it() -> None:
    assert verdict(WISH, CardModel(), None) == ["Nobody has measured yet what this purpose asks for."]
