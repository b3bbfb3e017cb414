"""Format numbers, headings and rows of a report page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from cardbench.sizes import Quantity

_BAR = 24
_LARGEST_FACTOR = 1 << 16


def size(size_bytes: int | None) -> str:
    """Return a size as text, in gigabytes as on the label and in bytes; "" if it is unknown."""
    return f"{size_bytes / 1e9:.1f} GB ({size_bytes:,} bytes)" if size_bytes else ""


def middle(row: Mapping[str, Any]) -> Quantity:
    return Quantity(float(median(row["values"])), row["unit"])


def bar(value: float, most: float) -> str:
    """Return a bar of at most 24 characters that shows a value between 0 and `most`."""
    return "█" * round(_BAR * max(0.0, value) / most) if most > 0 else ""


def heading(title: str, explanation: str = "") -> list[str]:
    return [title + (f" – {explanation}" if explanation else ""), "─" * len(title)]


def section(title: str, lines: Iterable[str]) -> list[str]:
    """Return a heading and the lines below it; nothing if there are no lines."""
    shown = list(lines)
    return [*heading(title), *shown] if shown else []


def indent(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def rows(*pairs: tuple[str, Any]) -> list[str]:
    return [f"  {name:<15} {value}" for name, value in pairs if value]


def factorize(size_bytes: int | None) -> str:
    """Return a size as its prime factors; the power of two among them is the largest erase block 2^k that divides it.

    A rest without a factor up to 65,536 is not factorized, since the search for larger factors may take minutes.
    """
    rest, counts, prime = size_bytes or 0, dict[int, int](), 2
    while prime * prime <= rest and prime <= _LARGEST_FACTOR:
        while rest % prime == 0:
            rest, counts[prime] = rest // prime, counts.get(prime, 0) + 1
        prime += 1 + prime % 2
    if rest > 1:
        counts[rest] = counts.get(rest, 0) + 1
    return " × ".join(f"{prime}^{count}" if count > 1 else f"{prime}" for prime, count in counts.items())
