"""Asks a server, patiently. Whatever is asked here may be asked twice: the server knows a report again."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

from cardbench import __version__
from cardbench.errors import ServerNotReached, ServerRefused, UsageError

DEFAULT_SERVER = "http://127.0.0.1:8000"
ATTEMPTS = 5
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
TIMEOUT_S = 60.0
_LARGEST_ANSWER_BYTES = 64_000_000
_CHUNK_BYTES = 1 << 20

Say = Callable[[str], None]


@dataclass(frozen=True)
class Server:
    """Whom to ask. `first_pause_s` doubles with each of the `attempts`."""

    url: str = DEFAULT_SERVER
    token: str = ""
    attempts: int = ATTEMPTS
    first_pause_s: float = FIRST_PAUSE_S
    timeout_s: float = TIMEOUT_S

    def address(self, path: str) -> str:
        """Of something on this server; a whole address of its own stays as it is. Raises UsageError."""
        if not self.url.startswith(("http://", "https://")):
            raise UsageError(f"“{self.url}” is no server address; it begins with https:// or http://.")
        if path.startswith("/"):
            return self.url.rstrip("/") + path
        own, target = urlsplit(self.url), urlsplit(path)
        if target.netloc != own.netloc:  # a token belongs to one server
            raise ServerRefused(
                f"{self.url} leads to another server, {path}. Name that one, if you trust it."
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

    def to(self, server: Server) -> urllib.request.Request:
        headers = {"Accept": "application/json", "User-Agent": f"cardbench/{__version__}"}
        headers |= {"Authorization": f"Token {server.token}"} if server.token else {}
        headers |= {"Content-Type": self.content_type} if self.body is not None else {}
        url = server.address(self.path) + (f"?{urlencode(self.query)}" if self.query else "")
        return urllib.request.Request(
            url, data=self.body, headers=headers | dict(self.headers), method=self.method
        )


class _TryLater(Exception):
    """Worth another attempt, after `pause_s` if the server named a time."""

    def __init__(self, detail: str, *, pause_s: float | None = None) -> None:
        super().__init__(detail)
        self.pause_s = pause_s


class _OwnRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as an empty GET, and a token elsewhere: only a GET is led on, on one server."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if req.get_method() != "GET" or _origin(newurl) != _origin(req.full_url):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def ask(request: Request, server: Server, *, say: Say = lambda _line: None) -> bytes:
    """The body of the answer.

    Network errors, 429 and 5xx are tried again with growing pauses. Raises ServerRefused (another 4xx, an answer
    without end) or ServerNotReached (all attempts failed).
    """
    return _patiently(lambda: _body(request, server), server, say)


def download(request: Request, server: Server, file: IO[bytes], *, say: Say = lambda _line: None) -> None:
    """Writes the body of the answer to `file`, a piece at a time; each attempt begins anew. Raises as `ask`."""
    _patiently(lambda: _copy(request, server, file), server, say)


def document(body: bytes, server: Server) -> Any:
    """The JSON of an answer. Raises ServerRefused for anything else."""
    try:
        return json.loads(body)
    except ValueError:
        raise ServerRefused(f"{server.url} answered, but not with JSON. Is it a flashdb server?") from None


def _patiently(attempt: Callable[[], Any], server: Server, say: Say) -> Any:
    pause_s = server.first_pause_s
    for left in reversed(range(server.attempts)):
        try:
            return attempt()
        except _TryLater as problem:
            if not left:
                raise ServerNotReached(f"{server.url}: {problem}.") from problem
            pause_s = min(LONGEST_PAUSE_S, problem.pause_s or pause_s)
            say(f"{problem}; trying again in {pause_s:g} s.")
            time.sleep(pause_s)
            pause_s *= 2
    raise UsageError("At least one attempt is needed.")


def _body(request: Request, server: Server) -> bytes:
    with _answer(request, server) as answer:
        body: bytes = answer.read(_LARGEST_ANSWER_BYTES + 1)
        is_cut = bool(answer.length) and len(body) <= _LARGEST_ANSWER_BYTES
    if is_cut:  # read(n) says nothing of it
        raise _TryLater("the answer was cut short")
    if len(body) > _LARGEST_ANSWER_BYTES:
        raise ServerRefused(f"{server.url} answered with more than {_LARGEST_ANSWER_BYTES:,} bytes.")
    return body


def _copy(request: Request, server: Server, file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()
    with _answer(request, server) as answer:
        while piece := answer.read(_CHUNK_BYTES):
            file.write(piece)


@contextmanager
def _answer(request: Request, server: Server) -> Iterator[Any]:
    """An answer of 2xx; anything else as an exception that says whether another attempt makes sense."""
    try:
        opener = urllib.request.build_opener(_Plain, _Verified, _OwnRedirects)
        with opener.open(request.to(server), timeout=server.timeout_s) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        raise _judged(error) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise ServerNotReached(
                f"{server.url} could not prove who it is: {error.reason.verify_message}."
            ) from error
        raise _TryLater(f"not reached ({error.reason})") from error
    except (OSError, HTTPException) as error:
        raise _TryLater(f"the connection broke ({error or type(error).__name__})") from error


class _Listens(http.client.HTTPConnection):
    """A server that refuses a large body answers before all of it is sent, and closes: its answer counts."""

    def send(self, data: Any) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # without an answer, reading it fails next
            super().send(data)


class _ListensVerified(_Listens, http.client.HTTPSConnection):
    pass


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Listens, req)


class _Verified(urllib.request.HTTPSHandler):
    """Certificates are verified; there is no option not to."""

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_ListensVerified, req, context=ssl.create_default_context())


def _judged(error: urllib.error.HTTPError) -> Exception:
    """What an HTTP error means: try later, or no."""
    if error.code == 429 or error.code >= 500:
        return _TryLater(f"the server is busy or broken (HTTP {error.code})", pause_s=_retry_after_s(error))
    if 300 <= error.code < 400:
        return ServerRefused(
            f"The server has moved to {error.headers.get('Location', 'somewhere else')}; use --server."
        )
    return ServerRefused(f"The server refused it: {_reason(error)} (HTTP {error.code}).")


def _retry_after_s(error: urllib.error.HTTPError) -> float | None:
    value = error.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else None


def _reason(error: urllib.error.HTTPError) -> str:
    """The server's own words, from its error shape."""
    try:
        shape: Mapping[str, Any] = json.loads(error.read(_LARGEST_ANSWER_BYTES))["error"]
        place = f" (at {shape['field']})" if shape.get("field") else ""
        return f"{str(shape['detail']).rstrip('.')}{place}"
    except (ValueError, KeyError, TypeError, OSError, AttributeError):
        return str(error.reason)


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
