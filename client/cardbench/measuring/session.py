"""Measure one target from beginning to end, and compose the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

from cardbench import geometry
from cardbench.measuring import capacity, conditions, fileset, flashbench, measure, plan, report, resume
from cardbench.measuring.cells import Cell, FileWork
from cardbench.measuring.measure import Outcome
from cardbench.measuring.progress import Progress
from cardbench.measuring.suites import Choice
from cardbench.measuring.workloads import list_measurements
from cardbench.shapes import JsonDict
from cardbench.target.engine import EngineError
from cardbench.target.sysfs import Sysfs
from cardbench.target.target import Ready

Keeper = Callable[[JsonDict], None]


@dataclass(frozen=True)
class Subject:
    """The card, host and choice of measurements of a run, as in the report."""

    card: JsonDict
    host: JsonDict
    target: str  # device, file, directory, simulated
    choice: Choice = field(default_factory=Choice)
    destructive: bool = False
    note: str = ""
    readings: list[JsonDict] = field(default_factory=list)
    earlier: resume.Earlier | None = None  # the run to continue
    options: flashbench.Options = field(default_factory=flashbench.Options)  # for the suite flashbench

    @property
    def findings(self) -> dict[str, geometry.Finding]:
        """Return the findings on the geometry of the earlier run that is continued."""
        return self.earlier.findings if self.earlier else {}


def measure_subject(
    subject: Subject,
    ready: Ready,
    *,
    seed: int,
    quiet: bool,
    keep: Keeper = lambda _document: None,
) -> tuple[JsonDict, Outcome]:
    """Run the chosen measurements, and return the report and the results, even if interrupted.

    `keep` is called with the report so far after each measurement.
    """
    load = 0.0 if subject.target == "simulated" else conditions.load()
    bench = measure.Bench(ready.engine, ready.surface, ready.io, seed, ready.card, load)
    journal = _Journal(subject, ready, seed, keep)
    journal.keep(Outcome(()))
    outcome = _measure(subject, ready, bench, journal, quiet=quiet)
    return journal.document(outcome), outcome


def skeleton(subject: Subject) -> JsonDict:
    """Return the report of a run before its first measurement."""
    run = {
        "suite": subject.choice.name,
        "started_at": report.now().isoformat(),
        "duration_ns": 0,
        "target": subject.target,
        "destructive": subject.destructive,
    }
    document = report.compose(
        card=subject.card, host=subject.host, run=run, simulated=subject.target == "simulated"
    )
    beside = {"note": subject.note, "readings": subject.readings}
    return document | {name: value for name, value in beside.items() if value}


class _Journal:
    """The report of a run in progress, which is passed on to be saved after each step."""

    def __init__(self, subject: Subject, ready: Ready, seed: int, keep: Keeper) -> None:
        self._subject, self._ready, self._seed, self._keep = subject, ready, seed, keep
        self._begin_ns, self._before = time.monotonic_ns(), conditions.read_conditions(Sysfs())
        self._skeleton = skeleton(subject)

    def keep(self, outcome: Outcome, *later: geometry.Quantity | FileWork) -> None:
        """Pass on the report so far, with the work of `later` listed as not done."""
        self._keep(self.document(_leave(outcome, later)))

    def document(self, outcome: Outcome) -> JsonDict:
        """Return the report with the results so far; its uuid stays the same throughout the run."""
        subject, ready = self._subject, self._ready
        run = self._skeleton["run"] | {"duration_ns": time.monotonic_ns() - self._begin_ns}
        if subject.target != "simulated":
            before, after = self._before, conditions.read_conditions(Sysfs())
            doubts = [*conditions.doubts(before, after, subject.host.get("bus_mode", {}))]
            run |= {"before": before, "after": after, "doubts": doubts}
        document = report.with_outcome(
            self._skeleton | {"run": run}, outcome, ready.surface, io=ready.io, seed=self._seed
        )
        document["extra"] |= _extra(ready, outcome)
        return subject.earlier.merge_report(document) if subject.earlier else document


def _measure(
    subject: Subject, ready: Ready, bench: measure.Bench, journal: _Journal, *, quiet: bool
) -> Outcome:
    # Marker blocks (stamps) are written first and read last.
    table, quantities = _list_remaining(subject, ready)
    file_work = _list_file_work(subject, ready)
    progress = Progress([*table, *quantities, *file_work], quiet=quiet)
    stamps, refused = _plant(subject, bench)
    outcome = measure.run(
        table, bench, progress, lambda so_far: journal.keep(so_far, *quantities, *file_work)
    )
    outcome = with_geometry(
        outcome,
        quantities,
        bench,
        progress,
        subject.findings,
        lambda so_far: journal.keep(so_far, *file_work),
    )
    if subject.choice.is_flashbench:
        outcome = _run_flashbench(subject, bench, outcome, journal)
    outcome = _work_on_files(file_work, ready, outcome, progress, bench.seed, journal)
    if not outcome.interrupted:
        held = _verify(stamps, bench) if stamps else refused
        outcome = replace(outcome, entries=(*outcome.entries, *held))
    progress.finish()
    return outcome


def _leave(outcome: Outcome, later: tuple[geometry.Quantity | FileWork, ...]) -> Outcome:
    return replace(outcome, not_run=outcome.not_run + later)


def _extra(ready: Ready, outcome: Outcome) -> JsonDict:
    reach = ready.card.surface.reach if ready.card else ()
    extra = {
        "flashbench": [line.text for line in outcome.lines],
        "failure": asdict(outcome.failure) if outcome.failure else None,
        "boundaries_hidden": ready.hidden,
        "stretches_bytes": [[stretch.start_bytes, stretch.length_bytes] for stretch in reach],
    }
    return {name: value for name, value in extra.items() if value}


def _run_flashbench(subject: Subject, bench: measure.Bench, outcome: Outcome, journal: _Journal) -> Outcome:
    # After an error or Ctrl-C the lines so far are kept.
    below = bench.whole_card
    try:
        for line in flashbench.run(
            below.device, below.surface, subject.options, seed=bench.seed, io=bench.io
        ):
            outcome = replace(outcome, lines=(*outcome.lines, line))
            journal.keep(outcome)
    except EngineError as error:
        return replace(outcome, failure=measure.Failure(error.code, str(error)))
    except KeyboardInterrupt:
        return replace(outcome, interrupted=True)
    return outcome


def _list_file_work(subject: Subject, ready: Ready) -> tuple[FileWork, ...]:
    if not ready.place:
        return ()
    earlier = subject.earlier
    return tuple(
        work
        for work in subject.choice.file_work
        if fileset.is_possible(work, ready.place, is_sync_mount=ready.surface.is_sync_mount)
        and not (earlier and earlier.has(work.workload, work.parameters, others=True))
    )


def _work_on_files(
    table: tuple[FileWork, ...],
    ready: Ready,
    outcome: Outcome,
    progress: Progress,
    seed: int,
    journal: _Journal,
) -> Outcome:
    # After an error or Ctrl-C the earlier results are kept.
    done = len(outcome.taken) + len(outcome.estimates)
    if outcome.interrupted:
        return _leave(outcome, table)
    for number, work in enumerate(table):
        assert ready.place
        try:
            progress(done + number, work)
            made = [*fileset.run(work, ready.place, seed=seed)]
            outcome = replace(outcome, entries=(*outcome.entries, *made))
            journal.keep(outcome, *table[number + 1 :])
        except EngineError as error:
            failure = measure.Failure(error.code, str(error)[:200])
            action = {"action": "create"} if work.workload == "files" else {}
            shared = {"parameters": work.parameters | action, "failure": asdict(failure)}
            failed = list_measurements(work.workload, [], shared)
            outcome = replace(outcome, entries=(*outcome.entries, *failed), failure=failure)
        except KeyboardInterrupt:
            return replace(_leave(outcome, table[number:]), interrupted=True)
    return outcome


def _plant(subject: Subject, bench: measure.Bench) -> tuple[list[int], list[JsonDict]]:
    # Returns the places of the stamps, and measurements if the card refused them.
    if not subject.destructive:
        return [], []
    stamps = capacity.places(bench.surface.size_bytes, bench.chance)
    try:
        planted = capacity.try_to_plant(bench.engine, stamps, seed=bench.seed)
    except EngineError as error:
        return [], capacity.failure_entries(error.code, str(error), bench.io)
    if planted.end:
        return [], capacity.entries(planted.end, bench.io)
    if planted.errors:
        detail = f"{len(planted.errors)} marker blocks could not be written ({planted.errors[0]})"
        return [], capacity.failure_entries(planted.errors[0], detail, bench.io)
    return stamps, []


def _verify(stamps: list[int], bench: measure.Bench) -> list[JsonDict]:
    try:
        size_bytes = bench.surface.size_bytes
        return capacity.entries(capacity.verify(bench.engine, stamps, size_bytes, seed=bench.seed), bench.io)
    except EngineError as error:
        return capacity.failure_entries(error.code, str(error), bench.io)


def _list_remaining(subject: Subject, ready: Ready) -> tuple[tuple[Cell, ...], tuple[geometry.Quantity, ...]]:
    # Leaves out the measurements of an earlier run.
    below = ready.card.surface if ready.card else ready.surface
    table = plan.cells(subject.choice, ready.surface, below)
    quantities = geometry.table(below) if subject.choice.geometry else ()
    earlier = subject.earlier
    if earlier is None:
        return table, quantities
    left = (
        cell
        for cell in table
        if not earlier.has(cell.workload, measure.parameters(cell, ready.surface, ready.io))
    )
    return tuple(left), tuple(quantity for quantity in quantities if quantity.metric not in earlier.findings)


def with_geometry(
    outcome: Outcome,
    quantities: tuple[geometry.Quantity, ...],
    bench: measure.Bench,
    progress: Progress,
    earlier: dict[str, geometry.Finding],
    keep: measure.Keeper = lambda _so_far: None,
) -> Outcome:
    """Return the results with estimates of the card's geometry; none are made if the plan ended early."""
    if outcome.interrupted or outcome.not_run or not quantities:
        return replace(outcome, not_run=outcome.not_run + quantities)
    probe = geometry.Probe(
        bench.whole_card.device, bench.whole_card.surface, seed=bench.seed, load=bench.load
    )
    done = len(outcome.taken)

    def so_far(estimates: tuple[geometry.Estimate, ...]) -> Outcome:
        return replace(outcome, estimates=estimates, not_run=quantities[len(estimates) :])

    estimates = geometry.survey(
        quantities,
        probe,
        lambda number, quantity: progress(done + number, quantity),
        earlier=earlier,
        keep=lambda estimates: keep(so_far(estimates)),
    )
    return replace(so_far(tuple(estimates)), interrupted=estimates[-1].code == "interrupted")
