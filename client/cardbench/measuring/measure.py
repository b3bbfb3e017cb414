"""Run the cells (access patterns) of a plan on a device, and turn times into measurements.

An error never becomes one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from cardbench.geometry import Estimate, Quantity
from cardbench.measuring import figures, flashbench
from cardbench.measuring.cells import Cell, FileWork
from cardbench.measuring.plan import align_positions, stream_offsets
from cardbench.measuring.workloads import TIMED, first_metric, list_measurements
from cardbench.shapes import JsonDict
from cardbench.sizes import SECOND_NS
from cardbench.target.device import Device
from cardbench.target.engine import FINAL_CODES, EngineError
from cardbench.target.live import Below
from cardbench.target.surface import Surface

# Duration of one request: only between requests are budgets and Ctrl-C checked, and the progress line moves.
_BATCH_NS = SECOND_NS // 10
_STEADY_SPREAD = 0.1  # largest spread of the repeats; above it, more repeats are made


@dataclass(frozen=True)
class Failure:
    """The reason why an access pattern has fewer or shorter repeats than planned."""

    code: str
    detail: str


@dataclass(frozen=True)
class Repeat:
    """One repeat of an access pattern: the value of each metric in its unit of METRIC_UNITS."""

    values: dict[str, float]
    operations: int
    series: tuple[int, ...] = ()  # bytes/s over time, for sustained writing


@dataclass(frozen=True)
class CellOutcome:
    """The result of one access pattern: its repeats, and why there are fewer than planned."""

    cell: Cell
    repeats: tuple[Repeat, ...]
    failure: Failure | None = None
    positions_bytes: tuple[int, ...] = ()  # offsets of the boundaries, of an align cell


@dataclass
class Bench:
    """The means of a measurement: an open device, the parts of it that may be measured, and a random seed."""

    engine: Device
    surface: Surface
    io: str  # direct, buffered
    seed: int
    card: Below | None = None  # the card that stores the temporary file
    load: float = 0.0  # tasks that run or wait on the host per CPU, before the run
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    @property
    def whole_card(self) -> Below:
        """Return the device by addresses of the flash: the card below a temporary file, or the device itself."""
        return self.card or Below(self.engine, self.surface)


@dataclass(frozen=True)
class Outcome:
    """The result of a whole plan: the measurements made, and the parts that were not run."""

    taken: tuple[CellOutcome, ...]
    not_run: tuple[Cell | Quantity | FileWork, ...] = ()
    interrupted: bool = False
    estimates: tuple[Estimate, ...] = ()
    failure: Failure | None = None  # of a part of the plan that is no cell
    lines: tuple[flashbench.Line, ...] = ()
    entries: tuple[JsonDict, ...] = ()  # measurements of all other work, as in the report

    @property
    def device_failed(self) -> bool:
        """Return whether the device gave an error in any part of the plan."""
        if self.failure and self.failure.code != "interrupted":
            return True
        failures = (cell.failure.code for cell in self.taken if cell.failure)
        refused = (entry["failure"]["code"].isupper() for entry in self.entries if "failure" in entry)
        return (
            any(code not in ("time_budget", "interrupted") for code in failures)
            or any(refused)
            or any(estimate.device_failed for estimate in self.estimates)
        )


Listener = Callable[[int, Cell], None]
Keeper = Callable[[Outcome], None]


def run(
    table: Sequence[Cell],
    bench: Bench,
    listen: Listener = lambda _number, _cell: None,
    keep: Keeper = lambda _so_far: None,
) -> Outcome:
    """Run the access patterns of `table` in order.

    Ctrl-C or removing the card ends the plan early, with the results so far. `keep` is called with the results so far
    after each pattern.
    """
    taken: list[CellOutcome] = []
    interrupted = False
    try:
        for number, cell in enumerate(table):
            listen(number, cell)
            taken.append(run_cell(cell, bench))
            keep(Outcome(tuple(taken), tuple(table[len(taken) :])))
            if taken[-1].failure and taken[-1].failure.code in FINAL_CODES:
                break
    except KeyboardInterrupt:  # between two cells
        interrupted = True
    interrupted |= any(cell.failure is not None and cell.failure.code == "interrupted" for cell in taken)
    return Outcome(tuple(taken), tuple(table[len(taken) :]), interrupted)


def run_cell(cell: Cell, bench: Bench) -> CellOutcome:
    """Run one access pattern. A repeat that fails is left out, one that reaches its time budget is kept.

    Both set `failure` in the result.
    """
    positions = (
        tuple(align_positions(cell, bench.whole_card.surface, bench.chance)) if cell.align_bytes else ()
    )
    repeats: list[Repeat] = []
    failure = None
    try:
        while len(repeats) < cell.repeats or _is_unsteady(cell, repeats):
            repeats.append(
                _measure_align(cell, bench, positions)
                if positions
                else _operations(cell, bench, len(repeats))
            )
    except EngineError as error:
        failure = Failure(error.code, str(error))
    except KeyboardInterrupt:
        failure = Failure("interrupted", "Stopped by the user.")
    return CellOutcome(cell, tuple(repeats), failure or _budget_failure(cell, repeats, positions), positions)


def _is_unsteady(cell: Cell, repeats: Sequence[Repeat]) -> bool:
    if len(repeats) >= cell.most_repeats:
        return False
    name = next(iter(repeats[0].values))  # the first metric is the main one
    return figures.spread([repeat.values[name] for repeat in repeats]) > _STEADY_SPREAD


def _budget_failure(cell: Cell, repeats: Sequence[Repeat], positions: Sequence[int]) -> Failure | None:
    wanted = 3 * len(positions) if cell.align_bytes else cell.count
    fewest = min((repeat.operations for repeat in repeats), default=wanted)
    is_open_ended = not cell.align_bytes and TIMED[cell.workload].is_open_ended
    if fewest >= wanted or is_open_ended:
        return None
    return Failure("time_budget", f"{fewest} of {wanted} operations in {cell.budget_ns / SECOND_NS:g} s.")


def _operations(cell: Cell, bench: Bench, number: int) -> Repeat:
    offsets = stream_offsets(cell, bench.surface, number, bench.chance)
    durations_ns, elapsed_ns = transfer(cell, bench, offsets)
    if cell.direction == "write":
        # The sync is timed only on request, but always done, so that the next repeat does not wait for this one.
        sync_ns = bench.engine.sync()
        elapsed_ns += sync_ns if cell.sync == "fsync_at_end" else 0
    workload = TIMED[cell.workload]
    series = figures.rate_series(cell.block_size_bytes, durations_ns) if workload.is_open_ended else []
    return Repeat(workload.values(cell, durations_ns, elapsed_ns), len(durations_ns), tuple(series))


def transfer(cell: Cell, bench: Bench, offsets_bytes: Sequence[int]) -> tuple[list[int], int]:
    """Return the durations of the operations in ns, fewer if the time budget is used up, and their total.

    Raises EngineError.
    """
    durations_ns: list[int] = []
    batch, elapsed_ns = 16 * cell.queue_depth if cell.queue_depth > 1 else 1, 0
    while len(durations_ns) < len(offsets_bytes) and elapsed_ns < cell.budget_ns:
        part = offsets_bytes[len(durations_ns) : len(durations_ns) + batch]
        batch_ns, times_ns = _operate(cell, bench, part)
        durations_ns += times_ns
        elapsed_ns += batch_ns
        batch = min(512, 2 * batch) if batch_ns < _BATCH_NS else max(cell.queue_depth, batch // 2)
    return durations_ns, elapsed_ns


def _operate(cell: Cell, bench: Bench, part: Sequence[int]) -> tuple[int, list[int]]:
    # Returns the ns of the whole batch, and of each operation.
    engine, length = bench.engine, cell.block_size_bytes
    if cell.queue_depth > 1:
        return engine.run_queue(cell.direction, length, part, depth=cell.queue_depth, seed=bench.seed)
    if cell.direction == "read":
        times_ns = engine.read(length, part)
    elif cell.sync == "fsync_each":
        times_ns = [engine.write(length, [place], seed=bench.seed)[0] + engine.sync() for place in part]
    else:
        times_ns = engine.write(length, part, seed=bench.seed, sync=_WAITING.get(cell.sync, ""))
    return sum(times_ns), times_ns


_WAITING = {"dsync": "dsync", "osync": "osync"}


def _measure_align(cell: Cell, bench: Bench, positions: Sequence[int]) -> Repeat:
    samples: list[tuple[int, int, int]] = []
    spent_ns = 0
    for position in bench.chance.sample(positions, k=len(positions)):
        if spent_ns >= cell.budget_ns:
            break
        samples.append(_sample_boundary(cell, bench, position))
        spent_ns += sum(samples[-1])
    return Repeat(figures.align_values(samples), 3 * len(samples))


def _sample_boundary(cell: Cell, bench: Bench, position: int) -> tuple[int, int, int]:
    """Return the ns of reads before, across and after a boundary, in random order so that drift cancels.

    Two reads nearby precede them, so that the card loads its mapping table outside the sample.
    """
    size = cell.block_size_bytes
    places = {"pre": position - size, "on": position - size // 2, "post": position}
    order = bench.chance.sample(sorted(places), k=3)
    warm_up = [position - 4 * size, position + 3 * size]
    times_ns = bench.whole_card.device.read(size, warm_up + [places[name] for name in order])
    by_name = dict(zip(order, times_ns[2:]))
    return by_name["pre"], by_name["on"], by_name["post"]


def measurements(taken: CellOutcome, surface: Surface, io: str) -> list[JsonDict]:
    """Return the measurements of an access pattern for the report, one per metric.

    If no repeat succeeded, there is a single one with only the failure.
    """
    shared: JsonDict = {"parameters": parameters(taken.cell, surface, io)}
    if taken.repeats:
        shared["operations"] = min(repeat.operations for repeat in taken.repeats)
    if taken.failure:
        shared["failure"] = asdict(taken.failure)
    values = [repeat.values for repeat in taken.repeats]
    return list_measurements(taken.cell.workload, values, shared, first_metric(taken.cell))


def parameters(cell: Cell, surface: Surface, io: str) -> JsonDict:
    """Return the parameters that describe an access pattern in a report."""
    shared = {
        "direction": cell.direction,
        "block_size_bytes": cell.block_size_bytes,
        "queue_depth": cell.queue_depth,
        "io": io,
    }
    if cell.align_bytes:
        return shared | {"align_bytes": cell.align_bytes}
    more: JsonDict = {"data": "random"} if cell.direction == "write" else {}
    if cell.unit_bytes:
        more |= {"open_au": 1, "erase_size_bytes": cell.unit_bytes}
    if cell.is_whole_file:
        more |= {"file_size_bytes": cell.length_bytes}
    elif surface.is_own_file:
        more |= {"file_size_bytes": surface.size_bytes}
    sync = "sync_mount" if surface.is_sync_mount and cell.sync == "none" else cell.sync
    span_bytes = surface.window(cell.span_bytes)[1]
    return shared | {"order": cell.order, "sync": sync, "span_bytes": span_bytes} | more
