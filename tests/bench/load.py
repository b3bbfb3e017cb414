"""Everything through the real models: load many reports, work them out, fit, rank, then one more at a time.

`make bench-load`; RUNS=200000 chooses how many, SMALL=10000 after how many one more is timed for the first time. Two
processes work side by side, as two workers would. The goals stand beside the figures; nothing passes or fails.
"""

import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from itertools import islice

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
RUNS = int(os.environ.get("RUNS", "200000"))
SMALL = int(os.environ.get("SMALL", str(min(10_000, RUNS // 4))))
MORE = 200
WORKERS = 2
BATCH = 500


def main() -> None:
    django.setup()
    _migrate()
    from tests.bench.crowd_reports import reports
    from tests.crowd import Size, crowd

    drawn = crowd(7, Size(models=max(RUNS // 40, 50), hosts=300, runs=RUNS + 2 * MORE))
    everything = list(reports(drawn))
    ready, more, later = (everything[first:last] for first, last in _parts())
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
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of a worker, full fit included: {peak:.0f} MiB (goal 500)")


def _parts() -> Sequence[tuple[int, int]]:
    return (0, RUNS), (RUNS, RUNS + MORE), (RUNS + MORE, RUNS + 2 * MORE)


def _migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _load(ready: Sequence[tuple[bytes, str]]) -> None:
    from submissions import ingest

    began = time.perf_counter()
    rows = iter(ready)
    while batch := list(islice(rows, BATCH)):
        ingest.receive_all(batch, channel="bulk")
    received = time.perf_counter() - began
    _at_once(_work_off)
    print(
        f"{len(ready):,} reports: received {received:.1f} s,"
        f" worked out by {WORKERS} processes {time.perf_counter() - began - received:.1f} s",
        flush=True,
    )


def _at_once(work: Callable[[], None], *, processes: int = WORKERS) -> None:
    """In processes of their own, each with its own connection."""
    from django.db import connections

    connections.close_all()
    context = multiprocessing.get_context("spawn")
    running = [context.Process(target=work) for _ in range(processes)]
    for one in running:
        one.start()
    for one in running:
        one.join()
        assert one.exitcode == 0, "a worker broke"


def _work_off() -> None:
    django.setup()
    from submissions import ingest

    ingest.work_off(most=BATCH)


def _fit() -> float:
    began = time.perf_counter()
    _at_once(_refit, processes=1)
    return time.perf_counter() - began


def _refit() -> None:
    django.setup()
    from submissions import refit

    fit = refit.catch_up()
    assert fit is not None
    print(f"full fit of {fit.run_count:,} runs: {fit.took_ns / 1e9:.1f} s, and then stored", flush=True)


def _one_more(more: Sequence[tuple[bytes, str]], *, stored: int) -> None:
    from django.db import connection

    from submissions import ingest

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
        f" from beginning to commit ({np.median(processor):.1f} ms of this processor; goal 50)",
        flush=True,
    )


if __name__ == "__main__":
    main()
