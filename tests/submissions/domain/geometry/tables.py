"""Tables of flashbench as measurements, and geometry inferred from them and from published logs."""

from pathlib import Path
from typing import Any

import msgspec

from submissions.domain import geometry, report
from submissions.domain.intake.compose import compose
from submissions.domain.measuring import normalize
from submissions.domain.measuring.normalize import Measured
from tests import corpus

KIB, MIB = 1024, 1024**2


def make_measured(
    workload: str, metric: str, value: float | None, *, verdict: str = "ok", **parameters: Any
) -> Measured:
    repeats = () if value is None else (value,)
    return Measured(workload, metric, parameters, repeats, value, None, None, "", verdict, "")


def align(diffs_us: dict[int, float], *, access_us: float = 1000, block: int = KIB) -> list[Measured]:
    """Return an align table from the cost of crossing boundaries, in us by alignment in KiB."""
    rows = []
    for align_kib, diff in diffs_us.items():
        place: dict[str, Any] = {"align_bytes": align_kib * KIB, "block_size_bytes": block}
        rows.append(make_measured("align", "align_pre", access_us * 1e3, **place))
        rows.append(make_measured("align", "align_diff", diff * 1e3, **place))
    return rows


def open_au(rates_mb: dict[int, list[float]], *, order: str = "sequential", sizes_kib: tuple[int, ...] = ()):
    """Return an open-AU table from rates in MB/s by number of units, in blocks of `sizes_kib` (default 1024 to 32)."""
    sizes = sizes_kib or (1024, 512, 256, 128, 64, 32)
    return [
        make_measured(
            "open-au",
            "throughput",
            rate * 1e6,
            order=order,
            open_au=units,
            block_size_bytes=size * KIB,
            erase_size_bytes=4 * MIB,
        )
        for units, rates in rates_mb.items()
        for size, rate in zip(sizes, rates, strict=False)
    ]


def fat(rates_mb: list[list[float]]) -> list[Measured]:
    """Return a table of rates for each erase block of 4 MiB, in blocks of 1 MiB, 512 KiB and so on."""
    return [
        make_measured(
            "fat",
            "throughput",
            rate * 1e6,
            erase_block_index=index,
            block_size_bytes=MIB >> halvings,
            erase_size_bytes=4 * MIB,
        )
        for index, rates in enumerate(rates_mb)
        for halvings, rate in enumerate(rates)
    ]


def infer_geometry(rows: list[Measured], *, size_bytes: int | None = None) -> dict[str, geometry.Inference]:
    return {inference.quantity: inference for inference in geometry.infer(rows, size_bytes=size_bytes)}


def infer_from_log(name: str) -> dict[str, geometry.Inference]:
    """Return the geometry that is inferred from a log in tests/logs, pasted as one text."""
    document = compose(corpus.load(Path(corpus.LOGS) / name))
    parsed = report.parse(msgspec.json.encode(document))
    rows, _ = normalize.normalize(parsed, bus=parsed.card.bus)
    return infer_geometry(list(rows), size_bytes=parsed.card.size_bytes)


def words(inferences: dict[str, geometry.Inference]) -> dict[str, str]:
    return {quantity: inference.answer for quantity, inference in inferences.items()}
