"""Sends reports. Sending twice is safe: the server knows a report again by its uuid."""

from typing import Any

from cardbench.errors import ServerNotReached, ServerRefused
from cardbench.server import http
from cardbench.server.http import Request, Say, Server

PATH = "/api/v1/submissions/"


def submit(content: bytes, server: Server, *, say: Say = lambda _line: None) -> dict[str, Any]:
    """Posts the bytes of one report -> the receipt.

    Tried again as `http.ask` does. Raises ServerRefused (also for an answer that is no receipt) or
    ServerNotReached (all attempts failed).
    """
    try:
        body = http.ask(Request(PATH, "POST", content), server, say=say)
    except ServerNotReached as error:
        raise ServerNotReached(f"{error} Nothing is lost: send it again later, it counts once.") from error
    return receipt(body, server)


def receipt(body: bytes, server: Server) -> dict[str, Any]:
    """The receipt in an answer. Raises ServerRefused when there is none."""
    try:
        answer = http.document(body, server)
    except ServerRefused:
        answer = None
    if isinstance(answer, dict) and "id" in answer and isinstance(answer.get("links"), dict):
        return answer
    raise ServerRefused(f"{server.url} took the report but sent no receipt. Is it a flashdb server?")
