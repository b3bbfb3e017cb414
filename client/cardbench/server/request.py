"""Requests and the server that they go to, apart from the connection, which takes a while to import."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from cardbench.errors import ServerRefused, UsageError

DEFAULT_SERVER = "http://127.0.0.1:8000"
ATTEMPTS = 5
FIRST_PAUSE_S = 1.0
TIMEOUT_S = 60.0
LARGEST_ANSWER_BYTES = 64_000_000


@dataclass(frozen=True)
class Server:
    """A server and how often to try it. `first_pause_s` doubles with each of the `attempts`."""

    url: str = DEFAULT_SERVER
    token: str = ""
    attempts: int = ATTEMPTS
    first_pause_s: float = FIRST_PAUSE_S

    def build_url(self, path: str) -> str:
        """Return the URL of a path on this server, or of a URL that it gave. Raises UsageError or ServerRefused."""
        if not self.url.startswith(("http://", "https://")):
            raise UsageError(f"“{self.url}” is not a server address; it must begin with https:// or http://.")
        try:
            own, target = urlsplit(self.url), urlsplit(path)
            own.port, target.port  # noqa: B018 - only now are they read
        except ValueError as error:
            raise UsageError(f"“{self.url}” or “{path}” is not a valid address: {error}.") from error
        if path.startswith("/"):
            return self.url.rstrip("/") + path
        if target.netloc != own.netloc:  # a token belongs to one server
            raise ServerRefused(
                f"{self.url} redirects to a different server, {path}. If you trust that server, name it"
                " with --server."
            )
        return target._replace(scheme=own.scheme).geturl()  # behind a proxy it may not know that it has TLS


@dataclass(frozen=True)
class Request:
    """`path`: from the root of the server, or a whole address that the server gave."""

    path: str
    method: str = "GET"
    body: bytes | None = None
    content_type: str = "application/json"
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


class TryLater(Exception):
    """A failure worth another attempt, after `pause_s` if the server named a time."""

    def __init__(self, detail: str, *, pause_s: float | None = None) -> None:
        super().__init__(detail)
        self.pause_s = pause_s
