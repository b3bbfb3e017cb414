"""Sends reports. Sending twice is safe: the server knows a report again by its uuid, and its sender by a secret."""

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
    """For one report, to be kept and never to stand in it: 256 random bits."""
    return secrets.token_urlsafe(32)


def proof(secret: str, server: Server) -> tuple[tuple[str, str], ...]:
    """The header with which this server gives the delete key to this sender again, when its answer was lost.

    Another server that got the report, too, cannot use it: each gets its own. Raises UsageError for a wrong address.
    """
    own = f"{secret} {urlsplit(server.address('/')).netloc}"
    return (("Receipt-Secret", hashlib.sha256(own.encode()).hexdigest()),)


def submit(
    content: bytes, server: Server, *, secret: str = "", say: Say = lambda _line: None
) -> dict[str, Any]:
    """Posts the bytes of one report -> the receipt. `secret`: of an earlier attempt; one is made without it.

    Tried again as `http.ask` does. Raises ServerRefused (also for an answer that is no receipt) or
    ServerNotReached (all attempts failed).
    """
    try:
        headers = proof(secret or new_secret(), server)
        body = http.ask(Request(PATH, "POST", content, headers=headers), server, say=say)
    except ServerNotReached as error:
        raise ServerNotReached(f"{error} Nothing is lost: send it again later, it counts once.") from error
    return receipt(body, server)


def receipt(body: bytes, server: Server) -> dict[str, Any]:
    """The receipt in an answer. Raises ServerRefused when there is none."""
    try:
        answer: dict[str, Any] = http.document(body, server, RECEIPT)
    except ServerRefused as error:
        raise ServerRefused(f"{error} It took the report but sent no receipt.") from None
    return answer
