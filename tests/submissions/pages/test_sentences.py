"""The sentence for buyers about how long a card lasts, worked out by hand."""

import pytest

from submissions.domain.measuring.health import RemainingDays
from submissions.pages.content import health_curve


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
    assert health_curve._words(RemainingDays(shortest, longest)) == f"At this rate, it will last {words}"
