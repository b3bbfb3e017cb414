"""Sizes and times: units, and how they are said."""

from __future__ import annotations

KIB, MIB = 1024, 1024**2
SECOND_NS = 1_000_000_000


def binary(size_bytes: int) -> str:
    """4096 -> "4 KiB"."""
    for unit, name in ((1024**3, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes:,} B"
