"""Whatever a server responds, each command ends with one of its exit statuses, and its output controls no terminal."""

import io
import json
import threading
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cardbench.api import Session
from cardbench.cli import reports
from cardbench.cli.main import main
from cardbench.cli.show.text import factorize
from cardbench.errors import ServerNotReached
from cardbench.server import connection, http
from cardbench.server.request import Request, Server
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.client.server.test_submit import GOLDEN, RECEIPT
from tests.client.test_shapes import DECODED, FOUND, NASTY, PARSED, SEARCHED, places, replace_part

SYSFS = Path(__file__).parents[1] / "sysfs" / "beaglebone"
CLEAR = "\x1b[2J\x9b31m\u202e"
ANSWERS = (DECODED, PARSED, FOUND | RECEIPT, SEARCHED, {"results": [{"value": 1.5}], "next": "/x/?page=2"})
BODIES = (
    *(b"[" * 200_000, b'{"a":' * 200_000, b'{"results": [], "next": "/again/"}', b"", b"\xff\xfe"),
    *(
        b'{"sentence": 1e400, "suspicions": []}',
        b"9" * 5_000,
        json.dumps({"error": {"detail": CLEAR}}).encode(),
    ),
)
STATUSES = (200, 200, 200, 200, 202, 204, 301, 400, 404, 429, 500, 503, 999)
HEADERS = (
    *(("Retry-After", "9" * 400), ("Retry-After", "²"), ("Retry-After", "-1"), ("Location", "http://[")),
    *(("Location", f"/{CLEAR}"), ("Content-Length", "7"), ("Content-Length", "x"), ("X-Long", "x" * 70_000)),
)
ENDS = {0, 2, 4, 5, 6}


class Hostile(ThreadingHTTPServer):
    """A server that sends the same bytes in every response, `at_once` bytes at a time, with a pause after each part."""

    answer = b""
    at_once, pause_s = 10_000_000, 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Hostile

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.close_connection = True
        with suppress(BrokenPipeError, ConnectionResetError):
            for begin in range(0, len(self.server.answer), self.server.at_once):
                self.wfile.write(self.server.answer[begin : begin + self.server.at_once])
                threading.Event().wait(self.server.pause_s)  # the client of these tests does not sleep

    do_GET = do_POST

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hostile]:
    monkeypatch.setattr("cardbench.server.http.time.sleep", lambda _pause_s: None)
    monkeypatch.setattr(reports, "_PATIENCE_S", 0)
    with Hostile(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def commands(server: Hostile, folder: Path) -> dict[str, list[str]]:
    report, log = folder / "r.json", folder / "log.txt"
    report.write_bytes(GOLDEN.read_bytes())
    log.write_text("10+0 records in")
    to = ["--server", server.url]
    return {
        "identify": ["identify", "mmcblk1", "--sysfs", str(SYSFS), *to],
        "show": ["show", str(report), *to],
        "submit": ["submit", str(report), "--attempts", "2", *to],
        "parse": ["parse", str(log), *to],
    }


def run(words: list[str]) -> tuple[int, str]:
    """Run a command of cardbench; return its exit status and its output."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        status = main(words)
    return status, "".join(stream.buffer.getvalue().decode() for stream in streams)


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    body = draw(st.sampled_from(BODIES))
    if draw(st.booleans()):
        document: Any = deepcopy(draw(st.sampled_from(ANSWERS)))
        for place in draw(st.lists(st.sampled_from([*places(document)]), max_size=3)):
            replace_part(document, place, draw(NASTY | st.just(CLEAR)))
        body = json.dumps(document, ensure_ascii=False).encode()
    lines = [f"{name}: {value}" for name, value in draw(st.lists(st.sampled_from(HEADERS), max_size=1))]
    reason = draw(st.sampled_from(("OK", CLEAR)))
    head = "\r\n".join((f"HTTP/1.1 {draw(st.sampled_from(STATUSES))} {reason}", *lines, "", ""))
    return draw(st.sampled_from((head.encode() + body, head.encode() + body, head.encode() + body, body)))


@pytest.mark.parametrize("name", ["identify", "show", "submit", "parse"])
def test_each_command_ends(hostile: Hostile, tmp_path: Path, name: str) -> None:
    words = commands(hostile, tmp_path)[name]

    @given(answers())
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(answer: bytes) -> None:
        (tmp_path / "r.receipt.json").unlink(missing_ok=True)
        hostile.answer, begun_s = answer, time.monotonic()
        status, text = run(words)
        assert status in ENDS and text.strip()
        assert all(letter.isprintable() or letter in "\n\t" for letter in text)
        assert time.monotonic() - begun_s < 10

    ask()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 " + b"x" * 10_000, HEAD % 10_000], ids=["head", "body"])
def test_an_answer_in_single_bytes_ends(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    """Each byte came within the time for one read, so that the client waited for ever."""
    monkeypatch.setattr(connection, "LONGEST_S", 0.3)
    hostile.answer, hostile.at_once, hostile.pause_s = head + b"x" * 10_000, 1, 0.005
    begun_s = time.monotonic()
    with pytest.raises(ServerNotReached, match="the connection was lost"):
        http.ask(Request("/"), Server(hostile.url, attempts=2))
    assert time.monotonic() - begun_s < 5


def test_a_long_answer_may_take_long(hostile: Hostile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_S", 0.2)
    hostile.answer, hostile.at_once, hostile.pause_s = HEAD % 50_000 + b"x" * 50_000, 5_000, 0.05
    begun_s = time.monotonic()
    assert len(http.ask(Request("/"), Server(hostile.url, attempts=1))) == 50_000
    assert time.monotonic() - begun_s > 0.4


def test_a_list_of_empty_pages_ends(hostile: Hostile) -> None:
    body = b'{"results": [], "next": "/again/"}'
    hostile.answer = b"HTTP/1.1 200 OK\r\n\r\n" + body
    assert [*Session(hostile.url).measurements()] == []


@pytest.mark.parametrize("size_bytes", [2**63 - 25, 4_294_967_291 * 4_294_967_279])  # a prime; two large ones
def test_a_size_without_small_factors_is_shown_at_once(size_bytes: int) -> None:
    begun_s = time.monotonic()
    assert factorize(size_bytes) == str(size_bytes)
    assert time.monotonic() - begun_s < 1
    assert factorize(3_904_897_024) == "2^22 × 7^2 × 19"
