"""Who is told: a mail server and a receiver of webhooks, both real, both of the test."""

from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer, StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any


class Mails(ThreadingTCPServer):
    """Takes every mail, as RFC 5321 wants it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Smtp)
        self.taken: list[EmailMessage] = []

    @property
    def url(self) -> str:
        return f"smtp+plain://127.0.0.1:{self.server_address[1]}"


class _Smtp(StreamRequestHandler):
    server: Mails

    def handle(self) -> None:
        self._say("220 sink")
        while line := self.rfile.readline().strip().upper():
            if line == b"DATA":
                self._say("354 go on")
                self.server.taken.append(message_from_bytes(self._content(), policy=policy.default))
            self._say("221 bye" if line == b"QUIT" else "250 yes")

    def _content(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        return b"".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class Hooks(ThreadingHTTPServer):
    """Answers with `answers`, one after the other, then with 200; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.answers: list[int] = []
        self.headers: dict[str, str] = {}
        self.taken: list[tuple[int, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?a=b"


class _Hook(BaseHTTPRequestHandler):
    server: Hooks

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.answers.pop(0) if self.server.answers else 200
        self.server.taken.append((status, dict(self.headers), content))
        self.send_response(status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        """Silence."""


def started(server: BaseServer) -> None:
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()


def ended(server: BaseServer) -> None:
    server.shutdown()
    server.server_close()
