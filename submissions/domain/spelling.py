"""How names of models may be written."""

import re
import unicodedata
from typing import Final

_INVISIBLE: Final = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
_MARKS: Final = ("Mn", "Me")
_MOST_MARKS: Final = 2  # on one letter: Thai and Vietnamese have two
_LETTERS: Final = re.compile(r"[^\W\d_]+")
# Scripts that are written together in one word.
_TOGETHER: Final = frozenset(["CJK", "HIRAGANA", "KATAKANA", "HANGUL"])
_ADDRESS: Final = re.compile(r"[@\\]|://")


def problem(brand: str, *others: str) -> str:
    """Why the name of a model cannot be taken, as a sentence for its sender; "" where it can."""
    if brand.strip() and not any(map(str.isalpha, brand)):
        return "A brand has a letter"
    return next(filter(None, map(_problem, (brand, *others))), "")


def _problem(name: str) -> str:
    if _ADDRESS.search(name):
        return "A name is no address: it holds neither @ nor \\ nor ://"
    if name.isascii() and name.isprintable():
        return ""
    for letter in name:
        if unicodedata.category(letter) in _INVISIBLE:
            return f"A name holds no invisible character (U+{ord(letter):04X}); type it anew"
    if _has_tower(unicodedata.normalize("NFC", name)):
        return f"A letter of a name has at most {_MOST_MARKS} accents"
    mixed = next(filter(_is_mixed, _LETTERS.findall(name)), "")
    return f"“{mixed}” mixes letters of scripts that look alike; type it anew" if mixed else ""


def _has_tower(name: str) -> bool:
    marks = "".join("m" if unicodedata.category(letter) in _MARKS else "." for letter in name)
    return "m" * (_MOST_MARKS + 1) in marks


def _is_mixed(word: str) -> bool:
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in word}
    return len(scripts - {"MICRO", "FULLWIDTH", "HALFWIDTH", "MATHEMATICAL"}) > 1 and not scripts <= _TOGETHER
