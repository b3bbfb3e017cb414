"""Dataclasses of columns below each other, and apart again."""

from dataclasses import dataclass

import numpy as np
import pytest

from submissions.domain.judgement.columns import joined, parted


@dataclass(frozen=True, eq=False)
class Cards:
    """`model` is one shorter, as what is counted per model is shorter than what is counted per card."""

    card: np.ndarray
    model: np.ndarray


ONE, TWO = Cards(np.array([1, 2]), np.array([7])), Cards(np.array([3, 4]), np.array([8]))


def test_it_works() -> None:
    every = joined([ONE, TWO])
    assert (every.card.tolist(), every.model.tolist()) == ([1, 2, 3, 4], [7, 8])


def test_what_was_joined_comes_apart_again() -> None:
    first, second = parted(joined([ONE, TWO]), 2)
    assert (first.card.tolist(), first.model.tolist()) == ([1, 2], [7])
    assert (second.card.tolist(), second.model.tolist()) == ([3, 4], [8])


def test_pieces_that_are_not_equal_are_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        parted(ONE, 2)
