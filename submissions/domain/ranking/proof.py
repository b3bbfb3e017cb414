"""Grade the proof of a figure: how many independent voices are behind it, and whether any of them is known.

A voice is a person, or several people who may be one; a known voice has a record of confirmed results or is vouched
for.
"""

from enum import IntEnum

import numpy as np

from submissions.domain.estimation.evidence import Index

# The least number of runs of one source that count as repeats.
LEAST_REPEATS = 3


class Proof(IntEnum):
    """The proof of a figure, the weakest first, as numbers that are stored.

    A voice is a person, or several people who may be one (domain/estimation/people.py). STRANGER: one unknown voice.
    STRANGERS: several unknown voices. SOURCE: one known voice, without repeats. REPEATED: one known voice, with
    repeats. CONFIRMED: several voices, at least one of them known.
    """

    STRANGER = 1
    STRANGERS = 2
    SOURCE = 3
    REPEATED = 4
    CONFIRMED = 5


# The least proof with which a model has a rank: one report of an unknown person is not enough.
LEAST_FOR_PLACE = Proof.STRANGERS


def grade_proofs(*, voices: Index, known_people: Index, runs: Index) -> Index:
    """Return the proof of each figure, given its number of voices, of known people and of runs.

    A voice is a person, or several people who may be one. Every figure must have been measured.
    """
    several, is_known = voices > 1, known_people > 0
    alone = np.where(runs >= LEAST_REPEATS, Proof.REPEATED, Proof.SOURCE)
    by_known = np.where(several, Proof.CONFIRMED, alone)
    proofs: Index = np.where(is_known, by_known, np.where(several, Proof.STRANGERS, Proof.STRANGER))
    return proofs
