"""Security review, finding 6: the web server serves others while some clients send slowly."""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from flashdb import run_site
from tests.attack.processes import memory_bytes

from .supervision import ROOT, descendants, eventually, living

SLOW = 200
PAGE = "/robots.txt"  # asks no database


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Yield the port of a server that is shared by the tests that do not change it."""
    with serve_site() as (port, _):
        yield port


@contextmanager
def serve_site(**environment: str) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Run the web server as `make run` does; yield its port and the process of gunicorn."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    site = run_site.Site(f"http://127.0.0.1:{port}", port, ROOT, {}, ())
    settings = {"DEBUG": "True", "LOG_LEVEL": "WARNING"} | environment
    gunicorn = subprocess.Popen(
        run_site.gunicorn(site), cwd=ROOT, env=os.environ | run_site.SMALL_HEAPS | settings
    )
    try:
        assert eventually(lambda: get(port))
        yield port, gunicorn
    finally:
        gunicorn.terminate()
        gunicorn.wait(40)


def get(port: int) -> float:
    """Return the seconds that a page takes; 0 if the server does not respond yet."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{PAGE}", timeout=60) as answer:
            assert answer.status == 200
    except ConnectionError:
        return 0
    except urllib.error.URLError as error:
        if isinstance(error.reason, ConnectionError):
            return 0
        raise
    return time.monotonic() - began


def slow_clients(port: int, begin: bytes, stack: ExitStack) -> list[socket.socket]:
    clients = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(SLOW)]
    for client in clients:
        client.sendall(begin)
    return clients


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        b"POST /api/v1/parse/ HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n",
    ],
    ids=["nothing", "headers", "body"],
)
def test_two_hundred_slow_clients_stop_nobody(begin: bytes, port: int) -> None:
    """Each client sends a byte now and then, and never ends; nine of them once occupied all threads."""
    with ExitStack() as stack:
        clients = slow_clients(port, begin, stack)
        times = []
        for _ in range(3):
            for client in clients:
                client.send(b"x" if begin else b"")
            times += [get(port) for _ in range(10)]
        assert all(times)
        assert max(times) < 50, times  # where threads are held, as long as the clients may take: 60 s


def test_a_request_that_never_ends_is_cut_off() -> None:
    with (
        serve_site(REQUEST_DEADLINE_S="1") as (port, _),
        socket.create_connection(("127.0.0.1", port)) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        began, cut = time.monotonic(), False
        client.settimeout(0.5)
        while not cut and time.monotonic() - began < 60:
            try:
                client.send(b"x")
                cut = client.recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                cut = True
        assert cut and time.monotonic() - began > 0.8


def test_what_was_begun_is_finished_when_it_is_told_to_stop() -> None:
    with (
        serve_site() as (port, gunicorn),
        socket.create_connection(("127.0.0.1", port), timeout=20) as client,
    ):
        family = descendants(gunicorn.pid)
        body = b" Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n" * 4_000
        head = f"POST /api/v1/parse/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        client.sendall(f"{head}Content-Type: text/plain\r\nConnection: close\r\n\r\n".encode() + body)
        time.sleep(0.3)
        gunicorn.send_signal(signal.SIGTERM)
        answer = b"".join(iter(lambda: client.recv(65_536), b""))
        assert answer.startswith(b"HTTP/1.1 200") and json.loads(answer.partition(b"\r\n\r\n")[2])["numbers"]
        assert gunicorn.wait(40) == 0
        assert eventually(lambda: not living(family))


def test_a_body_larger_than_any_address_takes_is_refused_before_it_is_read(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(b"POST /api/v1/parse/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99000000\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 413")


def test_memory_of_large_bodies_goes_back_to_the_system() -> None:
    """Eight threads repeatedly receive 8 MB each; a process once kept 60 MB of this for good."""
    with serve_site(GUNICORN_CMD_ARGS="--workers 1", RATE_LIMITS="off") as (port, gunicorn):
        (web,) = descendants(gunicorn.pid)
        before = memory_bytes(web)
        with ThreadPoolExecutor(8) as clients:
            assert set(clients.map(large_body, [port] * 48)) <= {200, 400, 413, 503}
        large_body(port)  # each collects earlier bodies; those that end together collect none
        assert memory_bytes(web) - before < 45_000_000


def large_body(port: int) -> int:
    """Send 7.9 MB of meaningless text, and return the status of the response."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    client.request("POST", "/api/v1/parse/", b"no line\n" * 990_000, {"Content-Type": "text/plain"})
    answer = client.getresponse()
    answer.read()
    client.close()
    return answer.status


def test_a_process_ends_after_its_last_request_and_another_takes_its_place() -> None:
    command = ["--max-requests", "5", "--max-requests-jitter", "0"]
    with serve_site(GUNICORN_CMD_ARGS=" ".join([*command, "--workers", "1"])) as (port, gunicorn):
        first = descendants(gunicorn.pid)
        assert all(get(port) >= 0 for _ in range(6))
        assert eventually(lambda: descendants(gunicorn.pid) != first)
        assert eventually(lambda: get(port))
