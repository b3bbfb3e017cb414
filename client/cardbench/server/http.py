"""Send requests, and send them again after temporary failures.

This is safe: the server recognizes a repeated report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import IO, Any

from cardbench.errors import ServerNotReached, ServerRefused, UsageError
from cardbench.server.request import LARGEST_ANSWER_BYTES, Request, Server, TryLater
from cardbench.shapes import Shape, ShapeError, decode

LONGEST_PAUSE_S = 60.0
_CHUNK_BYTES = 1 << 20

Say = Callable[[str], None]


def ask(request: Request, server: Server, *, say: Say = lambda _line: None) -> bytes:
    """Send a request, and return the body of the response.

    Network errors, 429, 500, 502, 503 and 504 are tried again with growing pauses. Raises ServerRefused (another
    status, a response over LARGEST_ANSWER_BYTES) or ServerNotReached (all attempts failed).
    """
    return _retry(lambda: _read_body(request, server), server, say)


def download(request: Request, server: Server, file: IO[bytes], *, say: Say = lambda _line: None) -> None:
    """Write the body of the response to `file`; each attempt starts the file again. Raises the errors of `ask`."""
    _retry(lambda: _copy(request, server, file), server, say)


def decode_answer(body: bytes, server: Server, shape: Shape) -> Any:
    """Return the JSON of a response. Raise ServerRefused if it is not JSON or has another shape."""
    try:
        return decode(body, shape)
    except ShapeError as error:
        raise ServerRefused(
            f"{server.url} did not answer like a flashdb server: {error}. Is this a flashdb server,"
            " and is it as new as this client?"
        ) from None


def _retry(attempt: Callable[[], Any], server: Server, say: Say) -> Any:
    pause_s = server.first_pause_s
    for left in reversed(range(server.attempts)):
        try:
            return attempt()
        except TryLater as problem:
            if not left:
                raise ServerNotReached(f"{server.url}: {problem}.") from problem
            pause_s = min(LONGEST_PAUSE_S, problem.pause_s or pause_s)
            say(f"{problem}; trying again in {pause_s:g} s.")
            time.sleep(pause_s)
            pause_s *= 2
    raise UsageError("At least one attempt is needed.")


def _read_body(request: Request, server: Server) -> bytes:
    with _open_answer(request, server) as answer:
        body: bytes = answer.read(LARGEST_ANSWER_BYTES + 1)
        is_cut = bool(answer.length) and len(body) <= LARGEST_ANSWER_BYTES
    if is_cut:  # read(n) raises no error for a cut response
        raise TryLater("the answer was incomplete")
    if len(body) > LARGEST_ANSWER_BYTES:
        raise ServerRefused(f"{server.url} answered with more than {LARGEST_ANSWER_BYTES:,} bytes.")
    return body


def _copy(request: Request, server: Server, file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()
    with _open_answer(request, server) as answer:
        while piece := answer.read(_CHUNK_BYTES):
            file.write(piece)


def _open_answer(request: Request, server: Server) -> AbstractContextManager[Any]:
    # A late import: TLS takes a seventh of the start of a command that asks no server (137 ms, 118 ms without).
    from cardbench.server import connection  # noqa: PLC0415

    return connection.open_answer(request, server)
