"""If a response ends before its announced length, the report is sent again."""

import socket
import threading
from collections.abc import Iterator

import pytest
from cardbench.server import http
from cardbench.server.request import Request, Server

WHOLE = b'{"id": "abc"}'


@pytest.fixture
def address() -> Iterator[str]:
    """Run a server that cuts its first response in the middle and sends the second whole; yield its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for body in (WHOLE[:5], WHOLE):
                with listener.accept()[0] as connection:
                    connection.recv(65536)
                    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(WHOLE)}\r\nConnection: close\r\n\r\n"
                    connection.sendall(head.encode() + body)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(5)


def test_a_cut_answer_is_asked_for_again(address: str) -> None:
    said: list[str] = []
    server = Server(address, first_pause_s=0.01)
    assert http.ask(Request("/", "GET"), server, say=said.append) == WHOLE
    assert said == ["the answer was incomplete; trying again in 0.01 s."]
