"""The decoder as tests use it: a register they gave is there, so no type has to be narrowed."""

from collections.abc import Mapping
from typing import Any

from submissions.domain import registers


def decode(given: Mapping[str, str], *, bus: str | None = None) -> Any:
    return registers.decode(given, bus=bus)


def decode_readable(given: Mapping[str, str], *, bus: str | None = None) -> Any:
    return registers.decode_readable(given, bus=bus)
