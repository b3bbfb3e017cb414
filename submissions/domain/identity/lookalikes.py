"""Brands that look like one that was there before: Klngston, Kingst\u043en."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from submissions.domain.identity import makers
from submissions.domain.identity.words import slugify

# Letters of other scripts, and figures, that look like a Latin letter (Unicode TR 39, confusables, those of brands).
_LOOKS_LIKE = str.maketrans(
    "авезікмнорстухѕјԁһьѵԛԝαɑβεικνορτυχωγηոսօցհլ01|!i5$8",
    "abezlkmhopctyxsjdhbvqwaabelkvoptuxwynnuoqhlollllssb",
)
# LATIN LETTER SMALL CAPITAL A, LATIN SMALL LETTER DOTLESS I, LATIN SMALL LETTER L WITH STROKE.
_VARIANT = re.compile(
    r"LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL |SCRIPT |DOTLESS |LONG )?([A-Z])(?: WITH .*)?\Z"
)
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
LONGEST_LOOK = 64


def twins(brands: Iterable[str], earlier: Iterable[str]) -> Mapping[str, str]:
    """Brand -> the brand before it, of `earlier` in their order, that looks the same and is spelled otherwise."""
    first: dict[str, str] = dict(_known())
    for brand in earlier:
        first.setdefault(skeleton(brand), brand)
    same = {brand: first.get(skeleton(brand), brand) for brand in brands if not is_known(brand)}
    return {brand: other for brand, other in same.items() if _plain(brand) != _plain(other)}


def look(brand: str) -> str:
    """The beginning of its skeleton, by which stored brands are found that may look like this one. It stands with every
    model, and is written again when the model is described: who changes `skeleton` asks for `refresh_rankings`."""
    return skeleton(brand)[:LONGEST_LOOK]


def is_known(brand: str) -> bool:
    """Whether our tables name it."""
    return _plain(brand) in _known_plain()


@cache
def _known() -> Mapping[str, str]:
    return {skeleton(brand): brand for brand in sorted(makers.brands())}


@cache
def _known_plain() -> frozenset[str]:
    return frozenset(map(_plain, makers.brands()))


def skeleton(brand: str) -> str:
    """Equal for brands that look alike: without accents, blanks and signs, one letter for all that resemble it."""
    small = unicodedata.normalize("NFKD", brand).casefold()
    letters = "".join(map(_without_variant, small)).translate(_LOOKS_LIKE)
    for pair, letter in _PAIRS:
        letters = letters.replace(pair, letter)
    return "".join(filter(str.isalnum, letters))


def _without_variant(letter: str) -> str:
    if letter.isascii():
        return letter
    variant = _VARIANT.match(unicodedata.name(letter, ""))
    return variant[1].lower() if variant else letter


def _plain(brand: str) -> str:
    """Equal for spellings of one brand."""
    return slugify(brand).replace("-", "")
