"""Run a Redis or Valkey server on a unix socket. It stores nothing on disk: PostgreSQL knows which work is left."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flashdb.local_services.binaries import ENV, Server
from flashdb.local_services.children import Child, await_ready, ignoring_signals, spawn, stop
from flashdb.local_services.places import Place

READY_S = 30


@contextmanager
def redis(place: Place, server: Server) -> Iterator[tuple[str, Child]]:
    """Run Redis during the block; yield its URL and its process. Only the owner of the socket can reach it."""
    path = place.sockets / "redis.sock"
    command = [server.program.executable, *_options(path)]
    child = spawn(command, env=ENV, log=place.logs / "redis.log", user=place.user)
    try:
        await_ready("Redis", child, lambda: _answers(path), patience_s=READY_S)
        yield f"unix://{path}?db=0", child
    finally:
        with ignoring_signals():
            stop(child)


def _options(path: Path) -> list[str | Path]:
    private: list[str | Path] = ["--port", "0", "--unixsocket", path, "--unixsocketperm", "700"]
    return [*private, "--dir", path.parent, "--save", "", "--appendonly", "no", "--daemonize", "no"]


def _answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(7) == b"+PONG\r\n"
    except OSError:
        return False
