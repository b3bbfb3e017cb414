"""Generate texts from the readers' own patterns: random strings that match, with repetitions longer than permitted."""

import random
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from submissions.domain.intake.tools import READERS

_LETTERS = {"CATEGORY_DIGIT": "0123456789", "CATEGORY_SPACE": " \t", "CATEGORY_WORD": "aB7_é"}
_ANY = "aZ09 .,:;/|<>[](){}%µ中-"
PATTERNS = [pattern for reader in dict.fromkeys(READERS.values()) for pattern, _ in reader.rows]


def line(rng: random.Random) -> str:
    """Return a random line that a reader's pattern may match."""
    pattern = rng.choice(PATTERNS)
    return _grow(rng, _parser.parse(pattern.pattern, pattern.flags), [""] * 40)


def _grow(rng: random.Random, parts: Any, groups: list[str]) -> str:
    return "".join(_part(rng, str(kind), value, groups) for kind, value in parts)


def _part(rng: random.Random, kind: str, value: Any, groups: list[str]) -> str:
    if kind == "BRANCH":
        return _grow(rng, rng.choice(value[1]), groups)
    if kind == "SUBPATTERN":
        groups[value[0] or 0] = text = _grow(rng, value[3], groups)
        return text
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        return "".join(_grow(rng, value[2], groups) for _ in range(_often(rng, *value[:2])))
    single = {
        "LITERAL": lambda: chr(value),
        "IN": lambda: _one_of(rng, value),
        "GROUPREF": lambda: groups[value],
    }
    return single[kind]() if kind in single else rng.choice(_ANY) if kind in ("ANY", "NOT_LITERAL") else ""


def _often(rng: random.Random, least: int, most: Any) -> int:
    return rng.choice(
        [least, min(most, least + 1), min(int(most), least + 40), rng.randint(least, least + 9)]
    )


def _one_of(rng: random.Random, choices: Any) -> str:
    if choices[0][0] is _constants.NEGATE:
        return rng.choice("a 9.é")
    kind, value = rng.choice(choices)
    if kind is _constants.RANGE:
        return chr(rng.randint(*value))
    return chr(value) if kind is _constants.LITERAL else rng.choice(_LETTERS.get(str(value), "x"))
