"""The decoder of registers for tests, with return type Any, so that tests need not check for missing registers."""

from collections.abc import Mapping
from typing import Any

from submissions.domain import registers


def decode(texts: Mapping[str, str], *, bus: str | None = None) -> Any:
    return registers.decode(texts, bus=bus)


def decode_readable(texts: Mapping[str, str], *, bus: str | None = None) -> Any:
    return registers.decode_readable(texts, bus=bus)
