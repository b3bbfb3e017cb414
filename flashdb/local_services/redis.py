"""Run a Redis or Valkey server on a unix socket. It stores nothing on disk: PostgreSQL knows which work is left."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis, RedisError

from flashdb.local_services.binaries import ENV, Server
from flashdb.local_services.children import Child, await_ready, ignoring_signals, spawn, stop
from flashdb.local_services.places import Place

READY_S = 30


@contextmanager
def redis(place: Place, server: Server) -> Iterator[tuple[str, Child]]:
    """Run Redis during the block; yield its URL and its process. Only the owner of the socket can reach it."""
    path = place.sockets / "redis.sock"
    command = [server.program.executable, *_options(path)]
    url = f"unix://{path}?db=0"
    child = spawn(command, env=ENV, log=place.logs / "redis.log", user=place.user)
    try:
        await_ready("Redis", child, lambda: _answers(url), patience_s=READY_S)
        yield url, child
    finally:
        with ignoring_signals():
            stop(child)


def _options(path: Path) -> list[str | Path]:
    private: list[str | Path] = ["--port", "0", "--unixsocket", path, "--unixsocketperm", "700"]
    return [*private, "--dir", path.parent, "--save", "", "--appendonly", "no", "--daemonize", "no"]


def _answers(url: str) -> bool:
    # Unlike Redis(...), from_url does not repeat a failed connection for seconds with growing pauses.
    with suppress(RedisError), Redis.from_url(url, socket_timeout=5) as client:
        return bool(client.ping())
    return False
