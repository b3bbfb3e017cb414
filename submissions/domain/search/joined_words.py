"""Split words that were typed without blanks: "samsungevoplus128gb" -> "samsung evo plus 128gb"."""

import re
from functools import cache, lru_cache

from submissions.domain.identity import products
from submissions.domain.search import search_words

_LEAST_LETTERS, _MOST_LETTERS = 8, 40
_SIZE = re.compile(r"\d{1,4}(?:gb|go|tb|g)?")
_WORDS = re.compile(r"[^\W_]{2,}")


@lru_cache(maxsize=1000)
def split_joined(token: str) -> tuple[str, ...]:
    """Return the fewest known words and sizes that make up the whole token; () if there are fewer than two."""
    if not _LEAST_LETTERS <= len(token) <= _MOST_LETTERS or products.find_by_part(token):
        return ()
    best: list[tuple[str, ...] | None] = [()] + [None] * len(token)
    for end in range(1, len(token) + 1):
        ways = [
            (*before, token[start:end])
            for start in range(end)
            if (before := best[start]) is not None and _is_known(token[start:end])
        ]
        best[end] = min(ways, key=len, default=None)
    whole = best[-1] or ()
    return whole if len(whole) > 1 and whole[0].isalpha() else ()


def _is_known(piece: str) -> bool:
    return piece in _known_words() or bool(_SIZE.fullmatch(piece))


@cache
def _known_words() -> frozenset[str]:
    sold = (
        word
        for product in products.all_products()
        for word in _WORDS.findall(f"{product.brand} {product.line}".casefold())
    )
    return frozenset(
        [*sold, *(phrase for phrase in search_words.phrases() if phrase.isalpha() and len(phrase) > 1)]
    )
