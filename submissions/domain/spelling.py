"""Check how the names of models are written."""

import re
import unicodedata

_INVISIBLE = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
_MARKS = ("Mn", "Me")
_MOST_MARKS = 2  # on one letter: Thai and Vietnamese have two
_LETTERS = re.compile(r"[^\W\d_]+")
# Scripts that are written together in one word.
_TOGETHER = frozenset(["CJK", "HIRAGANA", "KATAKANA", "HANGUL"])
_ADDRESS = re.compile(r"[@\\]|://")
# Marks and letters without a shape (Unicode: Default_Ignorable_Code_Point), and marks laid over a letter.
_SHAPELESS = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_OVERLAY = re.compile(r"[\u0334-\u0338\u0488\u0489\u20d0-\u20f0]")


def problem(brand: str, *others: str) -> str:
    """Return a sentence for the sender that says why the name of a model is refused; "" if it is accepted."""
    if brand.strip() and not any(map(str.isalpha, brand)):
        return "A brand must contain a letter"
    return next(filter(None, map(_problem, (brand, *others))), "")


def _problem(name: str) -> str:
    if _ADDRESS.search(name):
        return "A name is not an address: it must not contain @, \\ or ://"
    if name.isascii() and name.isprintable():
        return ""
    for letter in name:
        if unicodedata.category(letter) in _INVISIBLE or _SHAPELESS.match(letter):
            return f"A name must not contain invisible characters (U+{ord(letter):04X}); type it again"
    if _OVERLAY.search(name) or "MATHEMATICAL" in map(_script, name):
        return "A name must use plain letters: none that are struck through or meant for formulas"
    if _has_tower(unicodedata.normalize("NFC", name)):
        return f"A letter in a name can have at most {_MOST_MARKS} accents"
    mixed = next(filter(_is_mixed, _LETTERS.findall(name)), "")
    return f"“{mixed}” mixes letters from different scripts that look alike; type it again" if mixed else ""


def _has_tower(name: str) -> bool:
    marks = "".join("m" if unicodedata.category(letter) in _MARKS else "." for letter in name)
    return "m" * (_MOST_MARKS + 1) in marks


def _is_mixed(word: str) -> bool:
    scripts = set(map(_script, word))
    return len(scripts - {"MICRO", "FULLWIDTH", "HALFWIDTH"}) > 1 and not scripts <= _TOGETHER


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]
