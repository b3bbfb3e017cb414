"""Arrange the measurements of one run as the tables of flashbench, without failed and impossible measurements."""

from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from submissions.domain.measuring.normalize import Measured

Rates = dict[int, float]  # block size in bytes -> bytes per second


class AlignTable(NamedTuple):
    """The costs of crossing boundaries.

    `diffs`: alignment in bytes -> additional ns; `access_ns`: duration of a read that crosses no boundary.
    """

    block_size_bytes: int
    diffs: dict[int, float]
    access_ns: float


class FatTable(NamedTuple):
    """The write rates of the leading erase blocks.

    `rates`: number of the erase block from 0 -> rates by block size; `erase_size_bytes`: the erase block that the tool
    assumed, None if it states none or several.
    """

    erase_size_bytes: int | None
    rates: dict[int, Rates]


def align_table(measured: Iterable[Measured]) -> AlignTable | None:
    """Return the align table with the smallest blocks, which shows the smallest boundaries; None if there is none."""
    rows = [row for row in measured if row.workload == "align"]
    if not rows:
        return None
    block = min(row.parameters["block_size_bytes"] for row in rows)
    rows = [row for row in rows if row.parameters["block_size_bytes"] == block]
    broken = {row.parameters["align_bytes"] for row in rows if not _holds(row)}
    diffs = {
        row.parameters["align_bytes"]: row.value
        for row in rows
        if row.metric == "align_diff" and row.value is not None
    }
    beside = [row.value for row in rows if row.metric in ("align_pre", "align_post") and row.value]
    sound = {align: diff for align, diff in sorted(diffs.items()) if align not in broken}
    return AlignTable(block, sound, median(beside) if beside else 0.0)


def open_au_tables(measured: Iterable[Measured], order: str) -> dict[int, Rates]:
    """Return the write rates by block size for each number of allocation units that were written in turn.

    `order`: sequential or random.
    """
    table: dict[int, Rates] = {}
    for row in measured:
        if row.workload == "open-au" and _is_rate(row) and row.parameters["order"] == order:
            table.setdefault(row.parameters["open_au"], {})[row.parameters["block_size_bytes"]] = _value(row)
    return dict(sorted(table.items()))


def open_au_size(measured: Iterable[Measured]) -> int | None:
    """Return the bytes that the tool assumed for an allocation unit; None if it states none, or tried several sizes."""
    sizes = {row.parameters.get("erase_size_bytes") for row in measured if row.workload == "open-au"}
    return sizes.pop() if len(sizes) == 1 else None


def fat_table(measured: Iterable[Measured]) -> FatTable | None:
    """Return the find-fat table; None if nothing was measured for it."""
    rows = [row for row in measured if row.workload == "fat" and _is_rate(row)]
    random = [row for row in rows if row.parameters.get("order") == "random"]
    rows = random or rows  # scattered writes show whether an area is special
    rates: dict[int, Rates] = {}
    for row in rows:
        block = rates.setdefault(row.parameters["erase_block_index"], {})
        block[row.parameters["block_size_bytes"]] = _value(row)
    sizes = {row.parameters.get("erase_size_bytes") for row in rows}
    return FatTable(sizes.pop() if len(sizes) == 1 else None, dict(sorted(rates.items()))) if rows else None


def _is_rate(row: Measured) -> bool:
    return row.metric == "throughput" and _holds(row) and _value(row) > 0


def _holds(row: Measured) -> bool:
    return row.value is not None and row.verdict not in ("failed", "impossible")


def _value(row: Measured) -> float:
    assert row.value is not None
    return row.value
