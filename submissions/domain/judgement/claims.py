"""Claims: scores that would change an answer, and rest on people who are not trusted (see `reputation`).

A model that trusted people have not measured may be placed anywhere below the best third of those they have. Above that
line it is a claim: shown with its reason, outside the order, until three trusted people have measured it, too, or one
source that the operator vouches for. Their results count then, whatever was claimed.
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.judgement.reputation import AGREEING_PEOPLE
from submissions.domain.judgement.robust import Floats, Mask

CLAIM = "claim"
# The line is drawn at this share of the settled models: a little below the best quarter, which is what is promised.
_LINE = 2 / 3
RANKED_FROM_PEOPLE, SOLID_FROM_PEOPLE = 3, 8
# Untrusted people may all be one person: they never count as more than so many, which is enough for "ranked".
_MOST_UNTRUSTED = RANKED_FROM_PEOPLE


@dataclass(frozen=True, slots=True)
class People:
    """Numbers of people behind a score: all `submitters`, the `trusted` of them, and the `vouched` of these."""

    submitters: int
    trusted: int
    vouched: int = 0

    @property
    def awaited(self) -> int:
        """Return how many more trusted people would settle a claim."""
        return 0 if self.vouched else max(AGREEING_PEOPLE - self.trusted, 0)

    @property
    def voices(self) -> int:
        """Return how many independent people that is. The operator is one more behind each vouched source."""
        return self.trusted + self.vouched + min(self.submitters - self.trusted, _MOST_UNTRUSTED)


def state(people: People, *, covered: int, value: float, line: float | None) -> str:
    """What a score is: claim, early, ranked or solid. `covered`: how many of its figures were measured in slots of its
    class; `line`: of its purpose and slot, None where nothing is established."""
    if line is not None and people.awaited and value >= line:
        return CLAIM
    if not covered or people.voices < RANKED_FROM_PEOPLE:
        return "early"
    return "solid" if people.voices >= SOLID_FROM_PEOPLE else "ranked"


def line(values: Floats, settled: Mask) -> float | None:
    """Return the value from which on a model needs trusted people; None where no model is settled."""
    return float(np.quantile(values[settled], _LINE)) if settled.any() else None
