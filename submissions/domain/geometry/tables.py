"""Measurements of one run -> the tables that flashbench prints. What failed or cannot be true is left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from submissions.domain.measuring.normalize import Measured

Rates = dict[int, float]  # block size in bytes -> bytes per second


@dataclass(frozen=True, slots=True)
class AlignTable:
    """`diffs`: alignment in bytes -> what crossing such a boundary costs in ns; `access_ns`: of one read beside it."""

    block_size_bytes: int
    diffs: dict[int, float]
    access_ns: float


@dataclass(frozen=True, slots=True)
class FatTable:
    """`rates`: erase block from 0 -> its rates by block size; `erase_size_bytes`: what the tool took for a block."""

    erase_size_bytes: int | None
    rates: dict[int, Rates]


def align_table(measured: Iterable[Measured]) -> AlignTable | None:
    """The align table with the smallest blocks: it shows the smallest boundaries. None when there is none."""
    rows = [one for one in measured if one.workload == "align"]
    if not rows:
        return None
    block = min(one.parameters["block_size_bytes"] for one in rows)
    rows = [one for one in rows if one.parameters["block_size_bytes"] == block]
    broken = {one.parameters["align_bytes"] for one in rows if not _holds(one)}
    diffs = {
        one.parameters["align_bytes"]: one.value
        for one in rows
        if one.metric == "align_diff" and one.value is not None
    }
    beside = [one.value for one in rows if one.metric in ("align_pre", "align_post") and one.value]
    sound = {align: diff for align, diff in sorted(diffs.items()) if align not in broken}
    return AlignTable(block, sound, median(beside) if beside else 0.0)


def open_au_tables(measured: Iterable[Measured], order: str) -> dict[int, Rates]:
    """Number of allocation units written in turn -> rates by block size. `order`: sequential or random."""
    table: dict[int, Rates] = {}
    for one in measured:
        if one.workload == "open-au" and _is_rate(one) and one.parameters["order"] == order:
            table.setdefault(one.parameters["open_au"], {})[one.parameters["block_size_bytes"]] = _value(one)
    return dict(sorted(table.items()))


def open_au_size(measured: Iterable[Measured]) -> int | None:
    """What the tool took for one allocation unit; None when it was not said, or when several were tried."""
    sizes = {one.parameters.get("erase_size_bytes") for one in measured if one.workload == "open-au"}
    return sizes.pop() if len(sizes) == 1 else None


def fat_table(measured: Iterable[Measured]) -> FatTable | None:
    """The find-fat table; None when there is none."""
    rows = [one for one in measured if one.workload == "fat" and _is_rate(one)]
    random = [one for one in rows if one.parameters.get("order") == "random"]
    rows = random or rows  # scattered writes show what is special about an area
    rates: dict[int, Rates] = {}
    for one in rows:
        block = rates.setdefault(one.parameters["erase_block_index"], {})
        block[one.parameters["block_size_bytes"]] = _value(one)
    sizes = {one.parameters.get("erase_size_bytes") for one in rows}
    return FatTable(sizes.pop() if len(sizes) == 1 else None, dict(sorted(rates.items()))) if rows else None


def _is_rate(one: Measured) -> bool:
    return one.metric == "throughput" and _holds(one) and _value(one) > 0


def _holds(one: Measured) -> bool:
    return one.value is not None and one.verdict not in ("failed", "impossible")


def _value(one: Measured) -> float:
    assert one.value is not None
    return one.value
