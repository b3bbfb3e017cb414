"""Make one attempt of a request: send it, verify the certificate, and turn a status other than 2xx into an error."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

from cardbench import __version__
from cardbench.errors import ServerNotReached, ServerRefused
from cardbench.server.request import (
    LARGEST_ANSWER_BYTES,
    LONGEST_S,
    SLOWEST_BYTES_PER_S,
    TIMEOUT_S,
    Request,
    Server,
    TryLater,
)
from cardbench.shapes import ShapeError, decode

_REFUSAL = {"error": {"detail": str, "field?": str}}


@contextmanager
def open_answer(request: Request, server: Server) -> Iterator[Any]:
    """Yield the response to a request. Raise TryLater if another attempt makes sense, else a CardbenchError."""
    try:
        opener = urllib.request.build_opener(_Plain, _Verified, _OwnRedirects)
        with opener.open(_build_request(request, server), timeout=TIMEOUT_S) as response:
            yield response
    except urllib.error.HTTPError as error:
        raise _explain(error) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise ServerNotReached(
                f"{server.url} could not prove its identity: {error.reason.verify_message}."
            ) from error
        raise TryLater(f"cannot be reached ({error.reason})") from error
    except (OSError, HTTPException, ValueError) as error:  # ValueError: a redirect to an invalid address
        raise TryLater(f"the connection was lost ({error or type(error).__name__})") from error


def _build_request(request: Request, server: Server) -> urllib.request.Request:
    headers = {"Accept": "application/json", "User-Agent": f"cardbench/{__version__}"}
    headers |= {"Authorization": f"Token {server.token}"} if server.token else {}
    headers |= {"Content-Type": request.content_type} if request.body is not None else {}
    url = server.build_url(request.path) + (f"?{urlencode(request.query)}" if request.query else "")
    return urllib.request.Request(
        url, data=request.body, headers=headers | dict(request.headers), method=request.method
    )


class _OwnRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that follows only redirects of GET within one server.

    A redirected POST would become an empty GET, and a token could reach another server.
    """

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


class _Timely(io.RawIOBase):
    """The bytes that arrive at a socket. Reading raises TimeoutError as soon as they come too slowly on the whole."""

    def __init__(self, connected: socket.socket, sent: io.RawIOBase) -> None:
        self._socket, self._bytes = connected, sent
        self._until_s = time.monotonic() + LONGEST_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(min(left_s, TIMEOUT_S))  # of one read
        count = self._bytes.readinto(buffer)
        self._until_s += count / SLOWEST_BYTES_PER_S
        return count

    def close(self) -> None:
        self._bytes.close()
        super().close()


class _Answer(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_Timely(sock, self.fp.detach()))


class _Listens(http.client.HTTPConnection):
    """A connection that reads the response even if the server refuses a large body before all of it is sent."""

    response_class = _Answer

    def send(self, data: Any) -> None:
        # If there is no response, reading it fails next.
        with suppress(BrokenPipeError, ConnectionResetError):
            super().send(data)


class _ListensVerified(_Listens, http.client.HTTPSConnection):
    pass


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Listens, req)


class _Verified(urllib.request.HTTPSHandler):
    """A handler that verifies certificates; there is no option to switch this off."""

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_ListensVerified, req, context=ssl.create_default_context())


_TEMPORARY = (429, 500, 502, 503, 504)


def _explain(error: urllib.error.HTTPError) -> Exception:
    if error.code in _TEMPORARY:
        return TryLater(
            f"the server is busy or has a fault (HTTP {error.code})", pause_s=_retry_after_s(error)
        )
    if 300 <= error.code < 400:
        return ServerRefused(
            f"The server has moved to {error.headers.get('Location', 'a different address')}; use --server."
        )
    return ServerRefused(f"The server refused the request: {_read_detail(error)} (HTTP {error.code}).")


def _retry_after_s(error: urllib.error.HTTPError) -> float | None:
    value = error.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else None


def _read_detail(error: urllib.error.HTTPError) -> str:
    try:
        shape = decode(error.read(LARGEST_ANSWER_BYTES), _REFUSAL)["error"]
    except (ShapeError, OSError, HTTPException):
        return str(error.reason)
    place = f" (at {shape['field']})" if shape.get("field") else ""
    return f"{shape['detail'].rstrip('.')}{place}"


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
