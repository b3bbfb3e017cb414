"""Check the promises of the marks on a card against measured abilities. A new mark is one row of data/promises.csv.

Classes promise minimum values in operations or bytes per second, as the SD Association writes them: application
classes for random access (Part 1, 4.16), speed, UHS and video classes for sequential writing. A2 holds with a command
queue and a cache that the host uses, so it is checked with commands in the queue.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from submissions.domain import tables


class Promise(NamedTuple):
    """A promise of the class `facet` with the number `level`: at least this in an ability, in its base unit."""

    mark: str
    facet: str
    level: int
    ability: str
    least: float


class Reached(NamedTuple):
    """An ability of a model in its base unit, with its 95 % interval; `at_least` if links hid how good it is."""

    value: float
    lower: float
    upper: float
    at_least: bool = False


class PromiseCheck(NamedTuple):
    """The verdict on a promise: kept or broken if the whole interval says so, open if not, unknown if unmeasured."""

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
    """Check every promise of the classes that a card claims (facet -> number) by its abilities."""
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
