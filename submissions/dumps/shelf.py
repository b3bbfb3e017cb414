"""Where dumps stand: a directory each, named by the time it was made. What is listed is complete."""

import json
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from submissions.dumps import writer
from submissions.dumps.description import NAME

_VERSION = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z")


@dataclass(frozen=True, slots=True)
class Dump:
    version: str
    directory: Path
    package: dict[str, Any]

    def file(self, name: str) -> Path | None:
        """A file that the dump describes, or one of the two that describe it; None for anything else."""
        names = {NAME, "SHA256SUMS", *(resource["path"] for resource in self.package["resources"])}
        return self.directory / name if name in names else None


def dumps() -> list[Dump]:
    """Every complete dump, newest first."""
    return [
        Dump(directory.name, directory, json.loads((directory / NAME).read_text()))
        for directory in _directories()
    ]


def find(version: str) -> Dump | None:
    return next((dump for dump in dumps() if dump.version == version), None)


def add() -> Path:
    """Write a new dump and put away those beyond the number that is kept -> its directory. Raises as `write`."""
    made = writer.write(Path(settings.DUMPS_DIR))
    for old in _directories()[settings.DUMPS_KEPT :]:
        shutil.rmtree(old)
    return made


def is_due(*, every: timedelta) -> bool:
    """Whether the newest dump is older than that, or there is none."""
    newest = next(iter(_directories()), None)
    return newest is None or datetime.now(UTC) - _made_at(newest) >= every


def newest_at() -> float:
    """Unix time of the newest dump, 0 where there is none."""
    return max((_made_at(directory).timestamp() for directory in _directories()), default=0.0)


def _directories() -> list[Path]:
    shelf = Path(settings.DUMPS_DIR)
    entries = shelf.iterdir() if shelf.is_dir() else iter(())
    return sorted((entry for entry in entries if _VERSION.fullmatch(entry.name)), reverse=True)


def _made_at(directory: Path) -> datetime:
    return datetime.strptime(directory.name, "%Y-%m-%dT%H%M%SZ").replace(tzinfo=UTC)
