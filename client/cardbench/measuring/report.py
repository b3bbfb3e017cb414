"""Compose, save and load report files. Their format is defined by api/v1/REPORT.md in the server's source."""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cardbench import __version__, geometry
from cardbench.errors import UsageError
from cardbench.measuring.measure import Outcome, measurements
from cardbench.shapes import REPORT, JsonDict, ShapeError, decode
from cardbench.target.surface import Surface

FORMAT = "flashdb-report"
FORMAT_VERSION = 1
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # never through a link that another user has created


def now() -> dt.datetime:
    """Return the current time in UTC, to the second."""
    return dt.datetime.now(dt.timezone.utc).replace(microsecond=0)


def new_path(suite: str = "") -> Path:
    """Return a file name for a new report, with the current time, in the current directory."""
    return Path("-".join(filter(None, ("cardbench", suite, f"{now():%Y%m%d-%H%M%S}.json"))))


def compose(*, card: JsonDict, host: JsonDict, run: JsonDict, simulated: bool = False) -> JsonDict:
    """Return a report without measurements. It has a new uuid, because each run is one submission."""
    mark = {"simulated": True} if simulated else {}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **mark,
        "uuid": str(uuid.uuid4()),
        "client": {"name": "cardbench", "version": __version__},
        "card": card,
        "host": host,
        "run": {"suite": "quick", "tool": "cardbench", "tool_version": __version__} | run,
        "measurements": [],
    }


def with_outcome(report: JsonDict, outcome: Outcome, surface: Surface, *, io: str, seed: int) -> JsonDict:
    """Return the report with the measurements of a plan, and with machine-readable details of the method."""
    entries = [entry for taken in outcome.taken for entry in measurements(taken, surface, io)]
    entries += geometry.entries(outcome.estimates, io)
    entries += (*(entry for line in outcome.lines for entry in line.entries), *outcome.entries)
    extra: JsonDict = {
        "seed": seed,
        "window_start_bytes": surface.start_bytes,
        "align_positions_bytes": {
            str(taken.cell.align_bytes): list(taken.positions_bytes)
            for taken in outcome.taken
            if taken.cell.align_bytes
        },
    }
    series = {taken.cell.title: list(repeat.series) for taken in outcome.taken for repeat in taken.repeats}
    if any(series.values()):
        extra["throughput_series"] = {title: rates for title, rates in series.items() if rates}
    if outcome.estimates:
        extra["geometry"] = geometry.reasoning(outcome.estimates)
    if outcome.not_run:
        extra["not_run"] = [step.title for step in outcome.not_run]
    return report | {"measurements": entries, "extra": extra}


def encode(report: JsonDict) -> bytes:
    """Return the JSON of a report, with each list of numbers on one line so that people can read it."""
    return (_text(report, "") + "\n").encode()


def _text(value: Any, margin: str) -> str:
    if not value or not isinstance(value, (dict, list)) or _is_flat(value):
        return json.dumps(value, ensure_ascii=False)
    inner = margin + "  "
    if isinstance(value, dict):
        lines = [
            f"{inner}{json.dumps(name, ensure_ascii=False)}: {_text(part, inner)}"
            for name, part in value.items()
        ]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
    return "[\n" + ",\n".join(inner + _text(part, inner) for part in value) + f"\n{margin}]"


def _is_flat(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(part, (dict, list)) for part in value)


def save(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file whole or not at all, even if the process is killed. Raise UsageError if that fails."""
    with _prepare_part(path) as part:
        with os.fdopen(os.open(part, _NEW_FILE, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o600 if private else 0o644)
        part.replace(path)
        _sync_names(path.absolute().parent)


def check_savable(path: Path) -> None:
    """Raise UsageError if a report could not be saved at this path. An existing file is not changed."""
    with _prepare_part(path) as part:
        os.close(os.open(part, _NEW_FILE, 0o600))
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextmanager
def _prepare_part(path: Path) -> Iterator[Path]:
    # The path of the unfinished file, which is removed at the end. Any OSError becomes a UsageError.
    part = path.parent / f".{path.name}.part"
    try:
        part.unlink(missing_ok=True)  # a file that a killed process has left
        try:
            yield part
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


def _sync_names(directory: Path) -> None:
    # Lets the new name survive a loss of power, too, if the file system supports this.
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def load(path: Path) -> tuple[bytes, JsonDict]:
    """Return the bytes of a report file, and the report in it. Raise UsageError if the file is no report."""
    try:
        content = path.read_bytes()
        report: JsonDict = decode(content, REPORT)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except ShapeError as error:
        raise UsageError(
            f"{path} is not a report: {error}. Was it cut off? “cardbench run -o FILE” makes a report."
        ) from error
    if report["format"] != FORMAT:
        raise UsageError(
            f"{path} is not a report: its “format” is not “{FORMAT}”. “cardbench run -o FILE” makes a report."
        )
    return content, report
