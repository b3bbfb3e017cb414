"""The input of the estimation: the believable values of some or all models, as columns.

Models, cards and people are numbers from 0.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability to estimate: a property by which cards are compared, such as the rate of small writes.

    is_linked       the bus between host and card limits the ability
    group           the kind of slot; abilities of different groups say nothing about each other
    level, spread   the usual log value before anything was measured, and the standard deviation of models around it
    is_read         a page cache makes the ability faster
    queue_of        if a command queue is part of the ability: the name of the same ability without the queue; else ""
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
    """The abilities, and the names of the methods that measure them, both by number.

    `ability_of_method`: for each method the number of the ability that it measures.
    """

    abilities: tuple[Ability, ...]
    methods: tuple[str, ...]
    ability_of_method: tuple[int, ...]

    def find_abilities(self, method: Index) -> Index:
        """Return the number of the ability that each of these methods measures."""
        return np.array(self.ability_of_method)[method]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The believable values as columns, a row for each value. Models, cards and people are numbers from 0.

    method       the number of the method in the catalogue
    host         the number of the host in the last full fit; below 0, one number each, for hosts that it does not know
    network      the network of the sender as a number, -1 if not known
    week         the week in which the report arrived as a number, -1 if not known, as for published tables
    ignorance    how little is known of the person, from 0 (vouched for) to 3 (a stranger, without a record of confirmed
                 results); values of this model do not count for the record
    log_value    natural log of the value in its base unit, more is better
    log_reach    log of the rate that the bus of the host reaches, inf if nothing limits the method, nan if not known
    age_years    age of the value, 0 if not known
    report       the number of the report, by which reports are counted
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
        """Return the evidence with only these rows."""
        columns = {name: getattr(self, name)[keep] for name in _COLUMNS}
        return Evidence(models=self.models, **columns)


_COLUMNS = tuple(column.name for column in fields(Evidence) if column.name != "models")
