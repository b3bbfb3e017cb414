"""Reports are sent: the receipt, refusals of the server, and a server that cannot be reached."""

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cardbench.errors import ServerNotReached, ServerRefused, UsageError
from cardbench.server.request import Server
from cardbench.server.submit import submit

GOLDEN = Path(__file__).parents[1] / "golden" / "demo-seed-1.json"
RECEIPT = {
    "id": "k3v9q2m7wz4d",
    "state": "received",
    "duplicate": False,
    "delete_key": "secret",
    "links": {
        "self": "http://x/api/v1/submissions/k3v9q2m7wz4d/",
        "page": "http://x/submissions/k3v9q2m7wz4d/",
    },
}
REFUSAL = {"error": {"code": "wrong_shape", "detail": "Expected int.", "field": "card.size_bytes"}}


class Site(ThreadingHTTPServer):
    """A server that sends the next of its prepared responses (status, body, headers), and records the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[tuple[int, object, dict[str, str]]] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.submission: dict[str, object] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def will_say(self, status: int, body: object = None, **headers: str) -> None:
        self.replies.append((status, body, headers))


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        """Answer with the state of the report, if a test has set one."""
        submission = self.server.submission
        self._answer(200 if submission else 404, submission or REFUSAL, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), body))
        status, answer, headers = self.server.replies.pop(0)
        if status == 0:  # hangs up without an answer
            self.close_connection = True
            return
        self._answer(status, answer, headers)

    def _answer(self, status: int, answer: object, headers: dict[str, str]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    running = Site()
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def make_server(site: Site, **more) -> Server:
    return Server(site.url, first_pause_s=0.01, **more)


def nobody() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_it_works(site):
    site.will_say(202, RECEIPT)
    assert submit(b'{"a": 1}', make_server(site, token="t0ken"))["id"] == "k3v9q2m7wz4d"
    ((path, headers, body),) = site.requests
    assert (path, body) == ("/api/v1/submissions/", b'{"a": 1}')
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Token t0ken"


def test_without_a_token_nothing_is_authorized(site):
    site.will_say(202, RECEIPT)
    submit(b"{}", make_server(site))
    assert "Authorization" not in site.requests[0][1]


@pytest.mark.parametrize("status", [0, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again_with_the_same_bytes(site, status):
    site.will_say(status)
    site.will_say(200, RECEIPT | {"duplicate": True})
    notes: list[str] = []
    assert submit(b"{}", make_server(site), say=notes.append)["duplicate"] is True
    assert [body for _, _, body in site.requests] == [b"{}", b"{}"]
    assert "trying again" in notes[0]


def test_pauses_grow_and_the_server_may_name_one(site):
    for _ in range(2):
        site.will_say(503)
    site.will_say(429, None, Retry_After="0")
    site.will_say(202, RECEIPT)
    notes: list[str] = []
    submit(b"{}", make_server(site), say=notes.append)
    assert [line.rsplit(" in ")[-1] for line in notes] == ["0.01 s.", "0.02 s.", "0.04 s."]


def test_a_pause_that_the_server_names_lasts_a_minute_at_most(site, monkeypatch):
    pauses_s: list[float] = []
    monkeypatch.setattr("cardbench.server.http.time.sleep", pauses_s.append)
    site.will_say(429, None, Retry_After="7")
    site.will_say(503, None, Retry_After="86400")
    site.will_say(202, RECEIPT)
    submit(b"{}", make_server(site))
    assert pauses_s == [7, 60]


@pytest.mark.parametrize("status", [400, 403, 413, 415, 501])
def test_a_refusal_is_told_in_the_servers_words_and_not_repeated(site, status):
    site.will_say(status, REFUSAL)
    with pytest.raises(ServerRefused, match=r"Expected int \(at card\.size_bytes\) \(HTTP"):
        submit(b"{}", make_server(site))
    assert len(site.requests) == 1


@pytest.mark.parametrize("answer", [None, [], {"id": "x"}, "welcome"])
def test_an_answer_without_a_receipt_is_a_refusal(site, answer):
    site.will_say(200, answer)
    with pytest.raises(ServerRefused, match="no receipt"):
        submit(b"{}", make_server(site))


def test_a_redirect_is_not_followed_but_told(site):
    site.will_say(301, None, Location="https://new.example/")
    with pytest.raises(ServerRefused, match=r"moved to https://new\.example/"):
        submit(b"{}", make_server(site))


def test_nobody_there():
    with pytest.raises(ServerNotReached, match="count only once"):
        submit(b"{}", Server(nobody(), attempts=2, first_pause_s=0.01))


@pytest.mark.parametrize("url", ["example.org", "ftp://example.org", "file:///etc/passwd", "http://[::1", ""])
def test_what_is_no_server(url):
    with pytest.raises(UsageError):
        submit(b"{}", Server(url))


@pytest.fixture
def saved_report(tmp_path) -> Path:
    path = tmp_path / "r.json"
    path.write_bytes(GOLDEN.read_bytes())
    return path


def test_the_command_keeps_the_receipt_to_itself(cardbench, site, saved_report):
    site.will_say(202, RECEIPT)
    answer = cardbench("submit", saved_report, CARDBENCH_SERVER=site.url)
    assert answer.returncode == 0
    assert "http://x/submissions/k3v9q2m7wz4d/" in answer.stdout
    assert "secret" in answer.stdout
    file = saved_report.with_name("r.receipt.json")
    kept = json.loads(file.read_text())
    assert kept == RECEIPT | {"secret": kept["secret"]}
    assert kept["secret"] not in answer.stdout
    assert file.stat().st_mode & 0o777 == 0o600
    assert site.requests[0][2] == GOLDEN.read_bytes()


def test_json_answers_with_the_receipt(cardbench, site, saved_report):
    site.will_say(202, RECEIPT)
    assert json.loads(cardbench("submit", saved_report, "--server", site.url, "--json").stdout) == RECEIPT


def test_a_dry_run_prints_the_bytes_and_sends_nothing(cardbench, site, saved_report):
    answer = cardbench("submit", saved_report, "--server", site.url, "--dry-run")
    assert (answer.returncode, answer.stdout) == (0, GOLDEN.read_text())
    assert site.requests == []


def test_a_refused_report_ends_with_5_and_the_others_are_sent(cardbench, site, saved_report):
    other = saved_report.with_name("s.json")
    other.write_bytes(saved_report.read_bytes())
    site.will_say(400, REFUSAL)
    site.will_say(202, RECEIPT)
    answer = cardbench("submit", saved_report, other, "--server", site.url)
    assert answer.returncode == 5
    refused, received = (
        json.loads(path.with_suffix(".receipt.json").read_text()) for path in (saved_report, other)
    )
    assert set(refused) == {"secret"}, "no receipt; its sender is the same when it is sent again"
    assert received["id"] == RECEIPT["id"]


def test_nobody_there_ends_with_6(cardbench, saved_report):
    answer = cardbench("submit", saved_report, "--server", nobody(), "--attempts", 1, "--json")
    assert answer.returncode == 6
    assert json.loads(answer.stdout)["error"]["code"] == "server_not_reached"


def test_every_attempt_brings_the_same_secret_and_every_server_another(site):
    site.will_say(503)
    for _ in range(3):
        site.will_say(202, RECEIPT)
    submit(b"{}", make_server(site), secret="kept")
    submit(b"{}", make_server(site))
    submit(b"{}", Server(site.url.replace("127.0.0.1", "localhost")), secret="kept")
    first, again, without, elsewhere = (headers["Receipt-Secret"] for _, headers, _ in site.requests)
    assert first == again
    assert len({first, without, elsewhere}) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", sent) for sent in (first, without, elsewhere))


def test_a_refusal_that_comes_while_it_sends_is_heard() -> None:
    """A server that refuses a large body closes early; the client must report the refusal, not a lost connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = json.dumps(
            {"error": {"code": "too_large", "detail": "At most 8 MB are taken.", "field": ""}}
        ).encode()
        head = f"HTTP/1.1 413 Too Large\r\nContent-Length: {len(words)}\r\nConnection: close\r\n\r\n".encode()

        def refuse() -> None:
            client, _ = listener.accept()
            client.recv(1000)
            client.sendall(head + words)
            client.shutdown(socket.SHUT_WR)
            time.sleep(0.3)
            client.close()

        threading.Thread(target=refuse, daemon=True).start()
        server = Server(f"http://127.0.0.1:{listener.getsockname()[1]}", attempts=2, first_pause_s=0.01)
        with pytest.raises(ServerRefused, match=r"At most 8 MB are taken \(HTTP 413\)"):
            submit(b"x" * 20_000_000, server)
