"""What is a claim, how much stands behind a score, and what would settle it."""

import numpy as np
import pytest

from submissions.domain.judgement.claims import People, line, state


@pytest.mark.parametrize(
    ("submitters", "trusted", "vouched", "word"),
    [
        (2, 2, 0, "early"),
        (3, 3, 0, "ranked"),
        (7, 7, 0, "ranked"),
        (8, 8, 0, "solid"),
        # Newcomers may all be one person.
        (3, 0, 0, "ranked"),
        (100, 0, 0, "ranked"),
        (100, 5, 0, "solid"),
        (100, 4, 0, "ranked"),
        # The operator is one more behind a source that he vouches for.
        (1, 1, 1, "early"),
        (2, 2, 1, "ranked"),
        (2, 2, 2, "ranked"),
    ],
)
def test_how_many_independent_people_stand_behind_it(
    submitters: int, trusted: int, vouched: int, word: str
) -> None:
    people = People(submitters, trusted, vouched)
    assert state(people, covered=1, value=100.0, line=None) == word
    assert state(people, covered=0, value=100.0, line=None) == "early"


def test_what_would_stand_among_the_best_waits_for_trusted_people() -> None:
    untrusted = People(20, 0)
    assert state(untrusted, covered=1, value=300.0, line=200.0) == "claim"
    assert state(untrusted, covered=1, value=200.0, line=200.0) == "claim"
    assert state(untrusted, covered=1, value=199.0, line=200.0) == "ranked"
    assert untrusted.awaited == 3


@pytest.mark.parametrize(
    ("people", "awaited"),
    [(People(1, 0), 3), (People(2, 1), 2), (People(4, 3), 0), (People(9, 5), 0), (People(2, 1, 1), 0)],
)
def test_three_trusted_people_or_one_vouched_source_settle_it(people: People, awaited: int) -> None:
    assert people.awaited == awaited
    assert (state(people, covered=1, value=300.0, line=200.0) == "claim") == bool(awaited)


def test_the_line_is_drawn_by_what_is_settled_alone() -> None:
    values, settled = np.array([100.0, 200, 300, 400, 9e9, 9e9]), np.array([True] * 4 + [False] * 2)
    assert line(values, settled) == pytest.approx(300.0)
    assert line(values, np.zeros(6, dtype=bool)) is None
