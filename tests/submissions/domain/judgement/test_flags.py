"""When a flag is taken back."""

import pytest

from submissions.domain.judgement.flags import stays


@pytest.mark.parametrize(
    ("cards", "lower_ratio", "kept"), [(12, 1.0, True), (13, 1.0, False), (13, 1.12, True)]
)
def test_a_flag_falls_only_after_more_cards_that_speak_against_it(cards, lower_ratio, kept) -> None:
    assert stays(10, cards=cards, lower_ratio=lower_ratio) is kept
