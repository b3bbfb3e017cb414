"""Measure how often the server derives the right geometry from flashbench's tables, on simulated cards.

No rule was made from these cards. flashbench's documented procedure prints the tables; the server reads them as if they
were pasted. For comparison, the rule of tests/bench/flashbench.py reads the same tables. `surely`: answers given with
95 % or more.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from cardbench import ftl
from cardbench.target.simulated import SimulatedEngine

from submissions.domain import geometry
from submissions.domain.measuring.normalize import Measured
from tests.bench.flashbench import COLLAPSED, KIB, MIB, Flashbench
from tests.bench.geometry import truth

CARDS = 200
FIRST_SEED = 500_000  # rules were made with seeds below 1000
_UNITS = 12  # a patient user
_SURE = 0.95


@dataclass(frozen=True, slots=True)
class Reading:
    """The server's answer on one quantity of one card. `verdict`: right, wrong or abstained."""

    quantity: str
    verdict: str
    confidence: float


def read(seed: int) -> list[Reading]:
    """Return the geometry that the server infers from the tables of one simulated card."""
    model = ftl.draw(seed)
    right = _expect_readings(model)
    inferences = geometry.infer(
        list(tables(seed, model)), size_bytes=None
    )  # sizes of simulated cards tell nothing
    return [
        Reading(
            inference.quantity, _verdict(inference, right[inference.quantity]), inference.confidence or 0.0
        )
        for inference in inferences
    ]


def _expect_readings(model: ftl.FlashModel) -> dict[str, int | None]:
    """Return the values that the tables of a card should show.

    flashbench's first unit, at 16 MiB, is never counted if the FAT area extends over it.
    """
    more = int(model.fat_aus * model.erase_block_bytes > 16 * MIB)
    right = truth(model)
    counts = {name: right[name] for name in ("open_au_linear", "open_au_random")}
    return right | {name: count + more for name, count in counts.items() if count}


def tables(seed: int, model: ftl.FlashModel) -> Iterator[Measured]:
    """Yield the rows of flashbench's tables for a card, in the order in which a person measures and pastes them.

    The person takes the erase block from the server if it gives one, else the default of flashbench.
    """
    engine = SimulatedEngine(seed, model=model)
    engine.open("/simulated", write=True)
    bench = Flashbench(engine)
    align = list(_align(bench, model))
    yield from align
    block = geometry.infer(align, size_bytes=None)[0]
    erase_block_bytes = 4 * MIB if block.value is None else int(block.value)
    for order in ("sequential", "random"):
        yield from _write_open_units(bench, order, erase_block_bytes)


def _align(bench: Flashbench, model: ftl.FlashModel) -> Iterator[Measured]:
    for align, diffs in bench.align_table().items():
        parameters = {"block_size_bytes": KIB, "align_bytes": align}
        yield _make_measured("align", "align_diff", parameters, _three_digits(fmean(diffs)))
        yield _make_measured("align", "align_pre", parameters, model.read_command_ns * 1.3)


def _write_open_units(bench: Flashbench, order: str, erase_block_bytes: int) -> Iterator[Measured]:
    # 1, 2, 3, … units, until the rate collapses, as a person would stop.
    for units in range(1, _UNITS + 1):
        rates = bench.open_au_table(erase_block_bytes, units, scattered=order == "random")
        for length, rate in rates.items():
            parameters = {"order": order, "block_size_bytes": length, "open_au": units}
            parameters["erase_size_bytes"] = erase_block_bytes
            yield _make_measured("open-au", "throughput", parameters, _three_digits(rate * 1e9))
        if rates[min(rates)] < COLLAPSED * rates[max(rates)]:
            return


def _make_measured(workload: str, metric: str, parameters: dict[str, Any], value: float) -> Measured:
    return Measured(workload, metric, parameters, (value,), value, None, None, "", "ok", "")


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def _verdict(inference: geometry.Inference, right: int | None) -> str:
    if inference.code == "abstained":
        return "abstained"
    if inference.code == "at_least":
        assert inference.value is not None
        return "right" if right is None or right >= inference.value else "wrong"
    return "right" if inference.value == right else "wrong"


def main() -> None:
    """Print the table of the server's right, abstained and wrong answers."""
    seeds = range(FIRST_SEED, FIRST_SEED + CARDS)
    with ProcessPoolExecutor() as pool:
        readings = [reading for card in pool.map(read, seeds, chunksize=10) for reading in card]
    print(f"{CARDS} simulated cards, seeds from {FIRST_SEED:,}")
    _print_table(readings)


def _print_table(readings: Sequence[Reading]) -> None:
    print(f"{'':<20}{'right':>8}{'wrong':>8}{'abstained':>11}{'surely':>9}{'of them wrong':>15}")
    for quantity in dict.fromkeys(reading.quantity for reading in readings):
        of_it = [reading for reading in readings if reading.quantity == quantity]
        counts = Counter(reading.verdict for reading in of_it)
        sure = [reading for reading in of_it if reading.confidence >= _SURE]
        wrong = sum(reading.verdict == "wrong" for reading in sure)
        shares = "".join(
            f"{counts[name] / len(of_it):>{width}.1%}"
            for name, width in (("right", 8), ("wrong", 8), ("abstained", 11))
        )
        print(f"{quantity:<20}{shares}{len(sure) / len(of_it):>9.1%}{wrong / max(len(sure), 1):>15.1%}")


if __name__ == "__main__":
    main()
