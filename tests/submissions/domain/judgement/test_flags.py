"""When silicon changed, and when a flag is taken back."""

import pytest

from submissions.domain.judgement.flags import Changed, changed_in, stays


def test_a_change_lies_between_two_months() -> None:
    """2019-03 is month 2019 * 12 + 2."""
    early, late = [24230, 24228, 24225], [24235, 24231]
    assert changed_in(early, late) == changed_in(late, early) == Changed(24230, 24231, 5, 0)


def test_one_exception_in_ten_is_forgiven() -> None:
    early, late = [10, 11, 12, 13, 14], [20, 21, 22, 23, 5]
    assert changed_in(early, late) == Changed(14, 20, 10, 1)
    assert changed_in([10, 11, 12, 13], [20, 21, 22, 5]) is None


@pytest.mark.parametrize(("before", "after"), [([1, 2], [3]), ([], []), ([1, 9, 1, 9], [2, 8, 2, 8])])
def test_without_a_clear_month_nothing_is_said(before, after) -> None:
    assert changed_in(before, after) is None


@pytest.mark.parametrize(
    ("cards", "lower_ratio", "kept"), [(12, 1.0, True), (13, 1.0, False), (13, 1.12, True)]
)
def test_a_flag_falls_only_after_more_cards_that_speak_against_it(cards, lower_ratio, kept) -> None:
    assert stays(10, cards=cards, lower_ratio=lower_ratio) is kept
