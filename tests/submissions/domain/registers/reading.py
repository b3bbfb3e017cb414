"""The decoder as tests use it: a register they gave is there, so no type has to be narrowed."""

from collections.abc import Mapping
from typing import Any

from submissions.domain import registers


def decode(texts: Mapping[str, str], *, bus: str | None = None) -> Any:
    return registers.decode(texts, bus=bus)


def decode_readable(texts: Mapping[str, str], *, bus: str | None = None) -> Any:
    return registers.decode_readable(texts, bus=bus)
