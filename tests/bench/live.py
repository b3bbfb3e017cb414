"""Run a live web server, send it requests from clients, and print figures about them."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from statistics import median, quantiles
from typing import Any

import psycopg

PROJECT = Path(__file__).parents[2]
# As behind one proxy: every request counts for the rate limits, but these are too high to be reached.
ENVIRONMENT = os.environ | {
    "DEBUG": "False",
    "SECRET_KEY": token_hex(32),
    "IDENTITY_SECRET": token_hex(32),
    "ALLOWED_HOSTS": "127.0.0.1",
    "SECURE_COOKIES": "False",
    "LOG_LEVEL": "ERROR",
    "NUM_PROXIES": "1",
    "RATE_LIMITS": "submit=900000000/hour,read=900000000/hour",
}
VISITOR = {"X-Forwarded-For": "203.0.113.7"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage  # names in any case: the web server writes Etag
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Measured:
    """The durations in seconds of calls by several clients at once."""

    seconds: float
    times: list[float]

    @property
    def rate(self) -> float:
        return len(self.times) / self.seconds

    def __str__(self) -> str:
        return f"{self.rate:,.0f}/s, p50 {ms(median(self.times))}, p99 {ms(percentile(self.times, 99))}"


@contextmanager
def web(application: str = "flashdb.wsgi") -> Iterator[int]:
    """Run gunicorn with an application, in the same way for all that are compared; yield its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    options = ["--config", "python:flashdb.web_server", "--log-level", "error"]
    command = [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", *options]
    server = subprocess.Popen(command, cwd=PROJECT, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    try:
        _await(port)
        yield port
    finally:
        server.terminate()
        server.wait()


@contextmanager
def worker() -> Iterator[None]:
    options = ["--concurrency", "2", "--loglevel", "ERROR", "--without-mingle", "--without-gossip"]
    command = [sys.executable, "-m", "celery", "-A", "flashdb", "worker", *options]
    nowhere = subprocess.DEVNULL
    running = subprocess.Popen(command, cwd=PROJECT, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere)
    try:
        yield
    finally:
        running.terminate()
        running.wait()


def manage(*arguments: str) -> None:
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=PROJECT, env=ENVIRONMENT, check=True)


def ask(
    port: int,
    path: str,
    *,
    body: bytes | None = None,
    expected: int = 200,
    headers: Mapping[str, str] = VISITOR,
) -> Answer:
    """Send a request as `fetch` does; end the benchmark if the response has another status than `expected`."""
    sent = dict(headers) | ({"Content-Type": "application/json"} if body else {})
    answer = fetch(port, path, body=body, headers=sent)
    if answer.status != expected:
        raise SystemExit(f"{path} answered {answer.status}: {answer.body[:500]!r}")
    return answer


def fetch(port: int, path: str, *, body: bytes | None = None, headers: Mapping[str, str]) -> Answer:
    """Send a request on a new connection, as `cardbench` and curl do, and return the response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("POST" if body else "GET", path, body, dict(headers))
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def measure_calls(clients: int, calls: Sequence[Callable[[], object]]) -> Measured:
    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = list(pool.map(time_call, calls))
    return Measured(time.perf_counter() - began, times)


def time_call(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def connect() -> psycopg.Connection:
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def count(condition: str) -> int:
    """Return the number of submissions for which an SQL condition holds."""
    with connect() as connection:
        row = connection.execute(f"SELECT count(*) FROM submissions_submission WHERE {condition}").fetchone()
        return int(row[0]) if row else 0


def percentile(values: Sequence[float], number: int) -> float:
    return quantiles(values, n=100)[number - 1]


def yardstick_ms() -> float:
    """Return the ms that a million additions take on this machine now."""
    began = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number
    return 1e3 * (time.perf_counter() - began)


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def say(line: str) -> None:
    print(line, flush=True)


def _await(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the web server did not start")
