"""One result sent again is one result: with another line end, quote mark, note or brand, as half of it, by anybody.

A run is known by its comparable figures: what was measured, and every repeat in base units at six digits. Two
runs whose figures are those of the smaller one are the same, unless their registers say that they are two cards.
"""

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
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
    """Run -> the copy that counts in its place: with registers, with more figures, the first sent.

    Compared are those alone that have a number in common: a card may have thousands of runs.
    """
    counting: dict[int, list[tuple[int, Copy]]] = defaultdict(list)
    again: dict[int, Copy] = {}
    in_order = sorted(copies, key=lambda copy: (copy.card is None, -len(copy.prints), copy.sent))
    for place, copy in enumerate(in_order):
        alike = (other for number in copy.prints for other in counting[number] if _is_same(copy, other[1]))
        original = min(alike, key=itemgetter(0), default=None)
        if original:
            again[copy.run] = original[1]
        else:
            for number in copy.prints:
                counting[number].append((place, copy))
    return again


def _is_same(one: Copy, other: Copy) -> bool:
    fewest = min(len(one.prints), len(other.prints))
    if not fewest or len(one.prints & other.prints) < fewest:
        return False
    if one.card is not None and other.card is not None and one.card != other.card:
        return False
    return fewest >= _ENOUGH or (one.prints == other.prints and one.sender == other.sender)
