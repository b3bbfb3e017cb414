"""RECIPES.md as a page shows it: headings, paragraphs and blocks of code."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "v1" / "RECIPES.md"
_FENCE = re.compile(r"```(\w+)\n(.*?)```\n?", re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_PLACE = "https://YOUR-SERVER"


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, as (is code, text) one after the other; or a block of code in a `language`."""

    language: str
    code: str = ""
    words: tuple[tuple[bool, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    title: str
    slug: str
    parts: tuple[Part, ...]


@lru_cache(maxsize=8)
def recipes(server: str = _PLACE) -> tuple[Recipe, ...]:
    """Every section of the file, the introduction first; commands speak to `server`."""
    text = _FILE.read_text(encoding="utf-8").replace(_PLACE, server)
    return tuple(_recipe(section) for section in re.split(r"^##? ", text, flags=re.MULTILINE)[1:])


def _recipe(section: str) -> Recipe:
    title, _, rest = section.partition("\n")
    pieces = _FENCE.split(rest)
    parts: list[Part] = []
    for prose, language, code in zip(pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True):
        parts += [Part("", words=_words(one)) for one in prose.strip().split("\n\n") if one]
        parts += [Part(language, code=code)] if code else []
    return Recipe(title, re.sub(r"\W+", "-", title.lower()).strip("-"), tuple(parts))


def _words(paragraph: str) -> tuple[tuple[bool, str], ...]:
    """Text and `code` take turns."""
    pieces = _CODE.split(" ".join(paragraph.split()))
    return tuple((bool(at % 2), piece) for at, piece in enumerate(pieces) if piece)
