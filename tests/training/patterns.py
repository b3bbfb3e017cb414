"""Expand patterns.txt, where a line describes many similar questions, into texts."""

import re
from pathlib import Path
from random import Random
from typing import NamedTuple

_SLOT = re.compile(r"@(?P<name>\w+) (?P<language>\w+): (?P<text>.*)")
_PATTERN = re.compile(r"(?P<intent>\w+)\|(?P<language>\w+): (?P<text>.*)")
_CHOICE, _NAME = re.compile(r"\{([^{}]*)\}"), re.compile(r"<(\w+)>")
_DRAWS, _DRAWS_OF_OTHERS = 60, 30  # other languages have about half as many choices as English


class Text(NamedTuple):
    intent: str
    language: str
    text: str


def expand(path: Path, *, seed: int = 0) -> list[Text]:
    """Return texts drawn from every pattern, always the same, without repetitions within a pattern."""
    lines = path.read_text(encoding="utf-8").splitlines()
    slots = {(row["name"], row["language"]): row["text"] for row in filter(None, map(_SLOT.match, lines))}
    chance = Random(seed)
    texts = []
    for row in filter(None, map(_PATTERN.match, lines)):
        draws = _DRAWS if row["language"] == "en" else _DRAWS_OF_OTHERS
        drawn = {_draw(row["text"], row["language"], slots, chance) for _ in range(draws)}
        texts += [Text(row["intent"], row["language"], text) for text in sorted(drawn)]
    return texts


def _draw(text: str, language: str, slots: dict[tuple[str, str], str], chance: Random) -> str:
    while match := _CHOICE.search(text) or _NAME.search(text):
        if match[0].startswith("{"):
            said = chance.choice(match[1].split("|"))
        else:
            said = slots.get((match[1], language)) or slots[match[1], "en"]
        text = text[: match.start()] + said + text[match.end() :]
    return " ".join(text.split())
