"""What the marks on a card promise, beside what was measured. Rows of PROMISES; a new mark is one row.

Classes promise least values in operations or bytes per second, as the SD Association writes them: application
classes for random access (Part 1, 4.16), speed, UHS and video classes for sequential writing.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

MB = 1_000_000.0


class Promise(NamedTuple):
    """`facet`: which class it belongs to, `level`: its number there. `least` in the base unit of the figure."""

    mark: str
    facet: str
    level: int
    figure: str
    least: float


class PromiseCheck(NamedTuple):
    """`verdict`: kept or broken when the whole interval says so, open when it does not, unknown when nothing was
    measured. `measured`: value, lower and upper as the score has them, or None."""

    promise: Promise
    verdict: Literal["kept", "broken", "open", "unknown"]
    measured: Mapping[str, Any] | None


# A2 holds with a command queue and a cache that the host uses, so it is held against queue depth 32.
PROMISES = (
    Promise("A1", "app_perf_class", 1, "rand_read_4k", 1500),
    Promise("A1", "app_perf_class", 1, "rand_write_4k", 500),
    Promise("A2", "app_perf_class", 2, "rand_read_4k_qd32", 4000),
    Promise("A2", "app_perf_class", 2, "rand_write_4k_qd32", 2000),
    *(Promise(f"C{level}", "speed_class", level, "seq_write", level * MB) for level in (2, 4, 6, 10)),
    *(Promise(f"U{level}", "uhs_speed_grade", level, "seq_write", level * 10 * MB) for level in (1, 3)),
    *(
        Promise(f"V{level}", "video_speed_class", level, "seq_write", level * MB)
        for level in (6, 10, 30, 60, 90)
    ),
)


def checks(
    classes: Mapping[str, int | None], figures: Mapping[str, Mapping[str, Any]]
) -> tuple[PromiseCheck, ...]:
    """Every promise of the classes that a card claims (facet -> number), each with its figure."""
    claimed = (promise for promise in PROMISES if classes.get(promise.facet) == promise.level)
    return tuple(_check(promise, figures.get(promise.figure)) for promise in claimed)


def _check(promise: Promise, figure: Mapping[str, Any] | None) -> PromiseCheck:
    if figure is None:
        return PromiseCheck(promise, "unknown", None)
    lower, upper = figure.get("lower", figure["value"]), figure.get("upper", figure["value"])
    if lower >= promise.least:
        return PromiseCheck(promise, "kept", figure)
    if upper < promise.least and not figure.get("at_least"):
        return PromiseCheck(promise, "broken", figure)
    return PromiseCheck(promise, "open", figure)
