"""A Python interface to the server: read all data that its pages show, and send all data that they accept.

    from cardbench.api import Session

    site = Session("https://flashdb.example")
    for row in site.models(board="raspberry-pi-5", capacity_gb_max=64):
        print(row["place"], row["name"], row["leading"]["value"], row["leading"]["unit"])

Lists are read page by page during iteration. Temporary failures are tried again; no report is filed twice. Errors are
those of cardbench.errors: ServerRefused with the server's explanation, ServerNotReached.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from functools import partialmethod
from pathlib import Path
from typing import IO, Any

from cardbench.errors import ServerRefused, UsageError
from cardbench.server import http
from cardbench.server.http import Say
from cardbench.server.request import ATTEMPTS, DEFAULT_SERVER, FIRST_PAUSE_S, Request, Server
from cardbench.server.submit import make_proof, new_secret, read_receipt, submit
from cardbench.shapes import FINDING, REPORT, Shape, ShapeError, decode

ROOM = "/api/v1/"
_TEXT = "text/plain; charset=utf-8"
Row = dict[str, Any]
_ROWS: dict[str, Shape] = {"results": [{}], "next?": (str, None)}
# Name of a list -> shape of its pages, where this module reads names inside the rows.
_PAGES: dict[str, Shape] = {
    "runs": _ROWS | {"results": [{"id": str, "filed_at": str}]},
    "measurements": _ROWS | {"results": [{"value?": (float, None)}]},
}
_SUBMISSION = {"state": str, "findings?": [FINDING], "reason?": ({"detail": str}, None)}
_FOUND: dict[str, Shape] = {"models": [{}], "untested": [{}]}
_READING = {
    "sentence?": str,
    "maker?": ({"brands?": [str], "conflicts?": [str]}, None),
    "products?": [{"brand": str, "line": str}],
    "findings?": [{"register": str, "detail": str}],
    "verdict?": (str, None),
    "suspicions": [{"reason": str}],
}
_QUESTION = {"line": int, "detail": str, "key": str, "answer?": (str, None), "choices?": {str: object}}
_CASE = {"case": int, "report": (REPORT | {"card": REPORT["card?"]}, None), "needs?": [str]}
_PARSED = {
    "cases": [_CASE],
    "problem?": ({"detail?": str}, None),
    "questions": [_QUESTION],
    "tools?": [str],
    "numbers?": {"understood?": int, "not_understood?": int},
    "not_understood?": [{"line": int, "text": str}],
    "not_understood_lines?": int,
}
# The largest batch that the server accepts.
_BATCH_LINES, _BATCH_BYTES = 100, 4_000_000
# Several workers file runs at once, and each run is visible a moment later, so `follow` reads this period again.
_OVERLAP = timedelta(minutes=2)
_PATIENCE_S = 600.0
_PIECE_BYTES = 1 << 20


class Session:
    """A client of one server. Whenever a request takes longer, `say` is called with the reason as a sentence.

    `secret` is a random text that proves who sent a report. A later session with `session.secret` of this one gets the
    delete keys of its reports again, so keep the secret as safe as those keys.
    """

    def __init__(
        self,
        server: str = DEFAULT_SERVER,
        *,
        token: str = "",
        secret: str = "",
        attempts: int = ATTEMPTS,
        first_pause_s: float = FIRST_PAUSE_S,
        say: Say = lambda _line: None,
    ) -> None:
        self.server = Server(server, token, attempts, first_pause_s)
        self.secret = secret or new_secret()
        self.say = say

    def rows(self, name: str, **filters: Any) -> Iterator[Row]:
        """Yield every row of a list of the server, page after page.

        Lists are models, cards, runs, measurements, submissions, makers, boards, uses, metrics, interfaces and dumps.
        """
        path, query = f"{ROOM}{name}/", _query(filters)
        while path:
            page = self._json(Request(path, query=query), _PAGES.get(name, _ROWS))
            yield from page["results"]
            # A server could link empty pages without end.
            path, query = page["results"] and page.get("next"), ()

    def one(self, name: str, of: str) -> Row:
        """Return one row of a list of the server; `of` is the row's id or short name."""
        shape = _SUBMISSION if name == "submissions" else {}
        return self._json(Request(f"{ROOM}{name}/{_check_name(of)}/"), shape)

    models = partialmethod(
        rows, "models"
    )  # ranked for a use, best first; takes the filters of GET /api/v1/models/
    model = partialmethod(one, "models")
    cards = partialmethod(rows, "cards")
    card = partialmethod(one, "cards")
    runs = partialmethod(rows, "runs")
    run = partialmethod(one, "runs")  # by the id of its submission; with all its measurements
    measurements = partialmethod(rows, "measurements")
    submission = partialmethod(one, "submissions")  # the state of a submission, with reasons and links
    dumps = partialmethod(rows, "dumps")  # newest first, each with its files

    def search(self, text: str) -> Row:
        """Return the result of a search for a text such as "SanDisk Extreme 64 GB".

        It contains ranked models, untested models and products.
        """
        return self._json(Request(f"{ROOM}search/", query=(("q", text),)), _FOUND)

    def decode(self, **registers: Any) -> Row:
        """Return the meaning of registers such as cid="…", csd="…", bus="SD". The server stores nothing."""
        body = json.dumps(registers).encode()
        return self._json(Request(f"{ROOM}decode/", "POST", body), _READING | {"readings?": [_READING]})

    def parse(self, text: str | bytes, answers: Mapping[str, str] | None = None) -> Row:
        """Return the reports that the output of other tools would become, and the lines not understood; store nothing.

        `answers`: the chosen answer to each question that an earlier call returned, by the key of the question.
        """
        query = tuple((f"answer.{key}", choice) for key, choice in (answers or {}).items())
        body = text.encode() if isinstance(text, str) else text
        return self._json(Request(f"{ROOM}parse/", "POST", body, _TEXT, query), _PARSED)

    def submit(self, report: Path | bytes | Mapping[str, Any]) -> Row:
        """Send a report, and return its receipt. Keep the receipt: its delete key withdraws the report."""
        return submit(_bytes_of(report), self.server, secret=self.secret, say=self.say)

    def submit_text(self, text: str, **label: Any) -> Row:
        """Send the output of another tool with a label such as brand="…", capacity_gb=32, and return the receipt."""
        request = Request(
            f"{ROOM}submissions/",
            "POST",
            text.encode(),
            _TEXT,
            _query(label),
            make_proof(self.secret, self.server),
        )
        return read_receipt(http.ask(request, self.server, say=self.say), self.server)

    def submit_all(self, reports: Iterable[Path | bytes | Mapping[str, Any]]) -> Iterator[Row]:
        """Send many reports, and yield for each, in order, {"status", "receipt"} or {"status", "error"}.

        A refused report does not stop the others. After an interruption send all of them again with the same secret:
        each is filed once, and its delete key is returned again.
        """
        for lines in _batches(_encode_line(report) for report in reports):
            body, kind = b"\n".join(lines), "application/jsonl"
            request = Request(
                f"{ROOM}submissions/batch/", "POST", body, kind, headers=make_proof(self.secret, self.server)
            )
            yield from self._json(request, {"results": [{}]})["results"]

    def await_processed(self, name: str, *, patience_s: float = _PATIENCE_S, every_s: float = 1.0) -> Row:
        """Wait until the server has processed a submission, or for `patience_s` seconds.

        Return the submission as it is then.
        """
        deadline = time.monotonic() + patience_s
        while (submission := self.submission(name))["state"] == "received" and time.monotonic() < deadline:
            time.sleep(every_s)
        return submission

    def delete(self, receipt: Mapping[str, Any]) -> None:
        """Withdraw a submission, with the receipt that was returned when it was sent."""
        header = (("Delete-Key", str(receipt["delete_key"])),)
        request = Request(f"{ROOM}submissions/{_check_name(receipt['id'])}/", "DELETE", headers=header)
        http.ask(request, self.server, say=self.say)

    def follow(self, *, since: str = "", every_s: float = 60.0, **filters: Any) -> Iterator[Row]:
        """Yield runs as they are filed, each once, and again after it was reprocessed; never return.

        `since` is a time such as 2026-11-20T12:00:00Z; by default it is now. The server is asked every `every_s`
        seconds.
        """
        newest = _moment(since) if since else datetime.now(timezone.utc)
        seen: dict[str, datetime] = {}
        while True:
            start = newest if not seen else newest - _OVERLAP
            for run in self.runs(ordering="filed_at", filed_since=start.isoformat(), **filters):
                filed = _moment(run["filed_at"])
                if seen.get(run["id"]) != filed:
                    seen[run["id"]], newest = filed, max(newest, filed)
                    yield run
            seen = {name: filed for name, filed in seen.items() if filed >= newest - 2 * _OVERLAP}
            time.sleep(every_s)

    def download(self, file: Mapping[str, Any], directory: Path) -> Path:
        """Save a file of a data dump in a directory, and return its path.

        Raise ServerRefused if its checksum is wrong.
        """
        path = directory / _check_name(Path(str(file["name"])).name)
        partial = path.with_name(f"{path.name}.partial")
        with partial.open("w+b") as saved:
            http.download(Request(str(file["url"])), self.server, saved, say=self.say)
            saved.seek(0)
            if _sha256(saved) != file["sha256"]:
                raise ServerRefused(f"{file['url']} arrived damaged: its checksum does not match. Try again.")
        return partial.rename(path)

    def _json(self, request: Request, shape: Shape) -> Any:
        return http.decode_answer(http.ask(request, self.server, say=self.say), self.server, shape)


