"""Measure the reports per second that the site accepts, processes and ranks, with more and more reports stored.

`make bench-load`: MODELS=200 models of popularity 1 / rank, as in real crowds; STORED="0 20000 100000" reports are
stored before each round; GROWN=2000000 finally multiplies them inside the database, and writes a dump. A round has
three parts: one more report at a time; a backlog of BACKLOG=1000 reports for one worker and for two; and the live site,
where 8 clients send for LIVE_S=10 seconds while two workers process and rank. The goals are printed beside the figures;
nothing passes or fails. A yardstick measures the speed of the machine at that moment, because rented machines differ
threefold from day to day.
"""

import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django
import numpy as np
from django.db.models import Max

from tests.bench.live import yardstick_ms

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
MODELS = int(os.environ.get("MODELS", "200"))
STORED = [int(size) for size in os.environ.get("STORED", "0 20000 100000").split()]
GROWN = int(os.environ.get("GROWN", "0"))
BACKLOG = int(os.environ.get("BACKLOG", "1000"))
LIVE_S = float(os.environ.get("LIVE_S", "10"))
FIRST, MORE, WORKERS, CLIENTS, BATCH = 20, 200, 2, 8, 500
CONTEXT = multiprocessing.get_context("spawn")


def main() -> None:
    django.setup()
    _migrate()
    for size in STORED:
        _load(size - _count_stored())
        _round()
    if GROWN:
        from tests.bench import stored

        stored.grow(GROWN, most_models=0)
        _fit()
        _dump()
        _round()


def _round() -> None:
    from django.db import connection

    print(f"\n== {_count_stored():,} stored; yardstick {yardstick_ms():.0f} ms", flush=True)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    _measure_one_more()
    for workers in (1, WORKERS):
        _measure_backlog(workers)
    if LIVE_S:
        from tests.bench import live_load

        live_load.measure(_make_reports(), clients=CLIENTS, seconds=LIVE_S)


def _migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _last_received() -> int:
    from submissions.models import Submission

    return Submission.objects.aggregate(last=Max("pk"))["last"] or 0


def _count_stored() -> int:
    from submissions.models import Run

    return Run.objects.count()


def _make_reports() -> Iterator[tuple[bytes, str]]:
    # An endless iterator of reports that were not sent yet.
    from tests.bench import popular

    return popular.reports(models=MODELS, first=10 * _last_received())


def _load(number: int) -> None:
    # Receives reports while workers process them from the first one on; then makes a full fit.
    from submissions.writing import ingest

    if number <= 0:
        return
    began, used = time.perf_counter(), Used.now()
    all_here = CONTEXT.Event()
    with _run_beside(_work_off, all_here, processes=WORKERS):
        rows = islice(_make_reports(), number)
        while batch := list(islice(rows, BATCH)):
            ingest.receive_all(batch, channel="bulk")
        all_here.set()
    seconds = time.perf_counter() - began
    print(f"\nloaded: {number / seconds:.0f}/s of {number:,}; {Used.now().describe_since(used, number)} each")
    _fit()


def _fit() -> None:
    # A separate process frees its memory when it ends.
    began = time.perf_counter()
    with _run_beside(_refit, processes=1):
        pass
    print(f"full fit, facets and summaries: {time.perf_counter() - began:.1f} s", flush=True)


def _work_off(all_here: Any) -> None:
    from submissions.writing import ingest

    is_last = False
    while not is_last:
        is_last = all_here.wait(timeout=0.1)
        ingest.process_all_waiting(most=BATCH)


def _refit() -> None:
    from submissions.writing import refit

    fit = refit.refit_after_load()
    assert fit is not None
    print(f"full fit of {fit.run_count:,} runs: {fit.took_ns / 1e9:.1f} s, and then stored", flush=True)


def _dump() -> None:
    from submissions.dumps import writer

    began, used = time.perf_counter(), Used.now()
    with TemporaryDirectory() as shelf:
        writer.write_dump(Path(shelf), previous=None, secret="")
        size_bytes = sum(file.stat().st_size for file in Path(shelf).iterdir())
    seconds, runs = time.perf_counter() - began, _count_stored()
    each = Used.now().describe_since(used, runs)
    print(f"dump of {runs:,} runs: {seconds:.0f} s, {each} of a run, {size_bytes / 1e6:.0f} MB", flush=True)


@contextmanager
def _run_beside(work: Callable[..., None], *args: Any, processes: int) -> Iterator[None]:
    # Each process has its own connection.
    running = [CONTEXT.Process(target=_set_up, args=(work, *args)) for _ in range(processes)]
    for process in running:
        process.start()
    yield
    for process in running:
        process.join()
        assert process.exitcode == 0, "a worker broke"


