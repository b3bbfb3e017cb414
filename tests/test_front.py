"""The front server of docker compose, with Debian's nginx: it takes requests in whole and passes the visitor on."""

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

FRONT = Path(__file__).parent.parent / "flashdb" / "front"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")

pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx here: apt-get install nginx-light")


class Primary(BaseHTTPRequestHandler):
    """Stands where the web servers stand: says whom it takes for the visitor, one request at a time."""

    lacks: tuple[str, ...] = ()

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        told = f"{self.headers.get('X-Forwarded-For')} {self.headers.get('X-Forwarded-Proto')} {length}"
        self.rfile.read(length)
        self.send_response(404 if self.path in self.lacks else 200)
        self.send_header("Content-Length", str(len(told)))
        self.send_header("Who", type(self).__name__)
        self.end_headers()
        self.wfile.write(told.encode())

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


class Replica(Primary):
    """Lags behind."""

    lacks = ("/new/",)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def configured(kind: str, folder: Path, ports: dict[str, int]) -> Path:
    """The files of the project with the paths and ports of this test."""
    for file in FRONT.glob("*.conf"):
        text = file.read_text(encoding="utf-8").replace("/tmp/", f"{folder}/")
        primary, replica = (f"127.0.0.1:{ports[name]}" for name in ("primary", "replica"))
        text = text.replace("/etc/nginx/flashdb", str(folder)).replace("web:8000", primary)
        text = text.replace("server readers:8000", f"server {primary}; server {replica}")
        for port in ("8080", "8081", "8443"):
            text = text.replace(f"listen {port}", f"listen 127.0.0.1:{ports[port]}")
        text = text.replace("/certificates", str(folder)).replace("_timeout 15s", "_timeout 3s")
        (folder / file.name).write_text(text)
    return folder / f"{kind}.conf"


@pytest.fixture
def front(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, int]]:
    """nginx before two web servers, the second of which reads from a replica; yields the ports of all."""
    assert NGINX
    tmp_path.chmod(0o777)
    sites = [ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in (Primary, Replica)]
    for site in sites:
        Thread(target=site.serve_forever, daemon=True).start()
    ports = {name: free_port() for name in ("8080", "8081", "8443")}
    ports |= {name: site.server_address[1] for name, site in zip(("primary", "replica"), sites, strict=True)}
    certificate = ["-keyout", "privkey.pem", "-out", "fullchain.pem", "-subj", "/CN=localhost", "-days", "1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *certificate]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    file = configured(request.param, tmp_path, ports)
    nginx = [NGINX, "-p", str(tmp_path), "-c", str(file), "-g", "daemon off;"]
    tested = subprocess.run([*nginx, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    running = subprocess.Popen(nginx, stderr=subprocess.DEVNULL)
    try:
        yield ports
    finally:
        running.terminate()
        running.wait(20)
        for site in sites:
            site.shutdown()


def get(url: str, **headers: str) -> str:
    return ask(urllib.request.Request(url, headers=headers))[0]


def ask(request: urllib.request.Request) -> tuple[str, str]:
    """What was told, and by whom."""
    for _ in range(50):
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return str(answer.read().decode()), str(answer.headers["Who"])
        except ConnectionError:
            time.sleep(0.1)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)
    raise AssertionError(f"{request.full_url} does not answer")


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_slow_clients_reach_nobody_and_are_cut_off(front: dict[str, int]) -> None:
    """security.md #6."""
    assert get(f"http://127.0.0.1:{front['8080']}/").endswith(" 0")
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx"
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", front["8080"]))) for _ in range(200)
        ]
        for client in clients:
            client.sendall(head)
        began = time.monotonic()
        assert all(get(f"http://127.0.0.1:{front['8080']}/") for _ in range(10))
        assert time.monotonic() - began < 3
        clients[0].settimeout(20)
        with pytest.raises(ConnectionResetError):
            clients[0].recv(1000)


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_what_a_server_in_front_says_of_the_visitor_is_passed_on(front: dict[str, int]) -> None:
    url = f"http://127.0.0.1:{front['8080']}/"
    told = get(url, **{"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"})
    assert told == "192.0.2.7 https 0"


@pytest.mark.parametrize("front", ["tls"], indirect=True)
def test_with_tls_nothing_that_a_visitor_says_of_himself_is_believed(front: dict[str, int]) -> None:
    url = f"https://127.0.0.1:{front['8443']}/"
    command = ["curl", "--insecure", "--silent", "--retry", "9", "--retry-connrefused", "--retry-delay", "1"]
    lies = ["--header", "X-Forwarded-For: 192.0.2.7", "--header", "X-Forwarded-Proto: http"]
    told = subprocess.run([*command, *lies, url], capture_output=True, text=True, check=True).stdout
    assert told == "127.0.0.1 https 0"
    plain = f"http://127.0.0.1:{front['8081']}/models/?q=a"
    moved = subprocess.run([*command, "--head", plain], capture_output=True, text=True, check=True).stdout
    assert " 301 " in moved and "Location: https://127.0.0.1/models/?q=a" in moved


@pytest.mark.parametrize("front", ["http"], indirect=True)
@pytest.mark.parametrize(
    ("asked", "answering"),
    [
        ({}, {"Primary", "Replica"}),
        ({"path": "/new/"}, {"Primary"}),
        ({"method": "POST", "data": b"a"}, {"Primary"}),
        ({"headers": {"Cookie": "sessionid=a"}}, {"Primary"}),
        ({"headers": {"Cookie": "csrftoken=a"}}, {"Primary"}),
        ({"headers": {"Authorization": "Token a"}}, {"Primary"}),
    ],
)
def test_a_replica_answers_only_those_who_have_sent_nothing(
    front: dict[str, int], asked: dict[str, Any], answering: set[str]
) -> None:
    """And what it has not got yet, another one has."""
    path = asked.get("path", "/")
    sent = {name: value for name, value in asked.items() if name != "path"}
    url = f"http://127.0.0.1:{front['8080']}{path}"
    assert {ask(urllib.request.Request(url, **sent))[1] for _ in range(16)} == answering
