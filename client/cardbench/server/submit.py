"""Send reports. Sending twice is safe: the server recognizes a report by its uuid, and its sender by a secret."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any
from urllib.parse import urlsplit

from cardbench.errors import ServerNotReached, ServerRefused
from cardbench.server import http
from cardbench.server.http import Say
from cardbench.server.request import Request, Server

PATH = "/api/v1/submissions/"
RECEIPT = {"id": str, "links": {"page?": str}}


def new_secret() -> str:
    """Return 256 random bits as text, by which the server recognizes a sender later.

    Never put the secret into a report.
    """
    return secrets.token_urlsafe(32)


def make_proof(secret: str, server: Server) -> tuple[tuple[str, str], ...]:
    """Return the header with which the server gives this sender the delete key again if its response was lost.

    The header differs for each server, so that none can use it on another. Raises UsageError for a wrong address.
    """
    own = f"{secret} {urlsplit(server.build_url('/')).netloc}"
    return (("Receipt-Secret", hashlib.sha256(own.encode()).hexdigest()),)


def submit(
    content: bytes, server: Server, *, secret: str = "", say: Say = lambda _line: None
) -> dict[str, Any]:
    """Send the bytes of one report, and return the receipt.

    `secret` is that of an earlier attempt, if there was one. Failures are tried again as by `http.ask`. Raises
    ServerRefused (also for a response that is no receipt) or ServerNotReached (all attempts failed).
    """
    try:
        headers = make_proof(secret or new_secret(), server)
        body = http.ask(Request(PATH, "POST", content, headers=headers), server, say=say)
    except ServerNotReached as error:
        raise ServerNotReached(
            f"{error} Nothing is lost: send the report again later, and it will still count only once."
        ) from error
    return read_receipt(body, server)


def read_receipt(body: bytes, server: Server) -> dict[str, Any]:
    """Return the receipt from the body of a response. Raise ServerRefused if it contains none."""
    try:
        answer: dict[str, Any] = http.decode_answer(body, server, RECEIPT)
    except ServerRefused as error:
        raise ServerRefused(f"{error} The server accepted the report but sent no receipt.") from None
    return answer
