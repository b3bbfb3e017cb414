"""Weigh reports of a model's cards that lost data or that have suspicious registers.

A stranger is a person without a record of confirmed results (domain/estimation/people.py). One report of a stranger
neither gives a model a place in a ranking nor takes a place away. The people who count are those with a record, or
everybody if none of the people who report the model has a record. A single stranger among others does not count, and
only the lower part of pages says it. If a quarter of the people who count had a card that lost data, the model has no
place; if fewer had, the seller may be to blame rather than the model, and pages say so first.
"""

from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.evidence import Index
from submissions.evidence.records import LOST, Records, Runs

EXCLUDING_SHARE = 0.25


class Doubts(NamedTuple):
    """Numbers of people who count, of those with a card that lost data (`losers`), and of suspicious cards."""

    people: int = 0
    losers: int = 0
    suspicious_cards: int = 0

    @property
    def excludes(self) -> bool:
        """Return whether so many people had a card that lost data that the model gets no place in a ranking."""
        return self.losers > 0 and self.losers >= EXCLUDING_SHARE * self.people


class Judges(NamedTuple):
    """The people who count when they report a problem of a model, and how many of them must report the same."""

    people: Index
    least: int

    def count(self, reporters: Index) -> int:
        """Return how many of the reporters are people who count, but 0 if they are fewer than `least`."""
        counting = len(np.intersect1d(reporters, self.people))
        return counting if counting >= self.least else 0


def find_judges(of_model: Records) -> Judges:
    """Find the people who count when they report a problem of a model.

    One query if several people measured the model; none in a second call.
    """
    people = np.unique(of_model.runs.person)
    known = of_model.known_people if len(people) > 1 else people
    return Judges(known, 1) if len(known) else Judges(people, 2)


def weigh_doubts(of_model: Records) -> Doubts:
    """Weigh a model's suspicious cards, and the newest capacity test of each card; one query if there is any doubt."""
    runs = of_model.runs
    lossy, suspicious = _newest_losses(runs), runs.where(np.isin(runs.card, of_model.suspicious))
    if not len(lossy) and not len(suspicious):
        return Doubts()
    judges = find_judges(of_model)
    counting = suspicious.where(np.isin(suspicious.person, judges.people))
    return Doubts(
        len(judges.people),
        judges.count(lossy.person),
        len(np.unique(counting.card)) if judges.count(counting.person) else 0,
    )


def _newest_losses(runs: Runs) -> Runs:
    tested = runs.where(runs.lost_data > 0)
    newest = tested.where(np.unique(tested.card, return_index=True)[1])  # runs begin with the newest
    return newest.where(newest.lost_data == LOST)
