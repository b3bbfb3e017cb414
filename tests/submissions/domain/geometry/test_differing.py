"""Tests of the search for geometry that differs between cards of one model, in readings of high confidence."""

from submissions.domain.geometry import Reading
from submissions.domain.geometry.differing import find_differing

MIB = 1024**2


def cards(count: int, value: int, *, first: int = 0, submitters: int = 2, confidence: float = 12.0):
    return [
        Reading(first + card, first + card % submitters, "erase_block_size", value, "", confidence)
        for card in range(count)
    ]


def test_it_works() -> None:
    (difference,) = find_differing(cards(5, 4 * MIB) + cards(2, 6 * MIB, first=10))
    assert difference.values == (4 * MIB, 6 * MIB)
    assert difference.cards_with == (5, 2)


def test_agreement_is_no_difference() -> None:
    assert find_differing(cards(9, 4 * MIB)) == ()


def test_one_card_does_not_flag_a_model() -> None:
    assert find_differing(cards(5, 4 * MIB) + cards(1, 6 * MIB, first=10)) == ()


def test_one_submitter_does_not_flag_a_model() -> None:
    assert find_differing(cards(5, 4 * MIB) + cards(4, 6 * MIB, first=10, submitters=1)) == ()


def test_what_was_not_read_with_confidence_does_not_count() -> None:
    assert find_differing(cards(5, 4 * MIB) + cards(4, 6 * MIB, first=10, confidence=8.9)) == ()
    assert find_differing(cards(5, 4 * MIB) + cards(4, 6 * MIB, first=10, confidence=9.0))


def test_a_few_of_many_cards_may_be_wrong_readings() -> None:
    """Two of 20 cards are fewer than 15 %, three of 20 are not."""
    assert find_differing(cards(18, 4 * MIB) + cards(2, 6 * MIB, first=30)) == ()
    assert len(find_differing(cards(17, 4 * MIB) + cards(3, 6 * MIB, first=30))) == 1


def test_a_card_counts_once_by_its_surest_reading() -> None:
    again = cards(5, 6 * MIB, confidence=10.0)
    assert find_differing(cards(5, 4 * MIB, confidence=12.0) + again) == ()


def test_a_less_sure_reading_of_a_card_does_not_hide_its_surest() -> None:
    doubted = cards(2, 4 * MIB, first=10, confidence=10.0)
    (difference,) = find_differing(cards(5, 4 * MIB) + cards(2, 6 * MIB, first=10) + doubted)
    assert difference.cards_with == (5, 2)


def test_of_two_readings_as_sure_the_smaller_counts() -> None:
    twice = [Reading(card, card, "page_size", size, "", 12.0) for card in range(5) for size in (4, 6)]
    others = [Reading(10 + card, card, "page_size", 4, "", 12.0) for card in range(2)]
    assert find_differing([*twice, *others]) == find_differing([*others, *reversed(twice)]) == ()
