"""Find results that were sent several times: with another line end, note or brand, as half of it, or by other people.

A result is known by its fingerprints: a number for each comparable figure, made of every repeat in base units with six
digits. Two results are the same if the larger result has all fingerprints of the smaller one, unless their registers
show that they are of two cards.
"""

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from submissions.domain.measuring.normalize import Measured

_DIGITS = 6
# Values with fewer digits are equal for many cards.
_TELLING_DIGITS = 3
# One figure may be equal by chance; two, with three digits and more each, hardly ever are.
_ENOUGH = 2
_TOP_BIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one run, for finding copies.

    `card` is a number made of the registers, None without registers; `submission` orders results by arrival; `sender`
    is a person and a label, which decide about results with only one figure.
    """

    run: int
    fingerprints: frozenset[int]
    card: Hashable | None
    submission: int
    sender: Hashable


def fingerprint_figures(measured: Iterable[Measured]) -> list[int]:
    """Return a number of 63 bits for each comparable figure with values exact enough to compare, ascending."""
    return sorted(
        {_fingerprint(row) for row in measured if row.figure and any(map(_is_telling, row.repeats))}
    )


def _is_telling(value: float) -> bool:
    digits = f"{value:.{_DIGITS - 1}e}".partition("e")[0].replace(".", "").strip("0")
    return len(digits) >= _TELLING_DIGITS


def _fingerprint(row: Measured) -> int:
    values = sorted(f"{value:.{_DIGITS}g}" for value in row.repeats)
    text = "|".join((row.figure, str(row.parameters.get("block_size_bytes", "")), *values))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 2 | _TOP_BIT


def find_originals(results: Sequence[Result]) -> dict[int, Result]:
    """Return the original of each copy, by the run of the copy.

    Among equal results, the original is one with registers, then the one with the most figures, then the first. Only
    results with a common fingerprint are compared, because a card may have thousands of runs.
    """
    originals: dict[int, Result] = {}
    counting: dict[int, list[tuple[int, Result]]] = defaultdict(list)
    ordered = sorted(results, key=lambda row: (row.card is None, -len(row.fingerprints), row.submission))
    for place, result in enumerate(ordered):
        same = (
            other
            for number in result.fingerprints
            for other in counting[number]
            if _is_same(result, other[1])
        )
        if original := min(same, key=itemgetter(0), default=None):
            originals[result.run] = original[1]
        else:
            for number in result.fingerprints:
                counting[number].append((place, result))
    return originals


def _is_same(one: Result, other: Result) -> bool:
    fewest = min(len(one.fingerprints), len(other.fingerprints))
    if not fewest or len(one.fingerprints & other.fingerprints) < fewest:
        return False
    if one.card is not None and other.card is not None and one.card != other.card:
        return False
    return fewest >= _ENOUGH or (one.fingerprints == other.fingerprints and one.sender == other.sender)
