"""Find brands that look like an earlier brand but are spelled differently: Klngston, Kingst\u043en."""

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
    """Return, for each brand that looks like an earlier brand but is spelled differently, that earlier brand.

    If a brand looks like several, a brand in our tables takes precedence, then the first of `earlier`.
    """
    first: dict[str, str] = dict(_known_skeletons())
    for brand in earlier:
        first.setdefault(skeleton(brand), brand)
    same = {brand: first.get(skeleton(brand), brand) for brand in brands if not is_known(brand)}
    return {brand: other for brand, other in same.items() if _plain_spelling(brand) != _plain_spelling(other)}


def look(brand: str) -> str:
    """Return the beginning of a brand's skeleton, by which stored brands are found that may look like this brand.

    Every model stores it until its columns are next computed: run `refresh_rankings` after a change of `skeleton`.
    """
    return skeleton(brand)[:LONGEST_LOOK]


def is_known(brand: str) -> bool:
    """Return whether our tables name this brand."""
    return _plain_spelling(brand) in _known_spellings()


@cache
def _known_skeletons() -> Mapping[str, str]:
    return {skeleton(brand): brand for brand in sorted(makers.brands())}


@cache
def _known_spellings() -> frozenset[str]:
    return frozenset(map(_plain_spelling, makers.brands()))


def skeleton(brand: str) -> str:
    """Return a text that is equal for brands that look alike.

    It has no accents, blanks and signs, and letters that resemble each other are replaced by one of them.
    """
    small = unicodedata.normalize("NFKD", brand).casefold()
    letters = "".join(map(_base_letter, small)).translate(_LOOKS_LIKE)
    for pair, letter in _PAIRS:
        letters = letters.replace(pair, letter)
    return "".join(filter(str.isalnum, letters))


def _base_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    variant = _VARIANT.match(unicodedata.name(letter, ""))
    return variant[1].lower() if variant else letter


def _plain_spelling(brand: str) -> str:
    return slugify(brand).replace("-", "")
