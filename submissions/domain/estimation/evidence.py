"""The input of the estimation: believable values of some models, or of all, which are numbered from 0."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability to estimate.

    is_linked       the link of a host limits it
    group           the kind of slot; abilities of different groups say nothing about each other
    level, spread   the usual log value before anything was measured, and the standard deviation of models around it
    is_read         a page cache makes it faster
    queue_of        the same ability without a command queue, if this is the one with it; else ""
    """

    name: str
    is_linked: bool
    group: str
    level: float
    spread: float
    is_read: bool = False
    queue_of: str = ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The abilities by number, and for each method its name and the number of the ability that it measures."""

    abilities: tuple[Ability, ...]
    methods: tuple[str, ...]
    ability_of_method: tuple[int, ...]

    def find_abilities(self, method: Index) -> Index:
        """Return the numbers of the abilities that these methods measure."""
        return np.array(self.ability_of_method)[method]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A row for each believable value. Models, cards and people are numbers from 0.

    method       its number in the catalogue
    host         its number in the last full fit; a host that the fit does not know has a number below 0, one for each
    network      the network of the sender as a number, -1 if it is not known
    week         the week of arrival as a number, -1 if it is not known, as of published tables
    ignorance    how little is known of the person, 0 (vouched for) to 3 (a stranger); this model has no part in it
    log_value    natural log of the value in its base unit, more is better
    log_reach    log of the rate that the link reaches, inf if nothing limits the method, nan if it is not known
    age_years    how old the value is, 0 if that is not known
    report       the number of its report, for counts
    """

    models: int
    model: Index
    card: Index
    method: Index
    host: Index
    person: Index
    network: Index
    week: Index
    ignorance: Index
    log_value: Floats
    log_reach: Floats
    age_years: Floats
    report: Index

    def __len__(self) -> int:
        return len(self.model)

    def where(self, keep: Mask | Index) -> "Evidence":
        """Return some of the rows."""
        columns = {name: getattr(self, name)[keep] for name in _COLUMNS}
        return Evidence(models=self.models, **columns)


_COLUMNS = tuple(column.name for column in fields(Evidence) if column.name != "models")
