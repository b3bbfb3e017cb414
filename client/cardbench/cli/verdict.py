"""Describe the strengths and weaknesses of a card, and compare it with a typical card.

Thresholds are the promises of the SD Association: speed class 10 and V30 (10 and 30 MB/s written in order), application
performance classes A1 and A2 (1500 and 4000 random reads, 500 and 2000 random writes of 4 KiB per second).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any

from cardbench.api import Session
from cardbench.errors import ServerNotReached, ServerRefused
from cardbench.measuring.diagnosis import REPLACE, UNLOCK
from cardbench.shapes import JsonMapping
from cardbench.sizes import KIB, MIB, Quantity

_ENOUGH_ROWS = 400  # most measurements read from a server to find a typical card


@dataclass(frozen=True)
class Yardstick:
    """A figure to judge a card by: its name on the server, its limits `weak` and `good`, and the words for each."""

    figure: str
    title: str
    metric: str
    direction: str
    order: str
    block_size_bytes: int
    weak: float
    weak_words: str
    good: float
    good_words: str

    def value(self, report: JsonMapping) -> float | None:
        """Return the median of the figure in a report; None if it was not measured one at a time with direct I/O."""
        repeats = self.repeats(report)
        return float(median(repeats)) if repeats else None

    def repeats(self, report: JsonMapping) -> list[float]:
        """Return all repeats of the figure in a report that were measured one at a time with direct I/O."""
        wanted = {
            "direction": self.direction,
            "order": self.order,
            "block_size_bytes": self.block_size_bytes,
            "queue_depth": 1,
            "io": "direct",
            "sync": "none",
        }
        for row in report.get("measurements", ()):
            is_ours = (row.get("workload"), row.get("metric")) == ("stream", self.metric)
            if is_ours and row.get("values") and wanted.items() <= row.get("parameters", {}).items():
                return [Quantity(value, row["unit"]).base for value in row["values"]]
        return []


YARDSTICKS = (
    Yardstick(
        "seq_read", "Sequential reads", "throughput", "read", "sequential", MIB,
        10e6, "copying files from it takes a long time", 40e6, "copying files from it is fast",
    ),
    Yardstick(
        "seq_write", "Sequential writes", "throughput", "write", "sequential", MIB,
        10e6, "too slow for video: even speed class 10 promises 10 MB/s",
        30e6, "fast enough for 4K video (V30 promises 30 MB/s)",
    ),
    Yardstick(
        "rand_read_4k", "Random reads", "iops", "read", "random", 4 * KIB,
        1500, (
            "programs start slowly (A1 promises 1500 per second)"
        ), 4000, "good for a system disk (as A2 promises)",
    ),
    Yardstick(
        "rand_write_4k", "Random writes", "iops", "write", "random", 4 * KIB,
        500, (
            "updates and databases are very slow (A1 promises 500 per second)"
        ), 2000, "good for databases (as A2 promises)",
    ),
)  # fmt: skip
_FEW_UNITS, _MANY_UNITS = 1, 5
_SURE = 0.99


# errno values of a failing device, rather than of an impossible request.
_ERRORS = frozenset({"EIO", "EREMOTEIO", "EILSEQ", "ENODATA", "EROFS"})
_GONE = frozenset({"ETIMEDOUT", "ENODEV", "ENOMEDIUM", "ENXIO"})


def trouble(report: JsonMapping) -> str:
    """Return a sentence that says that a card fails, with advice; "" if its report has no errors."""
    failures = [row["failure"] for row in report.get("measurements", ()) if row.get("failure")]
    if last := report.get("extra", {}).get("failure"):
        failures.append(last)
    codes = {failure.get("code") for failure in failures}
    if gone := codes & _GONE:
        return (
            f"This card disappeared or stopped responding during the test ({', '.join(sorted(gone))}). If"
            " nobody pulled it out, copy your files off it, and replace it."
        )
    failed = [failure for failure in failures if failure.get("code") in _ERRORS]
    if not failed:
        return ""
    detail = failed[0].get("detail") or failed[0]["code"]
    times = "once" if len(failed) == 1 else f"{len(failed)} times"
    advice = UNLOCK if "EROFS" in codes else REPLACE
    return f"This card failed {times}. The first error was: {detail.rstrip('.')}. {advice}"


def list_strengths_and_weaknesses(report: JsonMapping) -> Iterator[tuple[str, str]]:
    """Yield "good" or "weak" with a reason for each figure, if all repeats agree and no slow host may be the cause."""
    is_host_slow, is_failing = bool(report.get("run", {}).get("doubts")), bool(trouble(report))
    for stick in YARDSTICKS:
        repeats = stick.repeats(report)
        if repeats and max(repeats) < stick.weak and not is_host_slow:
            yield "weak", f"{stick.title.lower()}: {stick.weak_words}"
        if repeats and min(repeats) >= stick.good and not is_failing:
            yield "good", f"{stick.title.lower()}: {stick.good_words}"
    yield from _units(report)
    yield from _capacity(report)


def _units(report: JsonMapping) -> Iterator[tuple[str, str]]:
    for row in report.get("measurements", ()):
        if row.get("metric") != "open_au_random":
            continue
        if report.get("extra", {}).get("geometry", {}).get(row["metric"], {}).get("confidence", 0) < _SURE:
            continue
        none = row.get("failure", {}).get("code") == "none_found"
        count = row["values"][0] if row.get("values") else 0 if none else None
        if count is not None and count <= _FEW_UNITS:
            yield (
                "weak",
                "several programs writing at once: the card slows down as soon as a second program writes",
            )
        if count is not None and count >= _MANY_UNITS:
            yield "good", f"several programs writing at once: the card stays fast with {count:.0f} at a time"


def _capacity(report: JsonMapping) -> Iterator[tuple[str, str]]:
    for row in report.get("measurements", ()):
        kind = row.get("parameters", {}).get("capacity_kind")
        if row.get("workload") == "capacity" and kind not in (None, "good"):
            yield "weak", "storing data: it holds less than it claims"


# Field of a model on a server, the value that speaks against the model, and a sentence about it.
_AGAINST = (
    ("lost_data", True, "A card of this model lost data in a test."),
    ("varies", True, "Different cards are sold under this model's name."),
    ("is_sold", False, "Shops no longer sell this model."),
)


def find_warnings(site: Session, report: JsonMapping) -> list[str]:
    """Return the server's warnings about the model on the label as sentences; none if it cannot be reached."""
    label = report.get("card", {}).get("label", {})
    names = ("brand", "line", "capacity_gb")
    if not label.get("brand"):
        return []
    size = f"{label['capacity_gb']:g} GB" if label.get("capacity_gb") else ""
    searched = " ".join(filter(None, (label["brand"], label.get("line"), size)))
    try:
        answer = site.search(searched)
    except (ServerNotReached, ServerRefused):
        return []
    same = [
        model
        for model in (*answer["models"], *answer["untested"])
        if all(_fold(model.get(name)) == _fold(label.get(name)) for name in names)
    ]
    return [sentence for name, value, sentence in _AGAINST if any(model.get(name) is value for model in same)]


def _fold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value or ""


def find_typical_figures(site: Session) -> dict[str, float]:
    """Return the median of real cards on a server for each figure; empty if the server cannot be reached."""
    middles: dict[str, float] = {}
    try:
        for stick in YARDSTICKS:
            rows = islice(site.measurements(figure=stick.figure, simulated=False), _ENOUGH_ROWS)
            values = [float(row["value"]) for row in rows if row.get("value")]
            if values:
                middles[stick.figure] = median(values)
    except (ServerNotReached, ServerRefused):
        return {}
    return middles
