"""The front server of docker compose buffers whole requests and passes the visitor's address on.

The tests run it as Debian's nginx.
"""

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

FRONT = Path(__file__).parent.parent / "flashdb" / "front"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")

pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx here: apt-get install nginx-light")
LARGE = "dumps/2026-11-28T000000Z/measurements.parquet"
LARGE_BYTES = 40_000_000
PORTS = ("8080", "8081", "8443")


class Names:
    """A name server like Docker's: it gives the current address of `web`, and the web servers that are `readers`."""

    def __init__(self) -> None:
        self.web, self.replicas = "127.0.0.1", list[str]()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        while True:
            asked, sender = self._socket.recvfrom(512)
            if asked == b"end":
                return
            question = asked[12 : asked.index(b"\0", 12) + 5]
            places = [self.web, *(self.replicas if b"readers" in question else ())]
            head = asked[:2] + b"\x81\x80" + asked[4:6] + bytes([0, len(places), 0, 0, 0, 0])
            record = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4"
            answers = b"".join(record + socket.inet_aton(place) for place in places)
            self._socket.sendto(head + question + answers, sender)

    def end(self) -> None:
        self._socket.sendto(b"end", self._socket.getsockname())


@dataclass
class Front:
    """An nginx in front of a site: its ports, its folder, and the name server that it asks."""

    ports: dict[str, int]
    folder: Path
    names: Names
    pid: int

    def url(self, port: str, path: str = "/", *, host: str = "127.0.0.1") -> str:
        return f"{'https' if port == '8443' else 'http'}://{host}:{self.ports[port]}{path}"

    def scratch_bytes(self) -> int:
        """Return the bytes of responses that wait on the disk.

        nginx unlinks their files at once, but holds them open.
        """
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        size_bytes = 0
        for file in (file for worker in workers for file in Path(f"/proc/{worker}/fd").iterdir()):
            with suppress(FileNotFoundError):  # it was closed meanwhile
                if str(file.readlink()).startswith(f"{self.folder}/proxy"):
                    size_bytes += file.stat().st_size
        return size_bytes


class Primary(BaseHTTPRequestHandler):
    """A web server that returns the visitor's address as it sees it, one request at a time."""

    lacks: tuple[str, ...] = ()

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if self.path == "/large" or self.path.startswith("/files/"):
            return self._send(b"x" * LARGE_BYTES)
        told = f"{self.headers.get('X-Forwarded-For')} {self.headers.get('X-Forwarded-Proto')} {length}"
        self.rfile.read(length)
        return self._send(told.encode())

    def _send(self, body: bytes) -> None:
        self.send_response(404 if self.path in self.lacks else 200)
        self.send_header("Who", type(self).__name__)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


class Replica(Primary):
    """A web server that lacks the newest page, because its database is behind."""

    lacks = ("/new/",)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def write_configuration(kind: str, folder: Path, ports: dict[str, int], names: Names) -> Path:
    """Write nginx's configuration files with the paths and ports of this test.

    Return the path of the file of this kind.
    """
    is_old = "1.22" in subprocess.run([str(NGINX), "-v"], capture_output=True, text=True, check=True).stderr
    for file in FRONT.glob("*.conf"):
        text = file.read_text(encoding="utf-8")
        for port in PORTS:
            text = text.replace(f"listen {port}", f"listen 127.0.0.1:{ports[port]}")
            text = text.replace(f"listen [::]:{port}", f"listen [::1]:{ports[port]}")
        for place in ("/tmp/", "/bodies", "/certificates", "/acme"):
            text = text.replace(f" {place}", f" {folder}{place.replace('/tmp', '')}")
        text = text.replace("root /;", f"root {folder};").replace("/etc/nginx/flashdb", str(folder))
        text = text.replace("_timeout 15s", "_timeout 3s")
        text = text.replace(":8000", f":{ports['site']}").replace("valid=5s", "valid=1s")
        text = text.replace("127.0.0.11", f"127.0.0.1:{names.port}")
        if is_old:  # Debian 12's knows the older spelling only
            text = text.replace("http2 on;", "").replace(" ssl;", " ssl http2;")
        (folder / file.name).write_text(text)
    return folder / f"{kind}.conf"


@pytest.fixture
def site() -> Iterator[ThreadingHTTPServer]:
    site = ThreadingHTTPServer(("127.0.0.1", 0), Primary)
    Thread(target=site.serve_forever, daemon=True).start()
    yield site
    site.shutdown()
    site.server_close()


