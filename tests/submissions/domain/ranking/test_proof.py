"""Tests of the proof of a figure: how many independent voices are behind it, and whether any is known."""

import numpy as np
import pytest

from submissions.domain.ranking.proof import LEAST_FOR_PLACE, Proof, grade_proofs


@pytest.mark.parametrize(
    ("voices", "known", "runs", "proof"),
    [
        (1, 0, 50, Proof.STRANGER),
        (2, 0, 2, Proof.STRANGERS),
        (1, 1, 2, Proof.SOURCE),
        (1, 1, 3, Proof.REPEATED),
        (2, 1, 2, Proof.CONFIRMED),
        (9, 3, 9, Proof.CONFIRMED),
    ],
)
def test_it_works(voices: int, known: int, runs: int, proof: Proof) -> None:
    columns = {"voices": voices, "known_people": known, "runs": runs}
    graded = grade_proofs(**{name: np.array([count]) for name, count in columns.items()})
    assert graded.tolist() == [proof]


def test_one_stranger_alone_is_too_little_for_a_place() -> None:
    assert [proof for proof in Proof if proof < LEAST_FOR_PLACE] == [Proof.STRANGER]
