"""Measure the pages of a site with 2,000 models and 20,000 runs.

It prints the server time beside that of the same SQL sent directly, queries per page, and weight, largest paint and
layout shift of the first screen in Chromium. BENCH_MODELS=20000 BENCH_RUNS=200000 measures a large site and takes a
quarter of an hour.
"""

import gzip
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from statistics import median, quantiles
from urllib.request import urlopen

import psycopg

from tests import chromium

PROJECT = Path(__file__).parents[2]
MODELS = int(os.environ.get("BENCH_MODELS", "2000"))
RUNS = int(os.environ.get("BENCH_RUNS", "20000"))
READS = int(os.environ.get("BENCH_READS", "20"))

# All rows, one filter of each kind, several filters together, and a late page.
QUERIES = (
    "",
    "q=sandsk+64",
    "q=no+such+card",
    "q=which+sd+card+should+I+buy",
    "q=not+sandisk+64gb+pi+4",
    "q=my+sd+card+is+slow",
    "budget=15&currency=EUR",
    "maker=Toshiba",
    "bus_mode=SDR104",
    "flagged=yes&min_cards=8",
    "q=extreme&min_gb=32&max_gb=128&brand=brand+7&app_class=1&since=2020&min_cards=2",
    "page=40",
)
PAGES = ("/models/model-7/", "/compare/?m=model-1&m=model-2&m=model-3", "/boards/raspberry-pi-4/", "/recent/")


def main() -> None:
    environment = {
        "DEBUG": "False",
        "SECRET_KEY": token_hex(32),
        "IDENTITY_SECRET": token_hex(32),
        "ALLOWED_HOSTS": "*",
    }
    os.environ.update(environment | {"SECURE_COOKIES": "False", "LOG_LEVEL": "ERROR"})
    os.environ["DJANGO_SETTINGS_MODULE"] = "flashdb.settings"
    with tempfile.TemporaryDirectory() as static:
        os.environ["STATIC_ROOT"] = static
        _measure()


def _measure() -> None:
    for command in ("migrate", "collectstatic --no-input"):
        subprocess.run([sys.executable, "manage.py", *command.split(), "-v0"], cwd=PROJECT, check=True)
    import django

    django.setup()
    from django.db import connection as django_connection

    from tests.bench import site_rows

    seconds = _time_call(lambda: site_rows.store(models=MODELS, runs=RUNS))
    print(f"{MODELS:,} models, {RUNS:,} runs stored in {seconds:.0f} s", flush=True)
    options = str(django_connection.get_connection_params()["options"])
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, options=options) as connection:
        for path in (*(f"/?{query}" for query in QUERIES), *PAGES):
            _report(path, connection)
    _look()


def _report(path: str, connection: psycopg.Connection) -> None:
    from django.core.cache import caches
    from django.db import connection as own
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    def read() -> None:
        """Get the page like the first visitor after a change, when no response is cached."""
        caches["answers"].clear()
        response = client.get(path)
        assert response.status_code == 200, f"{path} answered {response.status_code}"

    client = Client()
    read()  # templates are compiled once
    with CaptureQueriesContext(own) as captured:
        read()
    statements = [query["sql"] for query in captured.captured_queries]
    times = [_time_call(read) for _ in range(READS)]
    floors = [
        _time_call(lambda: [connection.execute(statement).fetchall() for statement in statements])
        for _ in range(READS)
    ]
    print(
        f"{path}: p50 {_ms(median(times))}, p95 {_ms(_p95(times))}, x{median(times) / median(floors):.1f} "
        f"of its {len(statements)} queries by bare psycopg",
        flush=True,
    )


def _look() -> None:
    executable = chromium.executable()
    if executable is None:
        print("no Chromium on this machine: the first screen was not looked at")
        return
    from playwright.sync_api import sync_playwright

    with web() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        for width in (320, 1280):
            page = browser.new_page(viewport={"width": width, "height": 800})
            page.add_init_script(_OBSERVE)
            bodies: list[bytes] = []
            page.on("response", lambda response: bodies.append(response.body()))  # noqa: B023
            page.goto(address, wait_until="networkidle")
            seen = page.evaluate("window.seen")
            weight = sum(len(gzip.compress(body)) for body in bodies)
            print(
                f"first screen, {width} px: {weight / 1000:.1f} kB compressed in {len(bodies)} answers, "
                f"largest paint after {seen['lcp']:.0f} ms, layout shift {seen['cls']:.4f}"
            )
        browser.close()


_OBSERVE = """
window.seen = {lcp: 0, cls: 0};
new PerformanceObserver(list => list.getEntries().forEach(e => seen.lcp = e.startTime))
  .observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) seen.cls += e.value; }))
  .observe({type: 'layout-shift', buffered: true});
"""


@contextmanager
def web() -> Iterator[str]:
    """Run the site of the environment behind gunicorn; yield its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "flashdb.wsgi", "--bind", f"127.0.0.1:{port}"]
    server = subprocess.Popen([*command, "--no-control-socket", "--log-level", "error"], cwd=PROJECT)
    try:
        _await(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


def _await(port: int) -> None:
    # The port is open before the site is loaded, so only a response counts.
    for _ in range(600):
        with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/health/", timeout=60):
            return
        time.sleep(0.1)
    raise SystemExit("the web server did not start")


def _time_call(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    main()
