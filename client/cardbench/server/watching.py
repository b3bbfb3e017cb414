"""Tells a server how far a run is, so that its owner can watch it on a page. A courtesy: nothing here fails a run."""

from __future__ import annotations

import json
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from cardbench.errors import CardbenchError
from cardbench.server import http
from cardbench.server.request import Request, Server

_PAUSE_S = 2.0
# Between two measurements, and while nothing is measured.
_TIMEOUT_S, _PATIENT_S = 2.0, 10.0
# A server that does not answer twice is not asked again: a card is measured here.
_PATIENCE = 2


class Watched:
    """One run, under a random name. Without a server nothing is told."""

    def __init__(self, server: Server | None) -> None:
        self._server = server and replace(server, attempts=1, timeout_s=_PATIENT_S)
        self._name, self._card = secrets.token_hex(16), ""
        self._failures, self._told_s = 0, float("-inf")

    def begin(self, card: dict[str, Any]) -> str:
        """Address of the page; "" where nobody can watch."""
        label = card.get("label", {})
        size = f"{label['capacity_gb']:g} GB" if label.get("capacity_gb") else ""
        self._card = " ".join(filter(None, (label.get("brand"), label.get("line"), size)))[:120]
        self._tell(done=0.0)
        if self._server is None or self._failures:
            return ""
        self._server = replace(self._server, timeout_s=_TIMEOUT_S)
        return f"{self._server.url.rstrip('/')}/watch/{self._name}/"

    def measured(self, document: dict[str, Any]) -> None:
        """As far as a report is; at most every two seconds."""
        if time.monotonic() - self._told_s < _PAUSE_S:
            return
        left = document.get("extra", {}).get("not_run", [])
        count = len(document.get("measurements", []))
        self._tell(done=count / (count + len(left)) if count else 0.0, step=left[0] if left else "")

    def sent(self, submission: str) -> None:
        """The page leads there from now on."""
        self._tell(done=1.0, submission=submission)

    def _tell(self, **progress: Any) -> None:
        if self._server is None or self._failures >= _PATIENCE:
            return
        self._told_s = time.monotonic()
        body = json.dumps({"card": self._card} | progress).encode()
        self._failures += 1
        with suppress(CardbenchError):
            http.ask(Request(f"/api/v1/watch/{self._name}/", "PUT", body), self._server)
            self._failures = 0