@pytest.fixture
def front(request: pytest.FixtureRequest, tmp_path: Path, site: ThreadingHTTPServer) -> Iterator[Front]:
    """Start nginx in front of a site, and yield it."""
    assert NGINX
    ports = {name: free_port() for name in PORTS} | {"site": site.server_address[1]}
    certificate = ["-keyout", "privkey.pem", "-out", "fullchain.pem", "-subj", "/CN=localhost", "-days", "1"]
    (tmp_path / "certificates").mkdir()
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *certificate]
    subprocess.run(command, cwd=tmp_path / "certificates", check=True, capture_output=True)
    names = Names()
    file = write_configuration(request.param, tmp_path, ports, names)
    as_root = "user root;" if os.geteuid() == 0 else ""  # others may not enter the folders of tests
    nginx = [NGINX, "-p", str(tmp_path), "-c", str(file), "-g", f"daemon off; {as_root}"]
    tested = subprocess.run([*nginx, "-t"], capture_output=True, text=True, check=False)
    assert (tested.returncode, "[warn]" in tested.stderr) == (0, False), tested.stderr
    with (tmp_path / "log").open("w") as log:
        running = subprocess.Popen(nginx, stderr=log)
    try:
        yield Front(ports, tmp_path, names, running.pid)
    finally:
        running.terminate()
        running.wait(20)
        names.end()


def get(url: str, **headers: str) -> str:
    return ask(urllib.request.Request(url, headers=headers))[0]


def ask(request: urllib.request.Request) -> tuple[str, str]:
    """Return the body of a response, and the name of the web server that sent it."""
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
def test_slow_clients_reach_nobody_and_are_cut_off(front: Front) -> None:
    assert get(front.url("8080")).endswith(" 0")
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx"
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", front.ports["8080"])))
            for _ in range(200)
        ]
        for client in clients:
            client.sendall(head)
        began = time.monotonic()
        assert all(get(front.url("8080")) for _ in range(10))
        assert time.monotonic() - began < 3
        clients[0].settimeout(20)
        with pytest.raises(ConnectionResetError):
            clients[0].recv(1000)


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_what_a_server_in_front_says_of_the_visitor_is_passed_on(front: Front) -> None:
    url = front.url("8080")
    told = get(url, **{"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"})
    assert told == "192.0.2.7 https 0"


@pytest.mark.parametrize("front", ["tls"], indirect=True)
def test_with_tls_nothing_that_a_visitor_says_of_himself_is_believed(front: Front) -> None:
    url = front.url("8443")
    command = ["curl", "--insecure", "--silent", "--retry", "9", "--retry-connrefused", "--retry-delay", "1"]
    lies = ["--header", "X-Forwarded-For: 192.0.2.7", "--header", "X-Forwarded-Proto: http"]
    told = subprocess.run([*command, *lies, url], capture_output=True, text=True, check=True).stdout
    assert told == "127.0.0.1 https 0"
    plain = front.url("8081", "/models/?q=a")
    moved = subprocess.run([*command, "--head", plain], capture_output=True, text=True, check=True).stdout
    assert " 301 " in moved and "Location: https://127.0.0.1/models/?q=a" in moved


@pytest.fixture
def replica(front: Front) -> Iterator[None]:
    """Run a second web server, like one that reads from a replica of the database."""
    site = ThreadingHTTPServer(("127.0.0.3", front.ports["site"]), Replica)
    Thread(target=site.serve_forever, daemon=True).start()
    front.names.replicas = ["127.0.0.3"]
    yield
    site.shutdown()
    site.server_close()


