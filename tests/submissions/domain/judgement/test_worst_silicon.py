"""Which silicons of a model count, and by which of them it is ranked."""

import pytest

from submissions.domain.judgement.worst_silicon import worst_substantial


def test_a_model_is_ranked_by_its_worst_variant_that_counts() -> None:
    """Of 20 cards 15 % are 3; the two odd ones do not count."""
    assert worst_substantial({7: 15, 8: 3, 9: 2}, {7: 1.0, 8: 0.5, 9: 0.1}) == 8


def test_of_two_cards_each_counts() -> None:
    assert worst_substantial({7: 1, 8: 1}, {7: 1.0, 8: 0.5}) == 8


def test_without_cards_there_is_no_worst_variant() -> None:
    with pytest.raises(ValueError, match="without cards"):
        worst_substantial({}, {})
