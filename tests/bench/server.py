"""Measure writes and reads per second of the live site, beside simple baselines: `make bench-server`.

The site is the real one: gunicorn, a Celery worker, PostgreSQL with durable commits and Redis, each a process of its
own. The baselines: the same bodies inserted by psycopg with a commit each; the same bodies stored, and "hello, world"
sent, by a minimal Django view on the same gunicorn (`bare.py`). PEER_URL names another system.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from tests.bench import peers
from tests.bench.live import (
    VISITOR,
    Measured,
    ask,
    connect,
    count,
    manage,
    measure_calls,
    say,
    time_call,
    web,
    worker,
)

REPORTS = int(os.environ.get("BENCH_REPORTS", "1000"))
READS = int(os.environ.get("BENCH_READS", "600"))
MEASUREMENTS = 40
CLIENTS = (1, 8)
SUBMIT = "/api/v1/submissions/"


def main() -> None:
    manage("migrate", "-v0")
    floors = {clients: _floor(clients) for clients in CLIENTS}
    with web() as port:
        accepted = {clients: _accept(port, clients, floors[clients]) for clients in CLIENTS}
    peers.measure(accepted[max(CLIENTS)].rate, report)
    _process()
    _read()


def _floor(clients: int) -> Measured:
    # Returns the figure of the minimal view, and prints that of psycopg, too.
    bodies = _bodies(clients)
    with connect() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bench_floor (id bigserial PRIMARY KEY, body bytea)")
        insert = "INSERT INTO bench_floor (body) VALUES (%s)"
        seconds = time_call(lambda: [connection.execute(insert, [body]) for body in bodies])
    with web("tests.bench.bare") as port:
        for body in bodies[:16]:
            ask(port, "/store/", body=body, expected=202)
        measured = measure_calls(
            clients, [partial(ask, port, "/store/", body=body, expected=202) for body in bodies]
        )
    say(f"stored by bare psycopg, one connection: {len(bodies) / seconds:,.0f}/s")
    say(f"stored by a bare Django view, {clients} at once: {measured}")
    return measured


def _accept(port: int, clients: int, floor: Measured) -> Measured:
    for number in range(16):
        ask(port, SUBMIT, body=report(-clients * 100 - number), expected=202)
    measured = measure_calls(
        clients, [partial(ask, port, SUBMIT, body=body, expected=202) for body in _bodies(clients)]
    )
    say(
        f"accepted, {clients} at once: {measured} with {MEASUREMENTS} measurements each; "
        f"{measured.rate / floor.rate:.2f} of the bare view"
    )
    return measured


def _process() -> None:
    waiting = count("state = 'received'")
    began = time.perf_counter()
    with worker():
        while count("state <> 'received'") == 0:
            time.sleep(0.02)
        first, at_first = time.perf_counter(), count("state <> 'received'")
        while count("state = 'received'"):
            time.sleep(0.05)
        seconds = time.perf_counter() - first
    say(
        f"processed and ranked: {(waiting - at_first) / seconds:,.0f}/s by 2 worker processes "
        f"({waiting:,} submissions of {MEASUREMENTS} measurements; the first after {first - began:.1f} s of start-up)"
    )


def _read() -> None:
    with connect() as connection:
        connection.execute("VACUUM ANALYZE")  # or PostgreSQL does it in between, and changed data has no 304
    with web("tests.bench.bare") as port:
        hello = _reads(port, "/hello/")
    say(f"hello, world: {hello}")
    with web() as port:
        for title, path in pages().items():
            measured = _reads(port, path)
            say(f"{title}: {measured}; {measured.rate / hello.rate:.2f} of hello, world")
            _measure_unchanged(port, path, title, hello)


def _measure_unchanged(port: int, path: str, title: str, hello: Measured) -> None:
    # A client that has the page asks whether it has changed.
    tag = ask(port, path).headers.get("ETag")
    if tag is None:
        return say(f"{title}: no ETag")
    conditional = VISITOR | {"If-None-Match": tag}
    measured = _reads(port, path, headers=conditional, expected=304)
    ask(port, path, headers=VISITOR | {"If-None-Match": '"something else"'})
    say(f"{title}, known already (304): {measured}; {measured.rate / hello.rate:.2f} of hello, world")


def _reads(port: int, path: str, *, headers: dict[str, str] = VISITOR, expected: int = 200) -> Measured:
    call: Callable[[], object] = partial(ask, port, path, headers=headers, expected=expected)
    for _ in range(16):
        call()
    return measure_calls(8, [call] * READS)


def pages() -> dict[str, str]:
    with connect() as connection:
        row = connection.execute("SELECT slug FROM submissions_cardmodel ORDER BY id LIMIT 1").fetchone()
        assert row
    return {
        "finder": "/",
        "finder, filtered": "/?q=brand+7",
        "model page": f"/models/{row[0]}/",
        "API list of models": "/api/v1/models/",
        "API, one model": f"/api/v1/models/{row[0]}/",
    }


def _bodies(clients: int) -> Sequence[bytes]:
    return [report(clients * REPORTS * 10 + number) for number in range(REPORTS)]


def report(number: int, *, measurements: int = MEASUREMENTS) -> bytes:
    """Return one of many reports, on a hundred models with several cards each.

    Its measurements depend on the number.
    """
    random = Random(number)
    label = {"brand": f"Brand {number % 100}", "line": "Bench", "capacity_gb": 32}
    document = {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "bench"},
        "card": {"bus": "SD", "label": label, "specimen": f"card {number // 3}"},
        "host": {"board": "Raspberry Pi 4", "interface": "mmc", "bus_mode": {"name": "DDR50"}},
        "run": {"suite": "quick", "tool": "bench", "target": "device"},
        "measurements": [measurement(index, random) for index in range(measurements)],
        "extra": {"number": number},
    }
    return json.dumps(document).encode()


def measurement(index: int, random: Random) -> dict[str, object]:
    direction, order = ("read", "write")[index % 2], ("sequential", "random")[index // 2 % 2]
    parameters = {"direction": direction, "order": order, "block_size_bytes": 4096 << index // 4}
    return {
        "workload": "stream",
        "metric": "iops",
        "unit": "1/s",
        "values": [random.lognormvariate(6, 0.3) for _ in range(3)],
        "parameters": parameters | {"queue_depth": 1, "io": "direct", "sync": "none"},
    }
