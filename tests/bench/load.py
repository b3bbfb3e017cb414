"""Everything through the real models: load many reports, work them out, fit, rank, then one more at a time.

`make bench-load`; RUNS=200000 chooses how many, SMALL=10000 after how many one more is timed for the first time,
GROWN=2000000 to how many runs what came of them is multiplied inside the database before it is timed for the last
time. Two processes work side by side, as two workers would. The goals stand beside the figures; nothing passes or
fails. A yardstick tells how quick the machine was at that moment: rented ones differ threefold from day to day.
"""

import multiprocessing
import os
import re
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
RUNS = int(os.environ.get("RUNS", "200000"))
SMALL = int(os.environ.get("SMALL", str(min(10_000, RUNS // 4))))
GROWN = int(os.environ.get("GROWN", "0"))
MORE = 200
WORKERS = 2
BATCH = 500
CONTEXT = multiprocessing.get_context("spawn")
PEAK_KIB = CONTEXT.Value("q", 0)


def main() -> None:
    django.setup()
    _migrate()
    from tests.bench import stored
    from tests.bench.crowd_reports import reports
    from tests.crowd import Size, crowd

    drawn = crowd(7, Size(models=max(RUNS // 40, 50), hosts=300, runs=RUNS + 3 * MORE))
    everything = list(reports(drawn))
    ready, more, later, last = (everything[first:last] for first, last in _parts())
    print(
        f"{len(ready):,} reports of {len(drawn.kind):,} models from {len(drawn.host_type)} hosts", flush=True
    )
    _load(ready[:SMALL])
    _fit()
    _one_more(more, stored=SMALL)
    began = time.perf_counter()
    _load(ready[SMALL:])
    fit = _fit()
    whole = time.perf_counter() - began
    print(
        f"loaded, worked out, fitted and ranked: {whole:.0f} s for {RUNS - SMALL:,} reports (goal 300 for 200,000)"
    )
    print(f"full fit with reading and storing: {fit:.1f} s (goal 60)")
    _one_more(later, stored=RUNS)
    if GROWN:
        stored.grow(GROWN, most_models=GROWN)
        _one_more(last, stored=GROWN)
    print(f"peak memory of a worker, full fit included: {PEAK_KIB.value / 1024:.0f} MiB (goal 500)")


def _parts() -> Sequence[tuple[int, int]]:
    return (0, RUNS), *((RUNS + at * MORE, RUNS + (at + 1) * MORE) for at in range(3))


def _migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _load(ready: Sequence[tuple[bytes, str]]) -> None:
    """Received here, and worked out beside it by workers that begin with the first."""
    from submissions.writing import ingest

    began, used = time.perf_counter(), _processor_s()
    all_here = CONTEXT.Event()
    with _beside(_work_off, all_here, processes=WORKERS):
        rows = iter(ready)
        while batch := list(islice(rows, BATCH)):
            ingest.receive_all(batch, channel="bulk")
        all_here.set()
        received = time.perf_counter() - began
    seconds = time.perf_counter() - began
    print(
        f"{len(ready):,} reports: received within {received:.1f} s, worked out by {WORKERS} processes within"
        f" {seconds:.1f} s, {len(ready) / seconds:.0f} in a second;"
        f" {1e3 * (_processor_s() - used) / len(ready):.2f} ms of processor each, PostgreSQL not counted",
        flush=True,
    )


def _processor_s() -> float:
    """Of this process and of those that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@contextmanager
def _beside(work: Callable[..., None], *args: Any, processes: int) -> Iterator[None]:
    """In processes of their own, each with its own connection."""
    running = [CONTEXT.Process(target=_noting_memory, args=(PEAK_KIB, work, *args)) for _ in range(processes)]
    for process in running:
        process.start()
    yield
    for process in running:
        process.join()
        assert process.exitcode == 0, "a worker broke"


def _noting_memory(peak_kib: Any, work: Callable[..., None], *args: Any) -> None:
    """getrusage would tell the memory of the process that started this one, which holds all reports."""
    django.setup()
    work(*args)
    own = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    assert own is not None
    with peak_kib.get_lock():
        peak_kib.value = max(peak_kib.value, int(own[1]))


def _work_off(all_here: Any) -> None:
    from submissions.writing import ingest

    is_last = False
    while not is_last:
        is_last = all_here.wait(timeout=0.1)
        ingest.work_off(most=BATCH)


def _fit() -> float:
    began = time.perf_counter()
    with _beside(_refit, processes=1):
        pass
    return time.perf_counter() - began


def _refit() -> None:
    from submissions.writing import refit

    fit = refit.catch_up()
    assert fit is not None
    print(f"full fit of {fit.run_count:,} runs: {fit.took_ns / 1e9:.1f} s, and then stored", flush=True)


def _yardstick_ms() -> float:
    """What a million additions take here and now."""
    began = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number
    return 1e3 * (time.perf_counter() - began)


def _one_more(more: Sequence[tuple[bytes, str]], *, stored: int) -> None:
    from django.db import connection

    from submissions.writing import ingest

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    times, processor = [], []
    for body, submitter in more:
        pk = ingest.receive(body, channel="bench", submitter=submitter).submission.pk
        began, used = time.perf_counter(), time.process_time()
        ingest.process(pk)
        times.append(1e3 * (time.perf_counter() - began))
        processor.append(1e3 * (time.process_time() - used))
    print(
        f"one more at {stored:,} runs stored: p50 {np.median(times):.1f} ms, p99 {np.quantile(times, 0.99):.1f} ms"
        f" from beginning to commit ({np.median(processor):.1f} ms of this processor; goal 50);"
        f" yardstick {_yardstick_ms():.0f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
