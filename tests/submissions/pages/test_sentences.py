"""Sentences for a buyer, each by hand: how much a card kept, and how long it lasts."""

import pytest

from submissions.domain.measuring.health import Left
from submissions.domain.ranking.summary import Trial
from submissions.pages.content import health_curve, kept_capacity


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
