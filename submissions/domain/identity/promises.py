"""What the marks on a card promise, beside what was found. Rows of PROMISES; a new mark is one row.

Classes promise least values in operations or bytes per second, as the SD Association writes them: application
classes for random access (Part 1, 4.16), speed, UHS and video classes for sequential writing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

MB: Final = 1_000_000.0


@dataclass(frozen=True, slots=True)
class Promise:
    """`facet`: which class it belongs to, `level`: its number there. `least` in the base unit of the figure."""

    mark: str
    facet: str
    level: int
    figure: str
    least: float


@dataclass(frozen=True, slots=True)
class Finding:
    """`verdict`: kept or broken when the whole interval says so, open when it does not, unknown when nothing was
    measured. `found`: value, lower and upper as the score has them, or None."""

    promise: Promise
    verdict: Literal["kept", "broken", "open", "unknown"]
    found: Mapping[str, Any] | None


# A2 holds with a command queue and a cache that the host uses, so it is held against queue depth 32.
PROMISES: Final = (
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


def findings(
    classes: Mapping[str, int | None], figures: Mapping[str, Mapping[str, Any]]
) -> tuple[Finding, ...]:
    """For the classes a card claims (facet -> number): each promise beside its figure."""
    claimed = (promise for promise in PROMISES if classes.get(promise.facet) == promise.level)
    return tuple(_finding(promise, figures.get(promise.figure)) for promise in claimed)


def _finding(promise: Promise, found: Mapping[str, Any] | None) -> Finding:
    if found is None:
        return Finding(promise, "unknown", None)
    lower, upper = found.get("lower", found["value"]), found.get("upper", found["value"])
    if lower >= promise.least:
        return Finding(promise, "kept", found)
    if upper < promise.least and not found.get("at_least"):
        return Finding(promise, "broken", found)
    return Finding(promise, "open", found)


def broken(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(one for one in found if one.verdict == "broken")
