"""Dataclasses whose fields are columns: several as one, and one as several."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Table = TypeVar("Table")


def joined(parts: Sequence[Table]) -> Table:
    """One or more below each other."""
    kind: Any = type(parts[0])
    table: Table = kind(*(np.concatenate([getattr(part, name) for part in parts]) for name in _names(kind)))
    return table


def parted(table: Table, number: int) -> list[Table]:
    """Every column cut into so many equal pieces."""
    kind: Any = type(table)
    pieces = [getattr(table, name).reshape(number, -1) for name in _names(kind)]
    return [kind(*piece) for piece in zip(*pieces, strict=True)]


def _names(kind: Any) -> list[str]:
    return [column.name for column in fields(kind)]
