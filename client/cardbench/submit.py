"""Sends reports. Sending twice is safe: the server knows a report again by its uuid."""

import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import IO, Any

from cardbench import __version__
from cardbench.errors import ServerNotReached, ServerRefused, UsageError

DEFAULT_SERVER = "http://127.0.0.1:8000"
PATH = "/api/v1/submissions/"
ATTEMPTS = 5
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
TIMEOUT_S = 60.0
_LARGEST_ANSWER_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Server:
    """Where to send. `first_pause_s` doubles with each of the `attempts`."""

    url: str = DEFAULT_SERVER
    token: str = ""
    attempts: int = ATTEMPTS
    first_pause_s: float = FIRST_PAUSE_S

    @property
    def endpoint(self) -> str:
        """The address reports are posted to. Raises UsageError for what is no address."""
        if not self.url.startswith(("http://", "https://")):
            raise UsageError(f"“{self.url}” is no server address; it begins with https:// or http://.")
        return self.url.rstrip("/") + PATH


class _TryLater(Exception):
    """Worth another attempt, after `pause_s` if the server named a time."""

    def __init__(self, detail: str, *, pause_s: float | None = None) -> None:
        super().__init__(detail)
        self.pause_s = pause_s


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as an empty GET; better to say where the server has moved."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


Say = Callable[[str], None]


def submit(content: bytes, server: Server, *, say: Say = lambda _line: None) -> dict[str, Any]:
    """Posts the bytes of one report -> the receipt.

    Network errors, 429 and 5xx are tried again with growing pauses. Raises ServerRefused (another 4xx, or an
    answer that is no receipt) or ServerNotReached (all attempts failed).
    """
    pause_s = server.first_pause_s
    for left in reversed(range(server.attempts)):
        try:
            return _post(content, server)
        except _TryLater as problem:
            if not left:
                raise ServerNotReached(
                    f"{server.url}: {problem}. Nothing is lost: send it again later, it counts once."
                ) from problem
            pause_s = min(LONGEST_PAUSE_S, problem.pause_s or pause_s)
            say(f"{problem}; trying again in {pause_s:g} s.")
            time.sleep(pause_s)
            pause_s *= 2
    raise UsageError("At least one attempt is needed.")


def _post(content: bytes, server: Server) -> dict[str, Any]:
    try:
        with _opener().open(_request(content, server), timeout=TIMEOUT_S) as response:
            return _receipt(response.read(_LARGEST_ANSWER_BYTES), server)
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


def _request(content: bytes, server: Server) -> urllib.request.Request:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"cardbench/{__version__}",
    }
    if server.token:
        headers["Authorization"] = f"Token {server.token}"
    return urllib.request.Request(server.endpoint, data=content, headers=headers, method="POST")


def _opener() -> urllib.request.OpenerDirector:
    """Certificates are verified; there is no option not to."""
    verified = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    return urllib.request.build_opener(verified, _NoRedirect)


def _receipt(body: bytes, server: Server) -> dict[str, Any]:
    try:
        receipt = json.loads(body)
    except ValueError:
        receipt = None
    if isinstance(receipt, dict) and "id" in receipt and isinstance(receipt.get("links"), dict):
        return receipt
    raise ServerRefused(f"{server.url} took the report but sent no receipt. Is it a flashdb server?")


def _judged(error: urllib.error.HTTPError) -> Exception:
    """What an HTTP error means: try later, or no."""
    if error.code == 429 or error.code >= 500:
        return _TryLater(f"the server is busy or broken (HTTP {error.code})", pause_s=_retry_after_s(error))
    if 300 <= error.code < 400:
        return ServerRefused(
            f"The server has moved to {error.headers.get('Location', 'somewhere else')}; use --server."
        )
    return ServerRefused(f"The server refused the report: {_reason(error)} (HTTP {error.code}).")


def _retry_after_s(error: urllib.error.HTTPError) -> float | None:
    value = error.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else None


def _reason(error: urllib.error.HTTPError) -> str:
    """The server's own words, from its error shape."""
    try:
        shape = json.loads(error.read(_LARGEST_ANSWER_BYTES))["error"]
        place = f" (at {shape['field']})" if shape.get("field") else ""
        return f"{str(shape['detail']).rstrip('.')}{place}"
    except (ValueError, KeyError, TypeError, OSError, AttributeError):
        return str(error.reason)
