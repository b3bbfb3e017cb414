"""Where messages go: a mail server that keeps what it gets, and a receiver of webhooks that answers as it is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any


@contextmanager
def serving(server: Any) -> Iterator[Any]:
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


class MailServer(ThreadingTCPServer):
    """As much of SMTP as a mail needs; `mails`: each as it came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Smtp)
        self.mails: list[str] = []

    @property
    def url(self) -> str:
        return f"smtp+plain://127.0.0.1:{self.server_address[1]}"


class _Smtp(StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 ready")
        for line in self.rfile:
            verb = line[:4].upper().strip()
            if verb == b"DATA":
                self._say("354 go on")
                self.server.mails.append("".join(self._lines()))
            self._say("221 bye" if verb == b"QUIT" else "250 fine")

    def _lines(self) -> Iterator[str]:
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            yield line.decode()

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


class Receiver(ThreadingHTTPServer):
    """Answers the first POSTs with `statuses`, then with 200; `taken`: headers and body of those answered with 200."""

    daemon_threads = True

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.statuses = list(statuses)
        self.taken: list[tuple[dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?for=cards"


class _Hook(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        if status == 200:
            self.server.taken.append((dict(self.headers.items()), body))
        self.send_response(status)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""
