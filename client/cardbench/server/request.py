"""Requests and the address of the server, apart from the connection, because importing that takes a while."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from cardbench.errors import ServerRefused, UsageError

DEFAULT_SERVER = "http://127.0.0.1:8000"
ATTEMPTS = 5
FIRST_PAUSE_S = 1.0
# For connecting and for each read; for a whole answer, plus a second for each so many bytes.
TIMEOUT_S, LONGEST_S, SLOWEST_BYTES_PER_S = 60.0, 300.0, 10_000
LARGEST_ANSWER_BYTES = 64_000_000


@dataclass(frozen=True)
class Server:
    """The address of a server, and how often to try it. `first_pause_s` doubles after each of the `attempts`."""

    url: str = DEFAULT_SERVER
    token: str = ""
    attempts: int = ATTEMPTS
    first_pause_s: float = FIRST_PAUSE_S

    def build_url(self, path: str) -> str:
        """Return the URL of a path on this server, or of a URL from its response.

        Raises UsageError or ServerRefused.
        """
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
        # A server behind a proxy may not know that it is reached by TLS.
        return target._replace(scheme=own.scheme).geturl()


@dataclass(frozen=True)
class Request:
    """A request. `path`: from the root of the server, or a whole URL that the server gave."""

    path: str
    method: str = "GET"
    body: bytes | None = None
    content_type: str = "application/json"
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


class TryLater(Exception):
    """A temporary failure of a request: try again, after `pause_s` seconds if the server named a time."""

    def __init__(self, detail: str, *, pause_s: float | None = None) -> None:
        super().__init__(detail)
        self.pause_s = pause_s
