"""Run a Redis or Valkey server on a unix socket. It writes nothing to disk: the database knows which work is left."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flashdb.local_services.binaries import ENV, Server
from flashdb.local_services.children import Child, ignoring_signals, spawn, stop, tail
from flashdb.local_services.errors import LocalServicesError
from flashdb.local_services.places import Place

READY_S = 30


@contextmanager
def redis(place: Place, server: Server) -> Iterator[tuple[str, Child]]:
    """Run the server during the block; yield its URL and the server. Only the owner of the socket can reach it."""
    path = place.sockets / "redis.sock"
    log = place.logs / "redis.log"
    child = spawn([server.program.executable, *_options(path)], env=ENV, log=log, user=place.user)
    try:
        _await_ready(child, path, log)
        yield f"unix://{path}?db=0", child
    finally:
        with ignoring_signals():
            stop(child)


def _options(path: Path) -> list[str | Path]:
    private: list[str | Path] = ["--port", "0", "--unixsocket", path, "--unixsocketperm", "700"]
    return [*private, "--dir", path.parent, "--save", "", "--appendonly", "no", "--daemonize", "no"]


def _await_ready(child: Child, path: Path, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while not _answers(path):
        if child.poll() is not None:
            raise LocalServicesError(f"cannot start Redis: {child.describe_end()}")
        if time.monotonic() > deadline:
            raise LocalServicesError(
                f"Redis did not answer within {READY_S} s; {log} ends with:\n{tail(log)}"
            )
        time.sleep(0.01)


def _answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(7) == b"+PONG\r\n"
    except OSError:
        return False