def _query(filters: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    # True becomes "true", a list "a,b", and None is left out.
    return tuple((name, _word(value)) for name, value in filters.items() if value is not None)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _sha256(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
    return digest.hexdigest()


def _check_name(name: str) -> str:
    if not name or any(character in name for character in "/\\?#%") or name in (".", ".."):
        raise UsageError(f"“{name}” is not a name that the server knows.")
    return name


def _bytes_of(report: Path | bytes | Mapping[str, Any]) -> bytes:
    if isinstance(report, Path):
        return report.read_bytes()
    return report if isinstance(report, bytes) else json.dumps(report).encode()


def _encode_line(report: Path | bytes | Mapping[str, Any]) -> bytes:
    content = _bytes_of(report)
    try:
        return json.dumps(decode(content), ensure_ascii=False).encode()
    except ShapeError:
        return b" ".join(content.split())  # invalid JSON: the server explains the error


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size_bytes = 0
    for line in lines:
        if batch and (len(batch) == _BATCH_LINES or size_bytes + len(line) > _BATCH_BYTES):
            yield batch
            batch, size_bytes = [], 0
        batch.append(line)
        size_bytes += len(line) + 1
    if batch:
        yield batch


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))  # Python 3.9 knows no Z
    except ValueError:
        raise UsageError(f"“{text}” is not a time; write it like 2026-11-20T12:00:00Z.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
