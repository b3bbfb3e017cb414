"""Where dumps stand: a directory each, named by the time it was made. What is listed is complete.

The first of each quarter stays for good, also under the name of its quarter: what is cited goes on being there.
"""

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings

from submissions.dumps import seal
from submissions.dumps.description import NAME

_VERSION = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z")


class Dump(NamedTuple):
    """`quarter`: as “2026-Q4”, of the first dump in it; "" of any other."""

    version: str
    quarter: str
    directory: Path
    package: dict[str, Any]

    def file(self, name: str) -> Path | None:
        """A file that belongs to the dump; None for anything else."""
        path = self.directory / name
        return path if name in seal.names(self.directory) and path.is_file() else None


def dumps() -> list[Dump]:
    """Every complete dump, newest first."""
    directories = _directories()
    first = _first_of_quarters(directories)
    return [
        Dump(
            directory.name,
            quarter if first[quarter := _quarter(directory)] == directory else "",
            directory,
            json.loads((directory / NAME).read_text()),
        )
        for directory in directories
    ]


def find(version: str) -> Dump | None:
    """By its version or its quarter."""
    return next((dump for dump in dumps() if version in (dump.version, dump.quarter or None)), None)


def add() -> Path:
    """Write a new dump and put away those beyond the number that is kept -> its directory. Raises as `write`."""
    from submissions.dumps import writer  # noqa: PLC0415  # DuckDB: 11 MB of every process that writes none

    newest = next(iter(_directories()), None)
    made = writer.write(Path(settings.DUMPS_DIR), previous=newest, secret=settings.DUMP_KEY)
    directories = _directories()
    lasting = _first_of_quarters(directories).values()
    for old in directories[settings.DUMPS_KEPT :]:
        if old not in lasting:
            shutil.rmtree(old)
    return made


def is_due(*, every: timedelta) -> bool:
    """Whether the newest dump is older than that, or there is none."""
    newest = next(iter(_directories()), None)
    return newest is None or datetime.now(UTC) - _made_at(newest) >= every


def stamp() -> str:
    """Changes whenever a dump comes or goes."""
    return " ".join(directory.name for directory in _directories()) or "none"


def newest_at() -> float:
    """Unix time of the newest dump, 0 where there is none."""
    return max((_made_at(directory).timestamp() for directory in _directories()), default=0.0)


def _directories() -> list[Path]:
    shelf = Path(settings.DUMPS_DIR)
    entries = shelf.iterdir() if shelf.is_dir() else iter(())
    return sorted((entry for entry in entries if _VERSION.fullmatch(entry.name)), reverse=True)


def _first_of_quarters(newest_first: list[Path]) -> dict[str, Path]:
    """Quarter -> the oldest dump in it."""
    return {_quarter(directory): directory for directory in newest_first}


def _quarter(directory: Path) -> str:
    made_at = _made_at(directory)
    return f"{made_at.year}-Q{(made_at.month + 2) // 3}"


def _made_at(directory: Path) -> datetime:
    return datetime.strptime(directory.name, "%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC)