@pytest.fixture
def dump_files(tmp_path: Path) -> Path:
    """Return the volume of published files, with a large file of a data dump."""
    file = tmp_path / "files" / LARGE
    file.parent.mkdir(parents=True)
    with file.open("wb") as content:
        content.truncate(LARGE_BYTES)
    return tmp_path / "files"


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_slow_downloads_of_a_large_file_disturb_nobody(dump_files: Path, front: Front) -> None:
    """Buffered downloads once filled the disk on which reports arrive."""
    assert get(front.url("8080")).endswith(" 0")
    head = f"GET /files/{LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with ExitStack() as stack:
        for _ in range(10):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", front.ports["8080"])))
            client.sendall(head)
            assert client.recv(15) == b"HTTP/1.1 200 OK"
        began = time.monotonic()
        body = urllib.request.Request(front.url("8080"), data=b"x" * 54_000)
        with urllib.request.urlopen(body, timeout=10) as answer:
            assert answer.read().decode().endswith(" 54000")
        assert time.monotonic() - began < 3
        assert front.scratch_bytes() == 0


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_a_download_goes_on_where_it_broke_off_and_never_reaches_the_site(
    dump_files: Path, front: Front, site: ThreadingHTTPServer
) -> None:
    get(front.url("8080"))
    site.shutdown()
    asked = urllib.request.Request(front.url("8080", f"/files/{LARGE}"), headers={"Range": "bytes=39999999-"})
    with urllib.request.urlopen(asked, timeout=10) as answer:
        assert (answer.status, len(answer.read())) == (206, 1)
        assert answer.headers["Cache-Control"] == "public, max-age=604800, immutable"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    (dump_files / ".partial-dumps").mkdir()
    (dump_files / ".partial-dumps/x.csv").write_text("not listed yet")
    for path in ("/files/.partial-dumps/x.csv", "/files/dumps/"):
        with pytest.raises(urllib.error.HTTPError, match=r"40[34]"):
            get(front.url("8080", path))


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_a_large_answer_of_the_site_waits_there_for_its_reader(front: Front) -> None:
    get(front.url("8080"))
    with socket.create_connection(("127.0.0.1", front.ports["8080"])) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(15) == b"HTTP/1.1 200 OK"
        time.sleep(1)
        assert front.scratch_bytes() == 0


@pytest.mark.parametrize("front", ["http"], indirect=True)
def test_it_finds_the_site_again_at_another_address(front: Front, site: ThreadingHTTPServer) -> None:
    """The address of the site may change, because `docker compose up` may start `web` at another one."""
    assert get(front.url("8080")).endswith(" 0")
    site.shutdown()
    site.server_close()
    moved = ThreadingHTTPServer(("127.0.0.2", front.ports["site"]), Primary)
    Thread(target=moved.serve_forever, daemon=True).start()
    front.names.web = "127.0.0.2"
    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                assert get(front.url("8080")).endswith(" 0")
                return
            except urllib.error.HTTPError as error:
                assert error.code == 502
                time.sleep(0.2)
        pytest.fail("it still asks at the old address")
    finally:
        moved.shutdown()
        moved.server_close()


@pytest.mark.parametrize(("front", "port"), [("http", "8080"), ("tls", "8081")], indirect=["front"])
def test_its_health_is_its_own(front: Front, port: str, site: ThreadingHTTPServer) -> None:
    """The health check answers for this nginx, and not for the site or another nginx behind it."""
    site.shutdown()
    site.server_close()
    assert get(front.url(port, "/nginx-health/")) == ""


@pytest.mark.parametrize(("front", "port"), [("http", "8080"), ("tls", "8081")], indirect=["front"])
def test_it_listens_on_ipv6(front: Front, port: str) -> None:
    assert get(front.url(port, "/nginx-health/", host="[::1]")) == ""


@pytest.mark.parametrize("front", ["tls"], indirect=True)
def test_browsers_are_answered_by_http_2(front: Front) -> None:
    get(front.url("8081", "/nginx-health/"))
    command = ["curl", "--insecure", "--silent", "--output", "/dev/null", "--write-out", "%{http_version}"]
    told = subprocess.run([*command, front.url("8443")], capture_output=True, text=True, check=True).stdout
    assert told == "2"


@pytest.mark.parametrize("front", ["tls"], indirect=True)
def test_certbot_puts_its_answers_where_they_are_asked_for(front: Front) -> None:
    answers = front.folder / "acme/.well-known/acme-challenge"
    answers.mkdir(parents=True)
    (answers / "token").write_text("token.thumbprint")
    assert get(front.url("8081", "/.well-known/acme-challenge/token")) == "token.thumbprint"


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
    front: Front, replica: None, asked: dict[str, Any], answering: set[str]
) -> None:
    """The replica answers only visitors who have sent nothing; the primary also answers if the replica lacks a page."""
    path = asked.get("path", "/")
    sent = {name: value for name, value in asked.items() if name != "path"}
    url = front.url("8080", path)
    assert {ask(urllib.request.Request(url, **sent))[1] for _ in range(16)} == answering
