"""One attempt over HTTP: send the request, verify the certificate, and turn a status other than 2xx into an error."""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

from cardbench import __version__
from cardbench.errors import ServerNotReached, ServerRefused
from cardbench.server.request import LARGEST_ANSWER_BYTES, TIMEOUT_S, Request, Server, TryLater
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
    """Follow redirects of GET within one server: a POST would become an empty GET, a token reach another server."""

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


class _Listens(http.client.HTTPConnection):
    """A connection that reads the answer of a server that refuses a large body and closes before all of it is sent."""

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
