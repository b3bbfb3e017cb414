"""Sentences for a buyer, each by hand: how a card does, what the next one will do, what was kept, how long it lasts."""

import math
from typing import Any

import pytest

from submissions.domain.judgement.revisions import Difference
from submissions.domain.measuring.health import Left
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.summary import Trial
from submissions.domain.ranking.wish import Wish
from submissions.evidence.families import Revision
from submissions.models import Estimate, Score
from submissions.pages import wording
from submissions.pages.content import health_curve, kept_capacity, neighbour, next_card, revision_rows

PI_4 = boards.find("raspberry-pi-4")
WISH = Wish(PI_4, uses.find("pi-root"))


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"rand_write_4k": {"value": 1000}}, "Saves small files 2× as fast as needed."),
        ({"rand_write_4k": {"value": 500}}, "Saves small files 1× as fast as needed."),
        ({"rand_write_4k": {"value": 250}}, "Slow at saving small files: 50\u00a0% of what is needed."),
        (
            {"rand_write_4k": {"value": 1000, "lower": 400, "at_least": True}},
            "Slow at saving small files: 80\u00a0% of what is needed.",
        ),
        (
            {"seq_read": {"value": 80e6}, "rand_read_4k": {"value": 1500}},
            "Finds and opens small files 1× as fast as needed.",  # it weighs more than reading large ones
        ),
        ({}, ""),
    ],
)
def test_how_a_card_does_in_what_weighs_most(figures: dict[str, dict[str, float]], words: str) -> None:
    assert neighbour.sentence(Score(figures=figures), WISH) == words


def next_one(figure: str, low: float, high: float, slow: float = 0.0, *, at_least: bool = False) -> str:
    ends = {"card_low": math.log(low), "card_high": math.log(high)}
    return " ".join(
        next_card._said(Estimate(figure=figure, **ends, slow_share=slow, at_least=at_least), WISH)
    )


def test_what_the_next_card_will_do() -> None:
    few, many = next_one("rand_write_4k", 400, 600, 0.014), next_one("rand_write_4k", 400, 600, 0.016)
    assert few == "Of 100 cards of it, 95 reach 400 IOPS to 600 IOPS (small writes)."
    assert many == f"{few} About 2 of 100 are slow: less than 80 % of the average."
    least = "Of 100 cards of it, 95 reach at least 400 IOPS (small writes)."
    assert next_one("rand_write_4k", 400, 600, at_least=True) == least
    assert next_one("rand_write_4k", 400, 400) == least
    assert list(next_card._said(Estimate(figure="rand_write_4k"), WISH)) == []


def test_no_card_reaches_more_than_its_slot_carries() -> None:
    cap = wording.amount(PI_4.interface.practical_bytes_per_second or 0, "B/s")
    assert f"95 reach 20 MB/s to {cap} (" in next_one("seq_read", 20e6, 200e6)
    assert f"95 reach at least {cap} (" in next_one("seq_read", 100e6, 200e6)


@pytest.mark.parametrize(
    ("trial", "words", "short"),
    [
        (Trial(0, 8_000_000_000, False), "the card kept nothing.", True),
        (Trial(7.5e9, 8_000_000_000, True), "the card kept all 7.50 GB.", False),
        (Trial(1e9, 8_000_000_000, False), "the card kept 1.00 GB of the 8.00 GB it claims to have.", True),
        (Trial(1e9, None, False), "the card kept 1.00 GB and lost the rest.", True),
    ],
)
def test_how_much_a_card_kept(trial: Trial, words: str, short: bool) -> None:
    assert kept_capacity.tried([trial, trial]) == (
        kept_capacity.Tried(f"A full test showed: {words}", short),
    )


@pytest.mark.parametrize(
    ("shortest", "longest", "words"),
    [
        (730.5, None, "at least another 2.0 years."),
        (730.0, None, "at least another 730 days."),
        (3652.5, 7305, "another 10 to 20 years."),
        (9.5, 3652.5, "another 9.5 to 3652 days."),
    ],
)
def test_how_long_a_card_lasts(shortest: float, longest: float | None, words: str) -> None:
    assert health_curve._words(Left(shortest, longest)) == f"At this rate it lasts {words}"


def revision(cards: int = 4, difference: Difference | None = None) -> revision_rows.Row:
    numbers: dict[str, Any] = {
        "cards": cards,
        "people": 3,
        "median": 1000.0,
        "lowest": 900.0,
        "highest": 1100.0,
    }
    told = Revision(revision="1.1", figure="rand_write_4k", difference=difference, **numbers)
    (row,) = revision_rows.rows([told])
    return row


def test_a_revision_stands_beside_the_usual_one() -> None:
    assert revision() == ("Random write, 4 KiB", "1.1", 4, 3, "1,000 IOPS", "900 IOPS – 1,100 IOPS", "–")
    assert revision(cards=1).spread == "–"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("differs", "2× as good (95 % sure: 1.5× to 3×)"),
        ("alike", "alike: 2× (95 % sure: 1.5× to 3×)"),
        ("cannot tell", "cannot tell: 1.5× to 3×"),
    ],
)
def test_a_difference_is_told_with_how_sure_it_is(state: str, words: str) -> None:
    assert revision(difference=Difference(state=state, ratio=2, low=1.5, high=3)).difference == words
    unknown = revision(difference=Difference(state="cannot tell")).difference
    assert unknown == "cannot tell: it takes three cards of two people on both sides"
