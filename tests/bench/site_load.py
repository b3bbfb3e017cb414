"""Submissions accepted and processed per second, and the latency of the finder, on a live site.

The site is the real one: gunicorn, a Celery worker, PostgreSQL and Redis as processes. Floors in the same run: the same
bodies inserted by bare psycopg with a commit each, and the finder's own SQL sent by bare psycopg.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles

import psycopg

PROJECT = Path(__file__).parents[2]
REPORTS = int(os.environ.get("BENCH_REPORTS", "1000"))
MEASUREMENTS = 40
CLIENTS = (1, 8)
READS = 200


def main() -> None:
    environment = os.environ | {
        "DEBUG": "False",
        "SECRET_KEY": "bench " * 6,
        "IDENTITY_SECRET": "identity " * 4,
    }
    environment |= {"ALLOWED_HOSTS": "127.0.0.1", "SECURE_COOKIES": "False", "LOG_LEVEL": "WARNING"}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=PROJECT, env=environment, check=True)
    with _web(environment) as port:
        _accept(port)
        _process(environment)
        _read(port)


def _accept(port: int) -> None:
    for warm_up in range(8):
        _post(port, report(-1 - warm_up))
    for number, clients in enumerate(CLIENTS):
        bodies = [report(number * REPORTS + index) for index in range(REPORTS)]
        floor = _psycopg_floor(bodies)
        seconds, times = _at_once(clients, [partial(_post, port, body) for body in bodies])
        rate = REPORTS / seconds
        print(
            f"accepted, {clients} at once: {rate:,.0f}/s with {MEASUREMENTS} measurements each, "
            f"p50 {_ms(median(times))}, p99 {_ms(_p(times, 99))}; bare psycopg, one connection: {floor:,.0f}/s "
            f"(ratio {rate / floor:.2f})",
            flush=True,
        )


def _process(environment: dict[str, str]) -> None:
    waiting = _count("state = 'received'")
    worker = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "flashdb",
        "worker",
        "-c",
        "2",
        "-l",
        "ERROR",
        "--without-mingle",
    ]
    began = time.perf_counter()
    running = subprocess.Popen(
        worker, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while _count("state <> 'received'") == 0:
            time.sleep(0.02)
        first = time.perf_counter()
        while _count("state = 'received'"):
            time.sleep(0.02)
        seconds = time.perf_counter() - first
    finally:
        running.terminate()
        running.wait()
    print(
        f"processed and ranked: {waiting / seconds:,.0f}/s by 2 worker processes ({waiting:,} submissions, "
        f"{waiting * MEASUREMENTS:,} measurements; the first after {first - began:.1f} s of start-up)",
        flush=True,
    )


def _read(port: int) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        stored = {
            table: connection.execute(f"SELECT count(*) FROM submissions_{table}").fetchone()[0]  # type: ignore[index]
            for table in ("cardmodel", "card", "measurement")
        }
        slug = connection.execute("SELECT slug FROM submissions_cardmodel ORDER BY id LIMIT 1").fetchone()[0]  # type: ignore[index]
        floor = median(_timed(lambda: connection.execute(_FINDER_SQL).fetchall()) for _ in range(READS))
    print(
        f"with {stored['cardmodel']:,} models, {stored['card']:,} cards, {stored['measurement']:,} measurements stored:"
    )
    for title, path in (
        ("finder", "/"),
        ("finder, filtered", "/?q=brand+7"),
        ("model page", f"/models/{slug}/"),
    ):
        _get(port, path)
        _, times = _at_once(1, [partial(_get, port, path)] * READS)
        print(f"  {title}: p50 {_ms(median(times))}, p95 {_ms(_p(times, 95))}", flush=True)
    print(f"  the finder's ranking alone, by bare psycopg: p50 {_ms(floor)}")


# As ScoreQuerySet.ranking: every score of one profile and interface with its position and model.
_FINDER_SQL = """
    SELECT score.*, model.*, row_number() OVER (ORDER BY score.bound DESC, score.card_model_id)
    FROM submissions_score score JOIN submissions_cardmodel model ON model.id = score.card_model_id
    WHERE score.profile = 'pi-root' AND score.interface = 'sdr104' AND NOT model.simulated
    ORDER BY score.bound DESC, score.card_model_id
"""


def report(number: int) -> bytes:
    """One of many: a hundred models, several cards each, forty measurements drawn by seed."""
    random = Random(number)
    label = {"brand": f"Brand {number % 100}", "line": "Bench", "capacity_gb": 32}
    document = {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "bench"},
        "card": {"bus": "SD", "label": label, "specimen": f"card {number // 3}"},
        "host": {"board": "Raspberry Pi 4", "interface": "mmc", "bus_mode": {"name": "DDR50"}},
        "run": {"suite": "quick", "tool": "bench", "target": "device"},
        "measurements": [_measurement(index, random) for index in range(MEASUREMENTS)],
        "extra": {"number": number},
    }
    return json.dumps(document).encode()


def _measurement(index: int, random: Random) -> dict[str, object]:
    direction, order = ("read", "write")[index % 2], ("sequential", "random")[index // 2 % 2]
    parameters = {"direction": direction, "order": order, "block_size_bytes": 4096 << index // 4}
    return {
        "workload": "stream",
        "metric": "iops",
        "unit": "1/s",
        "values": [random.lognormvariate(6, 0.3) for _ in range(3)],
        "parameters": parameters | {"queue_depth": 1, "io": "direct", "sync": "none"},
    }


@contextmanager
def _web(environment: dict[str, str]) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "flashdb.wsgi",
        "--bind",
        f"127.0.0.1:{port}",
        "--workers",
        "2",
    ]
    command += ["--threads", "4", "--no-control-socket", "--log-level", "error", "--keep-alive", "30"]
    server = subprocess.Popen(command, cwd=PROJECT, env=environment)
    try:
        _await(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def _await(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the web server did not start")


def _at_once(clients: int, calls: Sequence[Callable[[], object]]) -> tuple[float, list[float]]:
    """Seconds for all calls by so many clients, and the seconds of each."""
    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = list(pool.map(_timed, calls))
    return time.perf_counter() - began, times


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _post(port: int, body: bytes) -> None:
    _request(port, "POST", "/api/v1/submissions/", body, expected=202)


def _get(port: int, path: str) -> None:
    _request(port, "GET", path, None, expected=200)


def _request(port: int, method: str, path: str, body: bytes | None, *, expected: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"} if body else {}
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    if response.status != expected:
        raise SystemExit(f"{method} {path} answered {response.status}: {text[:500]!r}")


def _psycopg_floor(bodies: Sequence[bytes]) -> float:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE floor (id bigserial PRIMARY KEY, body bytea)")
        seconds = _timed(
            lambda: [connection.execute("INSERT INTO floor (body) VALUES (%s)", [body]) for body in bodies]
        )
    return len(bodies) / seconds


def _count(condition: str) -> int:
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        row = connection.execute(f"SELECT count(*) FROM submissions_submission WHERE {condition}").fetchone()
        return int(row[0]) if row else 0


def _p(values: Sequence[float], percentile: int) -> float:
    return quantiles(values, n=100)[percentile - 1]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
