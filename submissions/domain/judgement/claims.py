"""Claims: what would change an answer, and rests on people of whom nothing is known yet.

A model that people with a history have not measured may stand anywhere below the best third of those they have. Above
that line it is a claim: shown with its reason, outside the order, until three people with a history have measured it,
too, or one source that the operator vouches for. What they find then counts, whatever was claimed.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement.reputation import AGREEING_PEOPLE
from submissions.domain.judgement.robust import Floats, Mask

CLAIM = "claim"
# The line is drawn at this share of the settled models: a little below the best quarter, which is what is promised.
_LINE = 2 / 3
RANKED_FROM_PEOPLE, SOLID_FROM_PEOPLE = 3, 8
# Newcomers may all be one person: however many they are, they count as so many. Alone they bring a score to "ranked".
_MOST_NEWCOMERS = RANKED_FROM_PEOPLE


@dataclass(frozen=True, slots=True)
class People:
    """Who stands behind a score. `submitters`: all of them; `known`: those with a history, vouched sources among them;
    `vouched`: sources that the operator vouches for."""

    submitters: int
    known: int
    vouched: int = 0

    @property
    def awaited(self) -> int:
        """How many people with a history would settle a claim."""
        return 0 if self.vouched else max(AGREEING_PEOPLE - self.known, 0)

    @property
    def voices(self) -> int:
        """How many independent people that is. The operator is one more behind what he vouches for."""
        return self.known + self.vouched + min(self.submitters - self.known, _MOST_NEWCOMERS)


def state(people: People, *, covered: int, value: float, line: float | None) -> str:
    """What a score is: claim, early, ranked or solid. `covered`: how many of its figures were measured in slots of its
    class; `line`: of its purpose and slot, None where nothing is established."""
    if line is not None and people.awaited and value >= line:
        return CLAIM
    if not covered or people.voices < RANKED_FROM_PEOPLE:
        return "early"
    return "solid" if people.voices >= SOLID_FROM_PEOPLE else "ranked"


def line(values: Floats, settled: Mask) -> float | None:
    """From which value on a model needs people with a history; None where none was settled by any."""
    known = values[settled]
    return float(np.quantile(known, _LINE)) if len(known) else None
