"""Read the tables in `data/` once. Every row of every table names its source."""

import csv
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from submissions.domain.errors import ReportError

_Entry = TypeVar("_Entry")
_DATA = Path(__file__).parent / "data"


@cache
def rows(name: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of data/NAME.csv as mappings of column to text."""
    with (_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file, strict=True))


def find(name: str, *, among: Mapping[str, _Entry], kind: str) -> _Entry:
    """Return the entry with this name. Raise ReportError about the field `kind` if there is none."""
    if name not in among:
        raise ReportError(
            f"{kind.capitalize()} “{name}” is unknown; choose from {', '.join(among)}.",
            field=kind,
            code=f"unknown_{kind}",
        )
    return among[name]


@cache
def document(name: str) -> Mapping[str, Any]:
    """Return the content of data/NAME.toml."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def words(name: str) -> frozenset[str]:
    """Return the words of data/NAME.txt, in lower case. Lines that begin with # name the source."""
    lines = (_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