def _set_up(work: Callable[..., None], *args: Any) -> None:
    django.setup()
    work(*args)


class Used:
    """CPU seconds: of this process with its ended children, and of all of PostgreSQL."""

    def __init__(self, python: float, database: float) -> None:
        self.python, self.database = python, database

    @classmethod
    def now(cls) -> "Used":
        own = sum(
            sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        return cls(own, database_s())

    def describe_since(self, before: "Used", number: int) -> str:
        python, database = self.python - before.python, self.database - before.database
        return (
            f"{1e3 * python / number:.1f} + {1e3 * database / number:.1f} ms of processor (Python + database)"
        )


def database_s() -> float:
    """Return the CPU seconds of the postmaster of this database and of all its children, also ended ones."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    postmaster = _stat(backend)[1]
    every = [_stat(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return sum(own for _, parent, own in every if parent == postmaster) + _stat(postmaster, waited=True)[2]


def _stat(pid: int, *, waited: bool = False) -> tuple[int, int, float]:
    """Return the id, the parent's id and the CPU seconds of a process.

    With `waited`, those of its ended children, too.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return pid, 0, 0.0
    ticks = sum(map(int, fields[11:15] if waited else fields[11:13]))
    return pid, int(fields[1]), ticks / os.sysconf("SC_CLK_TCK")


def _measure_one_more() -> None:
    # One report at a time, like a worker that finds one report waiting. The first reports are not
    # counted: a worker writes and plans its queries at their first use, and then runs for weeks.
    from submissions.models import CardModel
    from submissions.writing import ingest, scoring

    times, used, described = [], [], []
    for body, submitter in islice(_make_reports(), FIRST + MORE):
        pk = ingest.receive(body, channel="bench", submitter=submitter).submission.pk
        CardModel.objects.exclude(judged_at=None).update(judged_at=None)
        began, before = time.perf_counter(), _processor_ms()
        ingest.process_batch([pk], judge=scoring.refresh_or_mark)
        times.append(1e3 * (time.perf_counter() - began))
        ranked = _processor_ms()
        scoring.describe_marked()
        used.append(ranked - before)
        described.append(_processor_ms() - ranked)
    times, used, described = (row[FIRST:] for row in (times, used, described))
    p50, p95 = np.quantile(times, (0.5, 0.95))
    python, database = np.mean(used, axis=0)
    print(
        f"one more, filed and ranked: p50 {p50:.1f}, mean {np.mean(times):.1f}, p95 {p95:.1f} ms; processor"
        f" {python + database:.1f} ms in the mean (Python {python:.1f}, p50 {np.median(used, axis=0)[0]:.1f}, database"
        f" {database:.1f}; goal 20), and {np.mean(described, axis=0).sum():.1f} for its page soon after",
        flush=True,
    )


def _processor_ms() -> "np.ndarray[Any, Any]":
    # CPU ms of this process and of its database connection; the latter in steps of 10 ms.
    from django.db import connection

    backend = connection.connection.info.backend_pid
    return 1e3 * np.array([time.process_time(), _stat(backend)[2]])


def _measure_backlog(workers: int) -> None:
    # Runs as many processes as there would be workers, without Celery.
    from submissions.writing import ingest

    ingest.receive_all(list(islice(_make_reports(), BACKLOG)), channel="bench")
    everybody, answers = CONTEXT.Barrier(workers), CONTEXT.Queue()
    before = Used.now().database
    with _run_beside(_drain, everybody, answers, processes=workers):
        begun, ended, used = zip(*(answers.get() for _ in range(workers)), strict=True)
    print(
        f"backlog of {BACKLOG:,}, {workers} worker{'s' * (workers > 1)}:"
        f" {BACKLOG / (max(ended) - min(begun)):.0f}/s; each"
        f" {Used(sum(used), Used.now().database).describe_since(Used(0, before), BACKLOG)}",
        flush=True,
    )


def _drain(everybody: Any, answers: Any) -> None:
    """Process until no report waits, as `tasks.process_waiting` does; put begin, end and CPU seconds into `answers`."""
    from submissions.models import Submission
    from submissions.writing import ingest, scoring

    Submission.objects.count()  # connects
    everybody.wait()
    began, used = time.monotonic(), time.process_time()
    while (pks := ingest.take_batch()) or scoring.is_marked():
        if pks:
            ingest.process_with_fallback(pks, fallback=ingest.process, judge=scoring.mark)
        else:
            time.sleep(0.05)
        scoring.judge_marked()
        scoring.describe_marked(is_busy=ingest.is_busy())
    answers.put((began, time.monotonic(), time.process_time() - used))


if __name__ == "__main__":
    main()
