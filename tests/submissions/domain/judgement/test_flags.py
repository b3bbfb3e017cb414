"""What is said of a flag, when silicon changed, and when a flag is taken back."""

import pytest

from submissions.domain.judgement.flags import Changed, Difference, Scatter, changed_in, stays


def test_a_difference_says_itself_in_words() -> None:
    difference = Difference(
        figure="seq_write",
        faster=1,
        slower=2,
        cards=(5, 3),
        submitters=(4, 2),
        ratio=1.8,
        lower_ratio=1.5,
        upper_ratio=2.1,
        firm_ratio=1.6,
        p_value=1e-6,
    )
    assert difference.in_words(figure="Sequential write", faster="SA16G", slower="SD16G") == (
        "Sequential write: 5 cards with SA16G are 1.80 times as fast as 3 cards with SD16G"
        " (95 % sure: 1.50 to 2.10); 4 and 2 people measured them."
    )


def test_scatter_says_what_would_settle_it() -> None:
    sentence = Scatter("seq_write", cards=7, span_ratio=2.04, strength=4.4, p_value=1e-5).in_words(
        figure="Writing"
    )
    assert sentence.startswith("Writing: 7 cards that look alike span a factor of 2.0; that is 4.4 times")
    assert sentence.endswith("More runs would settle it.")


def test_a_change_lies_between_two_months() -> None:
    """2019-03 is month 2019 * 12 + 2."""
    early, late = [24230, 24228, 24225], [24235, 24231]
    assert changed_in(early, late) == changed_in(late, early) == Changed(24230, 24231, 5, 0)
    assert Changed(24230, 24231, 5, 0).in_words() == (
        "It changed between 2019-03 and 2019-04, by the date in 5 cards (0 of them do not fit)."
    )


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
