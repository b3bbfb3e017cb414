"""One result sent again is one result: with another line end, quote mark, note or brand, as half of it, by anybody.

A run is known by its comparable figures: what was measured, and every repeat in base units at six digits. Two
runs whose figures are those of the smaller one are the same, unless their registers say that they are two cards.
"""

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from submissions.domain.measuring.normalize import Measured

_DIGITS: Final = 6
# Of a value with fewer digits any two cards may agree.
_TELLING_DIGITS: Final = 3
# One figure alone may be equal by chance; of two, with three digits and more each, hardly.
_ENOUGH: Final = 2
_TOP_BIT: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Copy:
    """One run. `prints`: by `prints_of`; `card`: by its registers, None without any; `sent`: the number of its
    submission; `sender`: who sent it and under which name, for results of one figure only."""

    run: int
    prints: frozenset[int]
    card: Hashable | None
    sent: int
    sender: Hashable


def prints_of(measured: Iterable[Measured]) -> list[int]:
    """A number of 63 bits, the highest set, for each comparable figure whose values tell runs apart; ascending."""
    return sorted({_print(row) for row in measured if row.figure and any(map(_tells, row.repeats))})


def _tells(value: float) -> bool:
    digits = f"{value:.{_DIGITS - 1}e}".partition("e")[0].replace(".", "").strip("0")
    return len(digits) >= _TELLING_DIGITS


def _print(row: Measured) -> int:
    values = sorted(f"{value:.{_DIGITS}g}" for value in row.repeats)
    text = "|".join((row.figure, str(row.parameters.get("block_size_bytes", "")), *values))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 2 | _TOP_BIT


def sent_again(copies: Sequence[Copy]) -> dict[int, Copy]:
    """Run -> the copy that counts in its place: with registers, with more figures, the first sent."""
    counting: list[Copy] = []
    again: dict[int, Copy] = {}
    for copy in sorted(copies, key=lambda copy: (copy.card is None, -len(copy.prints), copy.sent)):
        original = next((other for other in counting if _is_same(copy, other)), None)
        if original:
            again[copy.run] = original
        else:
            counting.append(copy)
    return again


def _is_same(one: Copy, other: Copy) -> bool:
    fewest = min(len(one.prints), len(other.prints))
    if not fewest or len(one.prints & other.prints) < fewest:
        return False
    if one.card is not None and other.card is not None and one.card != other.card:
        return False
    return fewest >= _ENOUGH or (one.prints == other.prints and one.sender == other.sender)
