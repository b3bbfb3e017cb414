"""Check the promises of the marks on a card against measured abilities. A new mark is a row of data/promises.csv.

Classes promise minimum values in operations or bytes per second, as the SD Association defines them: application
classes for random access (Part 1, 4.16), speed, UHS and video classes for sequential writing. A2 applies to a host that
uses the command queue and the cache of the card, so it is checked with commands in the queue.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from submissions.domain import tables


class Promise(NamedTuple):
    """The promise of a class of cards: at least `least` in an ability, in the base unit of the ability.

    `facet`: the kind of class; `level`: its number.
    """

    mark: str
    facet: str
    level: int
    ability: str
    least: float


class Reached(NamedTuple):
    """The estimate of an ability of a model in its base unit, with its 95 % interval.

    `at_least`: the bus was the limit, so the value is only a lower bound.
    """

    value: float
    lower: float
    upper: float
    at_least: bool = False


class PromiseCheck(NamedTuple):
    """The verdict on the promise of a class of cards.

    It is kept or broken if the whole interval of the ability is above or below the promise, open if the interval
    contains the promise, and unknown if the ability was not measured.
    """

    promise: Promise
    verdict: Literal["kept", "broken", "open", "unknown"]
    reached: Reached | None


PROMISES = tuple(
    Promise(row["mark"], row["facet"], int(row["level"]), row["ability"], float(row["least"]))
    for row in tables.rows("promises")
)


def check_promises(
    classes: Mapping[str, int | None], reached: Mapping[str, Reached]
) -> tuple[PromiseCheck, ...]:
    """Check every promise of the classes that a card claims, by its measured abilities.

    `classes`: kind of class -> the number that the card claims; `reached`: the estimate of each measured ability by
    name.
    """
    claimed = (promise for promise in PROMISES if classes.get(promise.facet) == promise.level)
    return tuple(_check(promise, reached.get(promise.ability)) for promise in claimed)


def _check(promise: Promise, reached: Reached | None) -> PromiseCheck:
    if reached is None:
        return PromiseCheck(promise, "unknown", None)
    if reached.lower >= promise.least:
        return PromiseCheck(promise, "kept", reached)
    if reached.upper < promise.least and not reached.at_least:
        return PromiseCheck(promise, "broken", reached)
    return PromiseCheck(promise, "open", reached)
